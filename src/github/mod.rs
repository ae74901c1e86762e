//! What `shakedown github` reports about a comparison.

pub mod causes;
pub mod drivers;
pub mod intake;

use crate::{
    exit::{CommandError, Exit},
    project::ProjectRoot,
};
use anyhow::{Context, Result};
use shakedown_forge::check::Conclusion;
use shakedown_gate::Policy;
use shakedown_report::{Finding, Standing};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

/// File that contains the reason why there is no record.
pub const PROBLEM: &str = "problem.txt";

/// Maximum size of that file that is read.
const PROBLEM_BYTES: u64 = 4096;

/// Reads `path`: a record, or a folder with a record or with the reason why there is none. A record
/// that can't be judged becomes a problem instead of an error, so that readers see it.
///
/// # Errors
/// If there is neither a record nor a reason.
fn read(path: &Path, policy: &Policy) -> Result<Finding> {
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
    Ok(match shakedown_gate::judge(&record, policy) {
        Ok(judgement) => Finding::judged(record, judgement),
        Err(error) => Finding::Problem(format!("the record can't be judged: {error}")),
    })
}

/// The check run's conclusion.
pub const fn conclusion(standing: Standing) -> Conclusion {
    match standing {
        Standing::Pending => Conclusion::Pending,
        Standing::Passed => Conclusion::Success,
        Standing::Undecided => Conclusion::Neutral,
        Standing::Failed => Conclusion::Failure,
        Standing::Broken => Conclusion::Broken,
    }
}

/// The finding to report: a judged record, a problem, or pending. Loads the policy only for a record.
///
/// # Errors
/// A bad policy; a record that can't be read; a missing project folder.
pub fn finding(
    record: Option<&PathBuf>,
    problem: Option<&String>,
    policy: impl FnOnce(&ProjectRoot) -> Result<Policy>,
) -> Result<Finding> {
    match (record, problem) {
        (Some(record), _) => read(record, &policy(&ProjectRoot::find()?)?),
        (None, Some(problem)) => Ok(Finding::Problem(problem.clone())),
        (None, None) => Ok(Finding::Pending),
    }
}

/// Wraps an error of the forge so that the command exits with code 2.
pub fn refused(error: impl std::fmt::Display) -> anyhow::Error {
    CommandError::new(Exit::Input, error.to_string()).into()
}
