//! What a comparison came to, for those who are told of it.

use crate::{format::plain, verdict::Verdicts};
use shakedown_gate::{Judgement, Verdict};
use shakedown_protocol::RunRecord;

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

/// Where a comparison stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is being measured.
    Pending,
    /// Nothing speaks against the change.
    Passed,
    /// It could not be decided, which the policy tolerates.
    Undecided,
    /// The policy says that this fails.
    Failed,
    /// There is nothing to judge.
    Broken,
}

impl Finding {
    /// What was decided about a record.
    pub fn judged(record: RunRecord, judgement: Judgement) -> Self {
        let verdicts = Verdicts::new(&judgement, &record, None);
        Self::Judged(Box::new(Judged { record, judgement, verdicts }))
    }

    /// The verdict in one line.
    pub fn headline(&self) -> String {
        match self {
            Self::Pending => "being measured".to_owned(),
            Self::Problem(reason) => format!("not measured: {}", plain(reason)),
            Self::Judged(judged) => judged.verdicts.headline.clone(),
        }
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        match self {
            Self::Pending => Standing::Pending,
            Self::Problem(_) => Standing::Broken,
            Self::Judged(judged) => match judged.judgement.exit_code {
                0 if judged.judgement.verdict == Verdict::Inconclusive => Standing::Undecided,
                0 => Standing::Passed,
                _ => Standing::Failed,
            },
        }
    }
}
