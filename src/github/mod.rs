//! What `shakedown github` reports about a comparison.

pub mod access;
pub mod causes;
pub mod drivers;
pub mod intake;
pub mod queue;
pub mod runner_configuration;
pub mod runner_releases;

use crate::{
    exit::{CommandError, Exit},
    policies::Policies,
    project::ProjectRoot,
    record::{explanation_beside, read_judgement},
};
use anyhow::{Context, Result};
use shakedown_forge::check::Conclusion;
use shakedown_report::{Finding, Status};
use std::{fs, io::Read, path::Path};

/// File that contains the reason why there is no record.
pub const PROBLEM: &str = "problem.txt";

/// Maximum size of that file that is read.
const PROBLEM_BYTES: u64 = 4096;

/// Where a finding comes from.
#[derive(Debug)]
pub enum FindingSource<'a> {
    /// A record, or a folder with one or with the reason why there is none.
    Record(&'a Path),
    /// Why nothing was measured.
    Problem(&'a str),
    /// It is being measured.
    Pending,
    /// Why nothing has to be measured.
    NotNeeded(&'a str),
}

/// By what a record is judged.
#[derive(Debug)]
pub enum Judge<'a> {
    /// It was judged before; the file is ours, never part of an artifact.
    Judgement(&'a Path),
    /// By policies.
    Policies(&'a Policies),
}

/// Reads what is in `path`. A record that can't be judged is a problem too, and no error: readers
/// must see it.
fn read(path: &Path, judge: &Judge<'_>) -> Result<Finding> {
    let problem = path.join(PROBLEM);
    if problem.is_file() {
        let mut text = String::new();
        let file = fs::File::open(&problem)?.take(PROBLEM_BYTES);
        std::io::BufReader::new(file)
            .read_to_string(&mut text)
            .with_context(|| format!("can't read {}", problem.display()))?;
        return Ok(Finding::Problem(text.trim().to_owned()));
    }
    let record = crate::record::read(path)?;
    let explanation = explanation_beside(path);
    let explained = |finding: Finding| match &explanation {
        Some(found) => finding.with_explanation(found),
        None => finding,
    };
    let policies = match judge {
        Judge::Judgement(file) => {
            let judgement = read_judgement(file, &record)?;
            return Ok(explained(Finding::judged(record, judgement)));
        }
        Judge::Policies(policies) => policies.load(&ProjectRoot::find()?)?,
    };
    Ok(match shakedown_gate::judge(&record, &policies) {
        Ok(judgement) => explained(Finding::judged(record, judgement)),
        Err(error) => Finding::Problem(format!("the record can't be judged: {error}")),
    })
}

/// How the check of a commit ends.
pub const fn conclusion(status: Status) -> Conclusion {
    match status {
        Status::Pending => Conclusion::Pending,
        Status::Passed => Conclusion::Success,
        Status::Inconclusive => Conclusion::Neutral,
        Status::Failed => Conclusion::Failure,
        Status::Error => Conclusion::Broken,
    }
}

/// The result to show.
///
/// # Errors
/// If there is neither a record nor a reason, or the policies or the judgement can't be used.
pub fn finding(source: &FindingSource<'_>, judge: &Judge<'_>) -> Result<Finding> {
    match source {
        FindingSource::Record(path) => read(path, judge),
        FindingSource::Problem(reason) => Ok(Finding::Problem((*reason).to_owned())),
        FindingSource::Pending => Ok(Finding::Pending),
        FindingSource::NotNeeded(reason) => Ok(Finding::NotNeeded((*reason).to_owned())),
    }
}

/// Wraps an error of the forge so that the command exits with code 2.
pub fn refused(error: impl std::fmt::Display) -> anyhow::Error {
    CommandError::new(Exit::Input, error.to_string()).into()
}
