//! Regressions that somebody accepted, for a while.

use super::select::Select;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// What was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AcceptedKind {
    /// A metric that got worse by up to a size.
    Regressed,
    /// A scenario or metric that is no longer there.
    Missing,
}

/// One accepted regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    /// File it stands in.
    pub file: String,
    /// Its line there.
    pub line: usize,
    /// What it is about.
    #[serde(skip)]
    pub select: Select,
    /// What was accepted.
    pub kind: AcceptedKind,
    /// How much worse was accepted, as a share; more fails again. 0 for what is missing.
    pub size: f64,
    /// Why.
    pub reason: String,
    /// Who accepted it.
    pub by: String,
    /// Where that was decided.
    pub link: String,
    /// Last day on which it holds.
    pub expires: Date,
}
