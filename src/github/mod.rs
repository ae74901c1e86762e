//! What a forge is told of a comparison.

pub mod causes;

use crate::{
    exit::{Exit, Failure},
    place::Root,
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

/// File of a folder that tells why there is no record.
pub const PROBLEM: &str = "problem.txt";

/// Bytes of such a file that are read.
const PROBLEM_BYTES: u64 = 4096;

/// Reads what is in `path`: a record, or a folder with one or with the reason why there is none. A
/// record that can't be judged is a problem too, and no error: readers must see it.
///
/// # Errors
/// If there is neither.
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

/// How the check of a commit ends.
pub const fn conclusion(standing: Standing) -> Conclusion {
    match standing {
        Standing::Pending => Conclusion::Pending,
        Standing::Passed => Conclusion::Success,
        Standing::Undecided => Conclusion::Neutral,
        Standing::Failed => Conclusion::Failure,
        Standing::Broken => Conclusion::Broken,
    }
}

/// The policies, only where something is judged by them.
///
/// # Errors
/// What is wrong with them; a project that is not there.
pub fn finding(
    record: Option<&PathBuf>,
    problem: Option<&String>,
    policy: impl FnOnce(&Root) -> Result<Policy>,
) -> Result<Finding> {
    match (record, problem) {
        (Some(record), _) => read(record, &policy(&Root::find()?)?),
        (None, Some(problem)) => Ok(Finding::Problem(problem.clone())),
        (None, None) => Ok(Finding::Pending),
    }
}

/// An error of the forge as the end of the command: what it says, with exit code 2.
pub fn refused(error: impl std::fmt::Display) -> anyhow::Error {
    Failure::new(Exit::Input, error.to_string()).into()
}
