//! The result of a comparison, as a forge shows it.

use crate::{culprits::Why, format::plain, status::Status, verdict::Verdicts};
use shakedown_culprits::ComparisonExplanation;
use shakedown_gate::Judgement;
use shakedown_protocol::RunRecord;

/// The result of a comparison, or why there is none.
#[derive(Debug)]
pub enum Finding {
    /// It is being measured.
    Pending,
    /// There is no record, and why.
    Problem(String),
    /// Nothing has to be measured here, and why.
    NotNeeded(String),
    /// A record, and what was decided about it.
    Judged(Box<JudgedRecord>),
}

/// A record, and what was decided about it.
#[derive(Debug)]
pub struct JudgedRecord {
    /// What was measured.
    pub record: RunRecord,
    /// What was decided.
    pub judgement: Judgement,
    /// The same in words.
    pub verdicts: Verdicts,
    /// Why it changed, where that was looked into.
    pub why: Option<Why>,
}

impl Finding {
    /// What was decided about a record.
    pub fn judged(record: RunRecord, judgement: Judgement) -> Self {
        let verdicts = Verdicts::new(&judgement, &record, None);
        Self::Judged(Box::new(JudgedRecord { record, judgement, verdicts, why: None }))
    }

    /// With the functions behind what changed.
    #[must_use]
    pub fn with_explanation(mut self, explanation: &ComparisonExplanation) -> Self {
        if let Self::Judged(judged) = &mut self {
            judged.why = Some(Why::new(explanation));
        }
        self
    }

    /// The verdict in one line.
    pub fn headline(&self) -> String {
        match self {
            Self::Pending => "being measured".to_owned(),
            Self::Problem(reason) => format!("not measured: {}", plain(reason)),
            Self::NotNeeded(reason) => format!("not needed: {}", plain(reason)),
            Self::Judged(judged) => judged.verdicts.headline.clone(),
        }
    }

    /// `Passed`, `Inconclusive` or `Failed`; empty where the headline says it.
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::Judged(judged) => judged.verdicts.outcome,
            Self::Pending | Self::Problem(_) | Self::NotNeeded(_) => "",
        }
    }

    /// How it ended.
    pub fn status(&self) -> Status {
        match self {
            Self::Pending => Status::Pending,
            Self::Problem(_) => Status::Error,
            Self::NotNeeded(_) => Status::Passed,
            Self::Judged(judged) => Status::of(&judged.judgement),
        }
    }
}
