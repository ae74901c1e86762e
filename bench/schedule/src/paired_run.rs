//! A paired run: base against head in ABBA groups, until the stopping rule has decided every cell.
//!
//! A block runs one link of each subject, in rounds. In each round every undecided cell (a
//! scenario with a meter) gets one ABBA group: four consecutive trials in the order base, head,
//! head, base, or the reverse. Linear drift of the host cancels within a group. A short
//! disturbance affects one group of a cell instead of its whole block.
//!
//! The next trial depends only on the plan, the stopping rule and the record. A resumed run
//! therefore continues exactly where the killed one stopped.

use crate::{
    RunEvent, ScheduleError,
    order::{PlannedTrial, cells},
    random::SeededRng,
    runner::{TrialRunner, TrialStep},
    stopping_rule::{ComparisonBudget, ScenarioMeter, StoppingRule},
};
use shakedown_protocol::{Meter, Metric, RunRecord, ScenarioKind, Side, Trial};
use std::{collections::BTreeMap, time::Duration};

/// A comparison in progress.
pub(crate) struct PairedRun<'a, 'w> {
    runner: &'a mut TrialRunner<'w>,
    budget: ComparisonBudget,
    /// Trials of the killed run that were not replayed yet, by block and position.
    recorded: BTreeMap<(u32, u32), Trial>,
    /// The record up to the current trial: what the stopping rule may see.
    replayed: RunRecord,
    /// Trials left if nothing more is decided, without repeats. Used for the time estimate.
    rest: Vec<PlannedTrial>,
}

/// A block in progress.
struct BlockState {
    number: u32,
    /// Position of the next trial.
    position: u32,
    /// ABBA groups that may still be repeated.
    repeats: u32,
}

impl<'a, 'w> PairedRun<'a, 'w> {
    pub(crate) fn new(runner: &'a mut TrialRunner<'w>, budget: ComparisonBudget) -> Self {
        let record = runner.file.record();
        let recorded = record.trials.iter().cloned();
        let recorded = recorded.map(|trial| ((trial.block, trial.position), trial)).collect();
        let replayed = RunRecord { trials: vec![], unsupported: vec![], ..record.clone() };
        Self { runner, budget, recorded, replayed, rest: Vec::new() }
    }

    /// Returns the total number of trials.
    pub(crate) fn run(&mut self, rule: &mut dyn StoppingRule) -> Result<u64, ScheduleError> {
        let mut open = cells(self.runner.plan);
        let done = self.recorded.len() as u64;
        self.rest = self.planned_from(0, &open);
        let planned = done.max(self.rest.len() as u64);
        self.runner.events.on(&RunEvent::Begun { planned, done, at_most: true });
        for number in 0..self.runner.plan.blocks {
            self.run_block(number, &open)?;
            let undecided = rule.undecided(&self.replayed);
            open.retain(|cell| undecided.contains(cell) && self.has_block_left(number + 1, cell));
            self.rest = self.planned_from(number + 1, &open);
            let left = self.runner.left(&self.rest).min(self.time_left());
            let (blocks, cells) = (self.runner.plan.blocks, open.len());
            let judged = RunEvent::Judged { block: number, blocks, open: cells, left };
            self.runner.events.on(&judged);
            if open.is_empty() || self.out_of_time() {
                break;
            }
        }
        if self.recorded.is_empty() {
            return Ok(self.runner.file.record().trials.len() as u64);
        }
        let text = "the record holds trials that this comparison would not have run";
        Err(ScheduleError::Differs(vec![text.to_owned()]))
    }

    fn run_block(&mut self, number: u32, cells: &[ScenarioMeter]) -> Result<(), ScheduleError> {
        let timed = cells.iter().filter(|cell| !is_counted(cell)).count() as u32;
        let rounds = self.rounds();
        let mut block =
            BlockState { number, position: 0, repeats: timed * rounds * self.budget.repeats / 100 };
        for round in 0..rounds {
            if round > 0 && self.out_of_time() {
                break;
            }
            let mut order = SeededRng::new(self.runner.plan.seed, stream(number, round));
            let mut order_of_cells: Vec<ScenarioMeter> =
                cells.iter().copied().filter(|cell| round == 0 || !is_counted(cell)).collect();
            order.shuffle(&mut order_of_cells);
            let mut disturbed = Vec::new();
            for cell in order_of_cells {
                let flawed = self.abba_group(&mut block, cell, &mut order)?;
                if flawed && !is_counted(&cell) {
                    disturbed.push(cell);
                }
            }
            // Repeat at the end of the round: the disturbance may be over by then.
            for cell in disturbed {
                if block.repeats == 0 {
                    break;
                }
                block.repeats -= 1;
                self.abba_group(&mut block, cell, &mut order)?;
            }
        }
        Ok(())
    }

    /// Runs four trials of a cell and returns whether the host disturbed any of them. Two suffice where
    /// they count the same. Skips a cell that one subject does not support, because there is nothing to
    /// compare.
    fn abba_group(
        &mut self,
        block: &mut BlockState,
        cell: ScenarioMeter,
        order: &mut SeededRng,
    ) -> Result<bool, ScheduleError> {
        let first = order.below(2) as usize;
        let mut flawed = false;
        let before = self.replayed.trials.len();
        for (number, subject) in [first, 1 - first, 1 - first, first].into_iter().enumerate() {
            if number == 2 && is_counted(&cell) && same_counts(&self.replayed.trials[before..]) {
                block.position += 2;
                break;
            }
            // A skipped trial keeps its position, so that finding a cell unsupported does not
            // renumber the trials after it.
            let position = block.position;
            block.position += 1;
            let place = PlannedTrial {
                block: block.number,
                position,
                subject,
                scenario: cell.0,
                meter: cell.1,
            };
            let unsupported = self.runner.unsupported();
            if [0, 1].iter().any(|&subject| unsupported.has(&PlannedTrial { subject, ..place })) {
                continue;
            }
            flawed |= self.run_or_replay(&place)?;
        }
        Ok(flawed)
    }

    /// Takes a trial from the record, or runs it. Returns whether it is flawed.
    fn run_or_replay(&mut self, place: &PlannedTrial) -> Result<bool, ScheduleError> {
        // A repeat was not planned, and takes nothing from the blocks after this one.
        let of = |place: &PlannedTrial| (place.block, place.scenario, place.meter);
        let same = |other: &PlannedTrial| of(other) == of(place);
        if let Some(index) = self.rest.iter().position(same) {
            self.rest.swap_remove(index);
        }
        let limit = self.time_left();
        let trial = match self.recorded.remove(&(place.block, place.position)) {
            Some(trial) => {
                self.ensure_planned(place, &trial)?;
                trial
            }
            None => match self.runner.trial(place, &self.rest, limit)? {
                TrialStep::Saved(trial) => *trial,
                TrialStep::Unsupported => {
                    self.replayed.unsupported.clone_from(&self.runner.file.record().unsupported);
                    return Ok(false);
                }
            },
        };
        let flawed = !trial.flaws.is_empty();
        self.replayed.trials.push(trial);
        Ok(flawed)
    }

    /// Fails if a recorded trial is not the one planned at its position.
    fn ensure_planned(&self, place: &PlannedTrial, trial: &Trial) -> Result<(), ScheduleError> {
        let subject = &self.runner.subjects[place.subject].entry.name;
        let planned = (subject, place.scenario, place.meter);
        if planned == (&trial.subject, trial.scenario, trial.meter) {
            return Ok(());
        }
        let text = format!(
            "trial {}.{} is of {} `{}`, planned is {subject} `{}`",
            place.block, place.position, trial.subject, trial.scenario, place.scenario
        );
        Err(ScheduleError::Differs(vec![text]))
    }

    /// Rounds in a block. Each ABBA group holds two pairs.
    const fn rounds(&self) -> u32 {
        self.budget.pairs.div_ceil(2)
    }

    /// Whether `cell` is measured in block `number`.
    fn has_block_left(&self, number: u32, cell: &ScenarioMeter) -> bool {
        number < self.runner.plan.blocks
            && (!is_counted(cell) || number * 2 < self.budget.count_runs)
    }

    /// The trials of a block without repeats, in no particular order, for the time estimate.
    fn planned_trials(&self, number: u32, cells: &[ScenarioMeter]) -> Vec<PlannedTrial> {
        let mut places = Vec::new();
        for &(scenario, meter) in cells.iter().filter(|cell| self.has_block_left(number, cell)) {
            let groups = if is_counted(&(scenario, meter)) { 1 } else { self.rounds() };
            for subject in [0, 1].into_iter().cycle().take(4 * groups as usize) {
                places.push(PlannedTrial { block: number, position: 0, subject, scenario, meter });
            }
        }
        places
    }

    /// The trials of all blocks from `number` on, if nothing more is decided.
    fn planned_from(&self, number: u32, cells: &[ScenarioMeter]) -> Vec<PlannedTrial> {
        let blocks = number..self.runner.plan.blocks;
        blocks.flat_map(|number| self.planned_trials(number, cells)).collect()
    }

    /// What is left of the time budget. Sums the recorded wall times of the trials, so that a
    /// resumed run stops at the same point.
    fn time_left(&self) -> Duration {
        let spent: u64 = self.replayed.trials.iter().map(|trial| trial.watch.wall_us).sum();
        let all = u64::from(self.budget.minutes) * 60_000_000;
        Duration::from_micros(all.saturating_sub(spent))
    }

    /// Whether the time budget is spent.
    fn out_of_time(&self) -> bool {
        self.time_left().is_zero()
    }
}

/// Whether a cell is counted. Counts need few trials and the host does not disturb them. Peak
/// memory belongs to them although it is read under the time meter.
pub(crate) fn is_counted(cell: &ScenarioMeter) -> bool {
    cell.1 != Meter::Time || matches!(cell.0.kind, ScenarioKind::Memory { .. })
}

/// Whether these are two trials that counted exactly the same: then the count repeats, and nothing
/// changed.
fn same_counts(trials: &[Trial]) -> bool {
    let counts = |trial: &Trial| -> Vec<(Side, Metric, f64)> {
        trial.values().into_iter().filter(|(_, metric, _)| metric.is_count()).collect()
    };
    match trials {
        [one, other] => !counts(one).is_empty() && counts(one) == counts(other),
        _ => false,
    }
}

/// Random stream of a round. Must not collide with the streams in `order`.
fn stream(block: u32, round: u32) -> u64 {
    1 << 62 | u64::from(block) << 24 | u64::from(round)
}
