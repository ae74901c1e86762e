//! How a comparison ended.

use shakedown_gate::{Consequence, Judgement, Verdict};

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
