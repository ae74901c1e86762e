//! How much a host's measurements move when nothing has changed.

use crate::{Metric, Scenario, Side};
use serde::{Deserialize, Serialize};

/// Spread of unchanged code between freshly linked builds, for one metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetricNoise {
    /// The scenario.
    pub scenario: Scenario,
    /// The side.
    pub side: Side,
    /// The metric.
    pub metric: Metric,
    /// Pairs of links of unchanged code against itself that this was learned from. Comparisons once ran
    /// one pair of links in each block: hence the name.
    pub blocks: u32,
    /// Standard deviation of the log ratio of one link of each side, each measured in ten pairs of
    /// trials; in millionths.
    pub sigma_ppm: u32,
    /// The part of it that is no luck of the layout: the standard deviation from one pair of trials
    /// of the same two links to the next, in millionths. Older calibrations do not tell the two
    /// apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair_ppm: Option<u32>,
}

/// The noise of one host epoch, learned from unchanged code only: thresholds learned from
/// changing code would grow with every real regression.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Calibration {
    /// Id of the epoch that it holds for.
    pub epoch: String,
    /// Ids of the runs that it was learned from.
    pub runs: Vec<String>,
    /// One entry a scenario, side and metric.
    pub noise: Vec<MetricNoise>,
}
