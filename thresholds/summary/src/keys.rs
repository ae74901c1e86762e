//! Which numbers a run has, or should have.

use crate::{
    Absence, absence,
    series::{Key, Series, expected, places},
};
use shakedown_protocol::RunRecord;
use std::collections::BTreeSet;

/// Every key with values, and every key that the plan promises, in the plan's order.
///
/// A count that no subject has for a side, although its trials were counted, is not promised: of a
/// real server the load generator is not counted.
pub fn keys(record: &RunRecord, series: &Series<'_>) -> BTreeSet<Key> {
    let mut keys: BTreeSet<Key> = series.keys().map(|(_, key)| *key).collect();
    for (scenario, index) in places(record) {
        for metric in record.plan.meters.iter().flat_map(|meter| expected(&scenario, *meter)) {
            let sides = scenario.sides().iter();
            let promised = sides.map(|&side| Key { index, scenario, side, metric });
            keys.extend(promised.filter(|key| !is_not_counted(record, series, key)));
        }
    }
    keys
}

fn is_not_counted(record: &RunRecord, series: &Series<'_>, key: &Key) -> bool {
    let names = || record.subjects.iter().map(|entry| entry.name.as_str());
    let counted = |name| absence(record, name, key) == Absence::NotInTrials;
    key.metric.is_count()
        && !names().any(|name| series.contains_key(&(name, *key)))
        && names().any(counted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fixture, series::series};
    use shakedown_protocol::{Meter, Metric, Side, TrialOutcome};

    /// Sides of the keys of instructions, of a record in which these subjects count only these sides.
    fn sides(counted: &[(&str, Side)]) -> Vec<Side> {
        let mut record = fixture::record(&["a", "b"], &[fixture::FULL]);
        record.plan.meters = vec![Meter::Instructions];
        for (name, counts) in counted {
            fixture::count(&mut record, 0, name, fixture::FULL, Meter::Instructions, [5, 5]);
            let TrialOutcome::Measured(measured) = &mut record.trials.last_mut().unwrap().outcome
            else {
                panic!()
            };
            let other = measured.sides.iter_mut().filter(|side| side.side != *counts);
            other.for_each(|side| side.counts = None);
        }
        let series = series(&record);
        let found = keys(&record, &series).into_iter();
        found.filter(|key| key.metric == Metric::Instructions).map(|key| key.side).collect()
    }

    #[test]
    fn a_side_that_nobody_counts_is_not_promised() {
        assert_eq!(sides(&[]), [Side::Client, Side::Server], "nothing was measured yet");
        assert_eq!(sides(&[("a", Side::Server)]), [Side::Server]);
        assert_eq!(sides(&[("a", Side::Server), ("b", Side::Server)]), [Side::Server]);
        let both = [("a", Side::Server), ("b", Side::Client)];
        assert_eq!(sides(&both), [Side::Client, Side::Server], "one lacks what the other has");
    }
}
