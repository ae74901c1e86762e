//! The verdict.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What is decided about one metric, or about everything together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No relevant change, and one would have been seen.
    Pass,
    /// Worse by more than the margin.
    Regressed,
    /// Better by more than the margin.
    Improved,
    /// The numbers don't suffice to say.
    Inconclusive,
    /// Base has it, head does not.
    Missing,
    /// Head negotiated something else, crashed or hung.
    Broken,
}

impl Verdict {
    /// Its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Inconclusive => "inconclusive",
            Self::Missing => "missing",
            Self::Broken => "broken",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
