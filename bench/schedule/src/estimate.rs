//! How long the rest will take.

use crate::order::PlannedTrial;
use shakedown_protocol::{HostWatch, Meter, RunPlan, Scenario, Trial};
use std::{collections::BTreeMap, time::Duration};

/// What a process costs besides measuring, until one was seen.
const OVERHEAD_MS: u64 = 50;

/// How many trials of a meter an assumption weighs, and how many of a scenario what is known of its
/// meter: a single trial that is unlike the others must not move the estimate of all the rest.
const WEIGHT: f64 = 2.0;

/// Sum in seconds, and number.
type Seen = (f64, f64);

/// Learns how long trials take.
#[derive(Debug, Default)]
pub(crate) struct DurationEstimate {
    meters: BTreeMap<Meter, Seen>,
    cells: BTreeMap<(Scenario, Meter), Seen>,
}

impl DurationEstimate {
    /// What the trials of a record tell, so that a resumed run knows at once.
    pub fn of_trials(trials: &[Trial]) -> Self {
        let mut known = Self::default();
        for trial in trials {
            known.add((trial.scenario, trial.meter), &trial.watch);
        }
        known
    }

    /// Takes note of a trial.
    pub fn learn(&mut self, place: &PlannedTrial, watch: &HostWatch) {
        self.add((place.scenario, place.meter), watch);
    }

    fn add(&mut self, cell: (Scenario, Meter), watch: &HostWatch) {
        let seconds = watch.wall_us as f64 / 1e6;
        for seen in [self.meters.entry(cell.1).or_default(), self.cells.entry(cell).or_default()] {
            *seen = (seen.0 + seconds, seen.1 + 1.0);
        }
    }

    /// How long these trials will take: each like its own kind so far, as far as that was seen, or
    /// like those of its meter, or as the plan says.
    pub fn of(&self, plan: &RunPlan, rest: &[&PlannedTrial]) -> Duration {
        let mut counts: BTreeMap<(Scenario, Meter), f64> = BTreeMap::new();
        for place in rest {
            *counts.entry((place.scenario, place.meter)).or_default() += 1.0;
        }
        let one = |(cell, count): (&(Scenario, Meter), &f64)| {
            let meter = blend(self.meters.get(&cell.1), assumed(plan, cell.1));
            count * blend(self.cells.get(cell), meter)
        };
        Duration::from_secs_f64(counts.iter().map(one).sum())
    }
}

/// What was seen, with an assumption that weighs as much as [`WEIGHT`] trials.
fn blend(seen: Option<&Seen>, assumed: f64) -> f64 {
    let (sum, count) = seen.copied().unwrap_or_default();
    (sum + WEIGHT * assumed) / (count + WEIGHT)
}

/// What a trial takes in seconds, as the plan says. Counting trials are as long as their operations; those of
/// locks last as long as timed ones on several threads, and at most as long on one.
fn assumed(plan: &RunPlan, meter: Meter) -> f64 {
    let measuring = match meter {
        Meter::Time => u64::from(plan.warm_up_ms) + u64::from(plan.measure_ms),
        Meter::Locks => u64::from(plan.measure_ms),
        Meter::Heap | Meter::Instructions => 0,
    };
    (measuring + OVERHEAD_MS) as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{order::planned_trials, testing::plan};
    use proptest::prelude::*;

    fn took(wall_us: u64) -> HostWatch {
        HostWatch { wall_us, ..HostWatch::default() }
    }

    #[test]
    fn it_learns() {
        let places = planned_trials(&plan(), 1);
        let rest: Vec<&PlannedTrial> = places.iter().collect();
        let mut estimate = DurationEstimate::default();
        // Nine are timed, six counted.
        assert_eq!(estimate.of(&plan(), &rest), Duration::from_millis(61 * 9 + 50 * 6));
        for _ in 0..1000 {
            places.iter().for_each(|place| estimate.learn(place, &took(1_000_000)));
        }
        let learned = estimate.of(&plan(), &rest).as_secs_f64();
        assert!((learned - 15.0).abs() < 0.1, "{learned}");
        assert_eq!(estimate.of(&plan(), &[]), Duration::ZERO);
    }

    proptest! {
        /// While work goes on steadily, each kind of trial in a time of its own, be it sixty times that of
        /// another: from a tenth of the work on, the end that is foretold is within a factor of 1.6, and
        /// no trial moves it by more than a quarter.
        #[test]
        fn the_end_does_not_jump(
            seconds in prop::collection::vec(0.05_f64..3.0, 3), swap in any::<prop::sample::Index>(),
        ) {
            let mut plan = plan();
            plan.blocks = 20;
            let mut places = planned_trials(&plan, 1);
            let at = swap.index(places.len());
            places.swap(0, at);
            let of = |place: &PlannedTrial| {
                let index = plan.scenarios.iter().position(|one| *one == place.scenario);
                seconds[index.unwrap_or_default() % seconds.len()]
            };
            let whole: f64 = places.iter().map(of).sum();
            let (mut estimate, mut spent) = (DurationEstimate::default(), 0.0);
            let (mut last, count): (Option<f64>, usize) = (None, places.len());
            for (index, place) in places.iter().enumerate() {
                spent += of(place);
                estimate.learn(place, &took((of(place) * 1e6) as u64));
                let rest: Vec<&PlannedTrial> = places[index + 1..].iter().collect();
                let end = spent + estimate.of(&plan, &rest).as_secs_f64();
                if index * 10 >= count {
                    prop_assert!((1.0 / 1.6..1.6).contains(&(end / whole)), "{end} of {whole} at {index}");
                    if let Some(last) = last {
                        prop_assert!((end / last - 1.0).abs() < 0.25, "{last} to {end}");
                    }
                    last = Some(end);
                }
            }
            prop_assert!((spent / whole - 1.0).abs() < 1e-9);
        }
    }
}
