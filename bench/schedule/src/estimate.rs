//! How long the rest will take.

use crate::order::PlannedTrial;
use shakedown_protocol::{HostWatch, Meter, RunPlan, Scenario};
use std::{collections::BTreeMap, time::Duration};

/// What a process costs besides measuring, until one was seen.
const OVERHEAD_MS: u64 = 50;

/// Learns how long trials take.
#[derive(Debug, Default)]
pub(crate) struct DurationEstimate {
    /// Sum in microseconds, and number, of each cell.
    seen: BTreeMap<(Scenario, Meter), (u64, u64)>,
}

impl DurationEstimate {
    /// Takes note of a trial.
    pub fn learn(&mut self, place: &PlannedTrial, watch: &HostWatch) {
        let (sum, count) = self.seen.entry((place.scenario, place.meter)).or_default();
        *sum += watch.wall_us;
        *count += 1;
    }

    /// How long these trials will take: as their like took before, or else as all did, or
    /// else as the plan says.
    pub fn of(&self, plan: &RunPlan, rest: &[&PlannedTrial]) -> Duration {
        let planned =
            (u64::from(plan.warm_up_ms) + u64::from(plan.measure_ms) + OVERHEAD_MS) * 1000;
        let all = self.seen.values().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let mean = |(sum, count): (u64, u64)| sum.checked_div(count);
        let any = mean(all).unwrap_or(planned);
        let one = |place: &&PlannedTrial| {
            self.seen
                .get(&(place.scenario, place.meter))
                .and_then(|seen| mean(*seen))
                .unwrap_or(any)
        };
        Duration::from_micros(rest.iter().map(one).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{order::planned_trials, testing::plan};

    #[test]
    fn it_learns() {
        let places = planned_trials(&plan(), 1);
        let rest: Vec<&PlannedTrial> = places.iter().collect();
        let mut estimate = DurationEstimate::default();
        assert_eq!(estimate.of(&plan(), &rest), Duration::from_millis(61 * 15));
        let took = |wall_us| HostWatch { wall_us, ..HostWatch::default() };
        estimate.learn(&places[0], &took(1_000_000));
        assert_eq!(estimate.of(&plan(), &rest), Duration::from_secs(15), "like the one seen");
        estimate.learn(&places[1], &took(3_000_000));
        // Three of each of the two seen, nine of the mean of both.
        assert_eq!(estimate.of(&plan(), &rest), Duration::from_secs(3 + 9 + 9 * 2));
        assert_eq!(estimate.of(&plan(), &[]), Duration::ZERO);
    }
}
