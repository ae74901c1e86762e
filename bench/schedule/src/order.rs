//! The order of the trials.

use crate::{ScenarioMeter, random::SeededRng};
use shakedown_protocol::{Meter, RunPlan, Scenario};

/// One planned trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlannedTrial {
    /// Block, counted from 0.
    pub block: u32,
    /// Position within the block.
    pub position: u32,
    /// Index of the subject.
    pub subject: usize,
    /// Link to run, counted on beyond those that the subject has.
    pub link: u32,
    /// What is measured.
    pub scenario: Scenario,
    /// The meter.
    pub meter: Meter,
}

/// Whether `meter` applies to `scenario`. Counting meters do not apply where a process has one operation
/// only. Those of allocations and instructions do not apply to several threads, because their counts
/// repeat exactly only on one, nor to a number of connections at once: a server is counted one operation after
/// the other.
pub(crate) fn measures(meter: Meter, scenario: &Scenario) -> bool {
    match meter {
        Meter::Time => true,
        Meter::Locks => scenario.repeats(),
        Meter::Heap | Meter::Instructions => {
            let one = scenario.threads().get() == 1 && scenario.connections().is_none();
            scenario.repeats() && one
        }
    }
}

/// Whether a scenario with a meter is counted. Counts need few trials and the host does not disturb
/// them. Peak memory belongs to them although it is read under the time meter. Locks of several threads do
/// not: how often they wait depends on the CPUs that they have to themselves.
pub(crate) fn is_counted((scenario, meter): &ScenarioMeter) -> bool {
    match meter {
        Meter::Time => scenario.is_memory(),
        Meter::Heap | Meter::Instructions => true,
        Meter::Locks => scenario.threads().get() == 1,
    }
}

/// Every scenario with each meter that applies to it, in the plan's order.
pub(crate) fn cells(plan: &RunPlan) -> Vec<ScenarioMeter> {
    let cell = |scenario: &Scenario| {
        let scenario = *scenario;
        let fitting = plan.meters.iter().filter(move |meter| measures(**meter, &scenario));
        fitting.map(move |meter| (scenario, *meter))
    };
    plan.scenarios.iter().flat_map(cell).collect()
}

/// Every trial of a plan over `subjects` subjects, in order of execution but for counts, which need no
/// order. Each block has the cells in random order; within a cell the subjects run back to back, also in
/// random order. The result depends on the arguments only, and must stay the same in later versions: `--resume`
/// relies on it.
pub(crate) fn planned_trials(plan: &RunPlan, subjects: usize) -> Vec<PlannedTrial> {
    (0..plan.blocks).flat_map(|block| round(plan, subjects, block)).collect()
}

fn round(plan: &RunPlan, subjects: usize, block: u32) -> Vec<PlannedTrial> {
    let mut stream = SeededRng::new(plan.seed, u64::from(block));
    let mut cells = cells(plan);
    stream.shuffle(&mut cells);
    let mut places = Vec::with_capacity(cells.len() * subjects);
    for (scenario, meter) in cells {
        let mut turn: Vec<usize> = (0..subjects).collect();
        stream.shuffle(&mut turn);
        for subject in turn {
            let position = places.len() as u32;
            places.push(PlannedTrial { block, position, subject, link: block, scenario, meter });
        }
    }
    places
}

/// Size of the padding in a trial's environment, in bytes. It moves the start of the stack from
/// trial to trial.
pub(crate) fn pad(seed: u64, block: u32, position: u32) -> u32 {
    /// One page: the kernel's stack randomisation does not cover offsets within a page.
    const MOST: u32 = 4096;
    // Blocks use the lower half of the stream numbers.
    let number = 1 << 63 | u64::from(block) << 32 | u64::from(position);
    SeededRng::new(seed, number).below(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::plan;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_order_stays_the_same_forever() {
        let plan = RunPlan { seed: 7, blocks: 2, ..plan() };
        let told: Vec<String> = planned_trials(&plan, 2)
            .iter()
            .map(|p| {
                let PlannedTrial { block, position, subject, scenario, meter, .. } = p;
                format!("{block}.{position} subject {subject} {meter:?} {scenario}")
            })
            .collect();
        insta::assert_snapshot!(told.join("\n"));
        let pads: Vec<u32> = (0..8).map(|position| pad(7, 0, position)).collect();
        insta::assert_snapshot!(format!("{pads:?}"));
    }

    #[test]
    fn counting_meters_keep_to_what_they_can_count() {
        let memory: Scenario =
            "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-10".parse().unwrap();
        let threads: Scenario =
            "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-2".parse().unwrap();
        for scenario in [memory, threads] {
            assert!(measures(Meter::Time, &scenario));
            assert!(!measures(Meter::Heap, &scenario));
            assert!(!measures(Meter::Instructions, &scenario));
        }
        let id = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-1KiB/connections-100";
        let at_once = id.parse().unwrap();
        assert!(measures(Meter::Time, &at_once) && !measures(Meter::Instructions, &at_once));
        assert!(measures(Meter::Locks, &threads) && !measures(Meter::Locks, &memory));
        assert!(!is_counted(&(threads, Meter::Locks)), "they need their CPUs to themselves");
    }

    proptest! {
        #[test]
        fn each_block_has_everything_once_and_subjects_side_by_side(
            seed: u64, blocks in 1u32..5, subjects in 1usize..5,
        ) {
            let plan = RunPlan { seed, blocks, ..plan() };
            let all = planned_trials(&plan, subjects);
            let each = cells(&plan).len() * subjects;
            prop_assert_eq!(all.len(), each * blocks as usize);
            for (block, round) in all.chunks(each).enumerate() {
                let distinct: BTreeSet<_> =
                    round.iter().map(|p| (p.subject, p.scenario, p.meter)).collect();
                prop_assert_eq!(distinct.len(), each);
                for (index, place) in round.iter().enumerate() {
                    prop_assert_eq!((place.block as usize, place.position as usize), (block, index));
                }
                for side_by_side in round.chunks(subjects) {
                    let cells: BTreeSet<_> =
                        side_by_side.iter().map(|p| (p.scenario, p.meter)).collect();
                    prop_assert_eq!(cells.len(), 1);
                }
            }
        }
    }
}
