//! The result of a comparison, as a forge shows it.

use crate::{format::plain, verdict::Verdicts};
use shakedown_gate::{Consequence, Judgement, Verdict};
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
}

/// How a comparison ended, in the terms of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It is being measured.
    Pending,
    /// Nothing speaks against the change.
    Passed,
    /// It could not be decided, which the policy tolerates.
    Inconclusive,
    /// The policy says that this fails.
    Failed,
    /// There is nothing to judge.
    Error,
}

impl Finding {
    /// What was decided about a record.
    pub fn judged(record: RunRecord, judgement: Judgement) -> Self {
        let verdicts = Verdicts::new(&judgement, &record, None);
        Self::Judged(Box::new(JudgedRecord { record, judgement, verdicts }))
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

impl Status {
    /// How a judgement ended.
    pub fn of(judgement: &Judgement) -> Self {
        match (judgement.consequence, judgement.verdict) {
            (Consequence::Fail | Consequence::FailInconclusive, _) => Self::Failed,
            (_, Verdict::Inconclusive) => Self::Inconclusive,
            (Consequence::None | Consequence::Report | Consequence::Warn, _) => Self::Passed,
        }
    }

    /// A picture of it.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Pending => "⏳",
            Self::Passed => "✅",
            Self::Inconclusive => "⚪",
            Self::Failed => "❌",
            Self::Error => "⚠️",
        }
    }

    /// A word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "Being measured",
            Self::Passed => "Passed",
            Self::Inconclusive => "Inconclusive",
            Self::Failed => "Failed",
            Self::Error => "Not measured",
        }
    }
}
