//! What a forge is told of a comparison: judged here and now, laid out as one comment.

pub mod causes;
mod comment;

pub use comment::{Comment, Place};

use crate::{
    exit::{Exit, Failure},
    place::Root,
    report::Verdicts,
};
use anyhow::{Context, Result};
use shakedown_forge::check::Conclusion;
use shakedown_gate::{Judgement, Policy, Verdict};
use shakedown_protocol::RunRecord;
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

/// File of a folder that tells why there is no record.
pub const PROBLEM: &str = "problem.txt";

/// Bytes of such a file that are read.
const PROBLEM_BYTES: u64 = 4096;

/// What there is to tell.
#[derive(Debug)]
pub enum Finding {
    /// It is being measured.
    Pending,
    /// There is no record, and why.
    Problem(String),
    /// A record, and what was decided about it.
    Judged(Box<Judged>),
}

/// A record, and what was decided about it.
#[derive(Debug)]
pub struct Judged {
    /// What was measured.
    pub record: RunRecord,
    /// What was decided.
    pub judgement: Judgement,
    /// The same in words.
    pub verdicts: Verdicts,
}

impl Finding {
    /// Reads what is in `path`: a record, or a folder with one or with the reason why there is
    /// none. A record that can't be judged is a problem too, and no error: it shall be told.
    ///
    /// # Errors
    /// If there is neither.
    pub fn read(path: &Path, policy: &Policy) -> Result<Self> {
        let problem = path.join(PROBLEM);
        if problem.is_file() {
            let mut text = String::new();
            let file = fs::File::open(&problem)?.take(PROBLEM_BYTES);
            std::io::BufReader::new(file)
                .read_to_string(&mut text)
                .with_context(|| format!("can't read {}", problem.display()))?;
            return Ok(Self::Problem(text.trim().to_owned()));
        }
        let record = crate::command::report::read(path)?;
        Ok(match shakedown_gate::judge(&record, policy) {
            Ok(judgement) => Self::judged(record, judgement),
            Err(error) => Self::Problem(format!("the record can't be judged: {error}")),
        })
    }

    /// What was decided about a record.
    pub fn judged(record: RunRecord, judgement: Judgement) -> Self {
        let verdicts = Verdicts::new(&judgement, &record, None);
        Self::Judged(Box::new(Judged { record, judgement, verdicts }))
    }

    /// The verdict in one line.
    pub fn headline(&self) -> String {
        match self {
            Self::Pending => "being measured".to_owned(),
            Self::Problem(reason) => format!("not measured: {}", crate::report::plain(reason)),
            Self::Judged(judged) => judged.judgement.headline.clone(),
        }
    }

    /// How the check ends.
    pub fn conclusion(&self) -> Conclusion {
        match self {
            Self::Pending => Conclusion::Pending,
            Self::Problem(_) => Conclusion::Broken,
            Self::Judged(judged) => match judged.judgement.exit_code {
                0 if judged.judgement.verdict == Verdict::Inconclusive => Conclusion::Neutral,
                0 => Conclusion::Success,
                _ => Conclusion::Failure,
            },
        }
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
        (Some(record), _) => Finding::read(record, &policy(&Root::find()?)?),
        (None, Some(problem)) => Ok(Finding::Problem(problem.clone())),
        (None, None) => Ok(Finding::Pending),
    }
}

/// An error of the forge as the end of the command: what it says, with exit code 2.
pub fn refused(error: impl std::fmt::Display) -> anyhow::Error {
    Failure::new(Exit::Input, error.to_string()).into()
}
