//! One finding in words and numbers.

use super::bar::ChangeBar;
use crate::{
    format::{change_and_interval, count, measured, moved, number},
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
    /// Head minus base, of a count that moved; else empty.
    pub moved: String,
    /// The same as a number.
    #[serde(skip)]
    pub difference: Option<f64>,
    /// Head against base, in percent.
    pub change: String,
    /// The same as a share; `None` where there is no number.
    #[serde(skip)]
    pub change_share: Option<f64>,
    /// Whether it is counted, and not timed.
    #[serde(skip)]
    pub counted: bool,
    /// Its interval; empty where there is none.
    pub interval: String,
    /// Both and the margin in a picture; `None` where there is no number.
    pub bar: Option<ChangeBar>,
    /// Processes that measured base and head.
    pub processes: String,
    /// The smallest change for the worse that would have been found.
    pub minimum_detectable_effect: String,
    /// Why.
    pub why: String,
}

impl ResultRow {
    pub(super) fn of(found: &Comparison) -> Self {
        let counted = found.metric.is_count();
        let show = if counted { count } else { number };
        let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), show);
        let ends = found.base.zip(found.head).filter(|_| counted);
        // A share of nothing is none.
        let nothing = found.base == Some(0.0) && found.head == Some(0.0);
        let change = found.change.filter(|_| !nothing);
        let words = change.map(|share| change_and_interval(share, found.low.zip(found.high)));
        let (change, interval) = words.unwrap_or_else(|| ("–".to_owned(), String::new()));
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
            moved: ends.map_or_else(String::new, |(base, head)| moved(base, head)),
            difference: ends.map(|(base, head)| head - base),
            change,
            change_share: found.change,
            counted,
            interval,
            bar: ChangeBar::of(found).filter(|_| !nothing),
            processes: format!("{} + {} processes", found.base_trials, found.head_trials),
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
