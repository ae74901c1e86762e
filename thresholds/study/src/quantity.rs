//! One side of a claim's ratio, and its value in each block.

use shakedown_protocol::{Better, Metric, RunRecord, Scenario, Side, Subject};
use shakedown_summary::{
    Absence, absence, by_block,
    series::{Key, Series, places},
};
use std::collections::BTreeMap;

/// What is measured: one metric of one subject in one scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// Id of the run in the study.
    pub run: String,
    /// The subject, as the run names it.
    pub subject: Subject,
    /// The scenario.
    pub scenario: Scenario,
    /// One side, or two that do their work one after the other.
    pub sides: Vec<Side>,
    /// The metric.
    pub metric: Metric,
}

impl Quantity {
    /// Its value in each block of the record, or why there is none.
    pub(crate) fn values(
        &self,
        record: &RunRecord,
        series: &Series<'_>,
    ) -> Result<BTreeMap<u32, f64>, Missing> {
        let entry = record.subjects.iter().find(|entry| entry.asked == self.subject);
        let entry = entry.ok_or(Missing::Subject)?;
        let index = *places(record).get(&self.scenario).ok_or(Missing::Subject)?;
        let mut sides = Vec::with_capacity(self.sides.len());
        for &side in &self.sides {
            let key = Key { index, scenario: self.scenario, side, metric: self.metric };
            let points = series.get(&(entry.name.as_str(), key)).map_or(&[][..], Vec::as_slice);
            if points.is_empty() {
                return Err(Missing::Values(absence(record, &entry.name, &key)));
            }
            sides.push(by_block(points));
        }
        Ok(together(self.metric.better(), &sides))
    }
}

/// Why a quantity has no values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Missing {
    /// The record does not have the subject, or the scenario.
    Subject,
    /// There are no values of it.
    Values(Absence),
}

/// The value of all sides together, in the blocks that have each of them: costs add up, and so do
/// the times behind rates.
fn together(better: Better, sides: &[BTreeMap<u32, f64>]) -> BTreeMap<u32, f64> {
    let [first, others @ ..] = sides else { return BTreeMap::new() };
    if others.is_empty() {
        return first.clone();
    }
    let sum = |block: &u32| {
        let each = sides.iter().map(|side| {
            side.get(block)
                .map(|value| if better == Better::Higher { value.recip() } else { *value })
        });
        let sum: f64 = each.sum::<Option<f64>>()?;
        Some((*block, if better == Better::Higher { sum.recip() } else { sum }))
    };
    first.keys().filter_map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_two_sides_add_up() {
        let (client, server) = ([(0, 300.0), (1, 1.0)].into(), [(0, 600.0)].into());
        let rates = together(Better::Higher, &[client, server]);
        assert_eq!(rates.keys().copied().collect::<Vec<_>>(), [0]);
        assert!((rates[&0] - 200.0).abs() < 1e-9, "{rates:?}");
        let costs = together(Better::Lower, &[[(0, 3.0)].into(), [(0, 4.0)].into()]);
        assert_eq!(costs, [(0, 7.0)].into());
    }
}
