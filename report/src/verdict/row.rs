//! One finding in words and numbers.

use super::bar::ChangeBar;
use crate::{
    format::{measured, number, percent_interval, signed_percent},
    words,
};
use serde::Serialize;
use shakedown_gate::{Comparison, policy::Share};

/// One metric of one side of one scenario.
#[derive(Debug, Clone, Serialize)]
pub struct ResultRow {
    /// Scenario id.
    pub scenario: String,
    /// Its first part: the whole is too long for a column.
    pub kind: String,
    /// Its other parts.
    pub parameters: String,
    /// Side.
    pub side: String,
    /// Metric and unit, as short as they can be said.
    pub measured: String,
    /// Median of base, or `–`.
    pub base: String,
    /// Median of head, or `–`.
    pub head: String,
    /// Head against base, in percent.
    pub change: String,
    /// The same as a share; `None` where there is no number.
    #[serde(skip)]
    pub change_share: Option<f64>,
    /// Its interval; empty where there is none.
    pub interval: String,
    /// Both and the margin in a picture; `None` where there is no number.
    pub bar: Option<ChangeBar>,
    /// What is tolerated.
    pub margin: String,
    /// Trials of base and head.
    pub n: String,
    /// The smallest change for the worse that would have been found.
    pub minimum_detectable_effect: String,
    /// Why.
    pub why: String,
}

impl ResultRow {
    pub(super) fn of(found: &Comparison) -> Self {
        let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
        let interval = found.low.zip(found.high);
        let detectable = found.minimum_detectable_effect;
        let scenario = found.scenario.to_string();
        let (kind, parameters) = scenario.split_once('/').unwrap_or((&scenario, ""));
        Self {
            kind: kind.to_owned(),
            parameters: parameters.to_owned(),
            side: found.side.to_string(),
            measured: measured(found.metric.name(), found.unit.name()),
            base: value(found.base),
            head: value(found.head),
            change: found.change.map_or_else(|| "–".to_owned(), signed_percent),
            change_share: found.change,
            interval: interval.map_or_else(String::new, |(low, high)| percent_interval(low, high)),
            bar: ChangeBar::of(found),
            margin: Share(found.settings.margin).to_string(),
            n: format!("{} + {}", found.base_trials, found.head_trials),
            minimum_detectable_effect: detectable
                .map_or_else(String::new, |share| Share(share).to_string()),
            why: words::why(found),
            scenario,
        }
    }

    /// How large the change is, in hundredths of a percent: what is closer than that stays in the
    /// order of the plan. What has no number is larger than anything.
    pub(super) fn size(&self) -> u64 {
        self.change_share.map_or(u64::MAX, |share| (share.abs() * 1e4) as u64)
    }
}
