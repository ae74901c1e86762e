//! What was measured of a commit.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is known of each commit that was looked at.
pub type Observations = BTreeMap<String, RevisionObservation>;

/// What was measured of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RevisionObservation {
    /// Its number.
    Level {
        /// The estimate.
        value: f64,
        /// The lowest that it may be.
        low: f64,
        /// The highest that it may be.
        high: f64,
    },
    /// It has no number: it does not build, or does not run.
    Skipped,
}

/// How a number is to another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Nearness {
    /// They are the same.
    Same,
    /// They differ.
    Changed,
    /// The number is too uncertain to say.
    Undecided,
}

impl RevisionObservation {
    /// A number that repeats exactly.
    pub const fn exactly(value: f64) -> Self {
        Self::Level { value, low: value, high: value }
    }

    /// Compares the number with `expected`; `least` is the smallest change that counts.
    pub(crate) fn near(&self, expected: f64, least: f64) -> Option<Nearness> {
        let Self::Level { low, high, .. } = *self else { return None };
        // Sums of differences are not exact where the differences are.
        let least = least + 1e-9 * expected.abs();
        Some(if low > expected + least || high < expected - least {
            Nearness::Changed
        } else if low >= expected - least && high <= expected + least {
            Nearness::Same
        } else {
            Nearness::Undecided
        })
    }

    pub(crate) const fn value(&self) -> Option<f64> {
        match self {
            Self::Level { value, .. } => Some(*value),
            Self::Skipped => None,
        }
    }
}
