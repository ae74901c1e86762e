//! The judgement on a whole record.

use super::{comparison::Comparison, consequence::Consequence};
use crate::{rule::Verdict, unchanged::Difference};
use serde::{Deserialize, Serialize};
use shakedown_protocol::{Meter, Scenario};
use std::collections::BTreeSet;

/// How many comparisons have which verdict. Those that can't fail are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictCounts {
    /// Worse.
    pub regressed: usize,
    /// Worse, and accepted.
    pub accepted: usize,
    /// Better.
    pub improved: usize,
    /// Unchanged.
    pub unchanged: usize,
    /// Not decided.
    pub inconclusive: usize,
    /// Gone.
    pub missing: usize,
    /// Broken.
    pub broken: usize,
}

/// What a reader of a judgement must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum JudgementWarning {
    /// The noise of some timed comparison is assumed, because the host is not calibrated.
    NotCalibrated,
    /// Base or head was linked once only, so that the luck of the layout may look like a change.
    NotRelinked,
    /// The driver uses other forms of the library's API in base than in head.
    ApiDiffers {
        /// The parts of the API that differ.
        surfaces: Vec<String>,
    },
    /// The run did not finish.
    Unfinished,
}

/// Everything that was decided about a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Id of the record.
    pub run: String,
    /// Name of the policy's file.
    pub policy: String,
    /// Name of base.
    pub base: String,
    /// Name of head.
    pub head: String,
    /// Whether base and head are the same code: an A/A comparison.
    pub same_code: bool,
    /// Whether every timed comparison was judged by the noise of this host.
    pub calibrated: bool,
    /// Timed tests that were judged jointly.
    pub tests: usize,
    /// Share of comparisons of unchanged code that may fail by chance in any of them; 0 where that is not known.
    #[serde(default)]
    pub false_alarms: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// What follows from it: the gravest consequence of a comparison.
    pub consequence: Consequence,
    /// How many comparisons have which verdict.
    pub counts: VerdictCounts,
    /// What else differs between base and head than the source of the library.
    pub differences: Vec<Difference>,
    /// What a reader must know.
    pub warnings: Vec<JudgementWarning>,
    /// Every comparison, in the plan's order.
    pub comparisons: Vec<Comparison>,
}

impl Judgement {
    /// What further trials could still decide: scenarios, each with the instruments that are
    /// wanted.
    pub fn open(&self) -> BTreeSet<(Scenario, Meter)> {
        self.comparisons
            .iter()
            // A metric that can't fail is no reason to measure on.
            .filter(|found| found.open && found.is_gated())
            .map(|found| (found.scenario, shakedown_summary::series::meter(found.metric)))
            .collect()
    }
}
