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
    Event, Observer, ScheduleError, Session,
    execute::{Executor, Processes},
    order::{PlannedTrial, cells},
    random::SeededRng,
    runner::{TrialOutcome, TrialRunner},
    session::SessionStart,
};
use shakedown_protocol::{Kind, Meter, RunRecord, Scenario, Trial};
use std::collections::{BTreeMap, BTreeSet};

/// A scenario with a meter.
pub type Cell = (Scenario, Meter);

/// The largest amount of measuring that a comparison may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonBudget {
    /// Pairs of timed trials in a block, rounded up to an even number. The plan sets the number of
    /// blocks.
    pub pairs: u32,
    /// Trials of each subject in counted cells (and of peak memory), over all blocks. Each block
    /// runs two.
    pub count_runs: u32,
    /// ABBA groups that may be repeated in each block because the host disturbed them, in percent
    /// of the block's timed groups.
    pub repeats: u32,
    /// No round starts after this many minutes of measuring.
    pub minutes: u32,
}

/// Decides after each block which cells need more trials (a group sequential design).
pub trait StoppingRule {
    /// The cells that are undecided. Must depend on the record only, or a resumed run would
    /// diverge.
    fn undecided(&mut self, record: &RunRecord) -> BTreeSet<Cell>;
}

impl<F: FnMut(&RunRecord) -> BTreeSet<Cell>> StoppingRule for F {
    fn undecided(&mut self, record: &RunRecord) -> BTreeSet<Cell> {
        self(record)
    }
}

/// Compares the session's two subjects, base first, for at most the plan's number of blocks.
/// `rule` is evaluated after each block.
///
/// # Errors
/// As [`run`](crate::run).
pub fn compare(
    session: Session,
    budget: ComparisonBudget,
    rule: &mut dyn StoppingRule,
    events: &mut dyn Observer,
) -> Result<RunRecord, ScheduleError> {
    SessionStart::New.compare(session, budget, rule, &mut Processes::here(), events)
}

/// Resumes a comparison that was killed.
///
/// # Errors
/// As [`resume`](crate::resume). Also fails if the record holds trials that this comparison would
/// not have run.
pub fn resume_comparison(
    session: Session,
    budget: ComparisonBudget,
    rule: &mut dyn StoppingRule,
    events: &mut dyn Observer,
) -> Result<RunRecord, ScheduleError> {
    SessionStart::Resume.compare(session, budget, rule, &mut Processes::here(), events)
}

impl SessionStart {
    pub(crate) fn compare(
        self,
        session: Session,
        budget: ComparisonBudget,
        rule: &mut dyn StoppingRule,
        executor: &mut dyn Executor,
        events: &mut dyn Observer,
    ) -> Result<RunRecord, ScheduleError> {
        let unfit = |text: &str| Err(ScheduleError::Unfit(text.to_owned()));
        if session.subjects.len() != 2 {
            return unfit("a comparison has two subjects: base and head");
        }
        if budget.pairs == 0 || budget.count_runs == 0 || budget.minutes == 0 {
            return unfit("a comparison needs pairs, count runs and minutes above zero");
        }
        self.with_runner(session, executor, events, |runner| {
            let recorded = runner.file.record().trials.clone();
            let mut paired_run = PairedRun {
                recorded: recorded
                    .into_iter()
                    .map(|trial| ((trial.block, trial.position), trial))
                    .collect(),
                replayed: RunRecord {
                    trials: vec![],
                    unsupported: vec![],
                    ..runner.file.record().clone()
                },
                budget,
                rest: Vec::new(),
                runner,
            };
            paired_run.run(rule)
        })
    }
}

/// A comparison in progress.
struct PairedRun<'a, 'w> {
    runner: &'a mut TrialRunner<'w>,
    budget: ComparisonBudget,
    /// Trials of the killed run that were not replayed yet, by block and position.
    recorded: BTreeMap<(u32, u32), Trial>,
    /// The record up to the current trial: what the stopping rule may see.
    replayed: RunRecord,
    /// Trials left in this block, without repeats. Used for the time estimate.
    rest: Vec<PlannedTrial>,
}

/// A block in progress.
struct Block {
    number: u32,
    /// Position of the next trial.
    position: u32,
    /// ABBA groups that may still be repeated.
    repeats: u32,
}

impl PairedRun<'_, '_> {
    /// Returns the total number of trials.
    fn run(&mut self, rule: &mut dyn StoppingRule) -> Result<u64, ScheduleError> {
        let mut open = cells(self.runner.plan);
        let done = self.recorded.len() as u64;
        let planned = done.max(self.planned_trials(0, &open).len() as u64);
        self.runner.events.on(&Event::Begun { planned, done });
        for number in 0..self.runner.plan.blocks {
            self.run_block(number, &open)?;
            let undecided = rule.undecided(&self.replayed);
            open.retain(|cell| undecided.contains(cell) && self.has_block_left(number + 1, cell));
            let cells = open.len();
            self.runner.events.on(&Event::Judged { block: number, open: cells });
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

    fn run_block(&mut self, number: u32, cells: &[Cell]) -> Result<(), ScheduleError> {
        let timed = cells.iter().filter(|cell| !is_counted(cell)).count() as u32;
        let rounds = self.rounds();
        self.rest = self.planned_trials(number, cells);
        let mut block =
            Block { number, position: 0, repeats: timed * rounds * self.budget.repeats / 100 };
        for round in 0..rounds {
            if round > 0 && self.out_of_time() {
                break;
            }
            let mut order = SeededRng::new(self.runner.plan.seed, stream(number, round));
            let mut order_of_cells: Vec<Cell> =
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

    /// Runs four trials of a cell and returns whether the host disturbed any of them. Skips a cell
    /// that one subject does not support, because there is nothing to compare.
    fn abba_group(
        &mut self,
        block: &mut Block,
        cell: Cell,
        order: &mut SeededRng,
    ) -> Result<bool, ScheduleError> {
        let first = order.below(2) as usize;
        let mut flawed = false;
        for subject in [first, 1 - first, 1 - first, first] {
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
        let same =
            |other: &PlannedTrial| (other.scenario, other.meter) == (place.scenario, place.meter);
        if let Some(index) = self.rest.iter().position(same) {
            self.rest.swap_remove(index);
        }
        let trial = match self.recorded.remove(&(place.block, place.position)) {
            Some(trial) => {
                self.ensure_planned(place, &trial)?;
                trial
            }
            None => match self.runner.trial(place, &self.rest)? {
                TrialOutcome::Saved(trial) => *trial,
                TrialOutcome::Unsupported => {
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
    fn has_block_left(&self, number: u32, cell: &Cell) -> bool {
        number < self.runner.plan.blocks
            && (!is_counted(cell) || number * 2 < self.budget.count_runs)
    }

    /// The trials of a block without repeats, in no particular order, for the time estimate.
    fn planned_trials(&self, number: u32, cells: &[Cell]) -> Vec<PlannedTrial> {
        let mut places = Vec::new();
        for &(scenario, meter) in cells.iter().filter(|cell| self.has_block_left(number, cell)) {
            let groups = if is_counted(&(scenario, meter)) { 1 } else { self.rounds() };
            for subject in [0, 1].into_iter().cycle().take(4 * groups as usize) {
                places.push(PlannedTrial { block: number, position: 0, subject, scenario, meter });
            }
        }
        places
    }

    /// Whether the time budget is spent. Sums the recorded wall times of the trials, so that a
    /// resumed run stops at the same point.
    fn out_of_time(&self) -> bool {
        let spent: u64 = self.replayed.trials.iter().map(|trial| trial.watch.wall_us).sum();
        spent >= u64::from(self.budget.minutes) * 60_000_000
    }
}

/// Whether a cell is counted. Counts need few trials and the host does not disturb them. Peak
/// memory belongs to them although it is read under the time meter.
fn is_counted(cell: &Cell) -> bool {
    cell.1 != Meter::Time || matches!(cell.0.kind, Kind::Memory { .. })
}

/// Random stream of a round. Must not collide with the streams in `order`.
fn stream(block: u32, round: u32) -> u64 {
    1 << 62 | u64::from(block) << 24 | u64::from(round)
}
