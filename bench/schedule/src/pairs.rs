//! A comparison: base against head in interleaved pairs, until every question is decided.
//!
//! A block runs one link of each side. It goes in rounds; in each round every open cell (a
//! scenario with an instrument) gets four trials next to each other in time: base, head, head,
//! base, or the other way round. So a drift of the host meets both sides alike, and a burst
//! meets one round of a cell and not all of its block.
//!
//! Which trial comes next depends on the plan, on the judge and on what is in the record, and
//! on nothing else: a comparison that was killed goes on as it would have gone on.

use crate::{
    Event, Observer, ScheduleError, Session,
    execute::{Executor, Processes},
    order::{Place, cells},
    random::Stream,
    session::Opening,
    work::{Done, Work},
};
use shakedown_protocol::{Kind, Meter, RunRecord, Scenario, Trial};
use std::collections::{BTreeMap, BTreeSet};

/// A scenario with an instrument.
pub type Cell = (Scenario, Meter);

/// How much a comparison may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairing {
    /// Pairs of timed trials in a block; made even. The number of blocks is the plan's.
    pub pairs: u32,
    /// Trials a side of what is counted (and of peak memory), over all blocks; two of them in
    /// each block.
    pub count_runs: u32,
    /// Quartets that may be repeated in each block because the host disturbed them, as a
    /// share of the block's timed quartets, in percent.
    pub repeats: u32,
    /// Minutes of measuring after which no further round begins.
    pub minutes: u32,
}

/// Says what is not decided yet.
pub trait Judge {
    /// The cells that further trials could decide. Must depend on the record alone.
    fn open(&mut self, record: &RunRecord) -> BTreeSet<Cell>;
}

impl<F: FnMut(&RunRecord) -> BTreeSet<Cell>> Judge for F {
    fn open(&mut self, record: &RunRecord) -> BTreeSet<Cell> {
        self(record)
    }
}

/// Compares the session's two contestants, base first. The plan's blocks are the most that
/// may be run; after each the judge says what is still open.
///
/// # Errors
/// As [`run`](crate::run).
pub fn compare(
    session: Session,
    pairing: Pairing,
    judge: &mut dyn Judge,
    events: &mut dyn Observer,
) -> Result<RunRecord, ScheduleError> {
    Opening::New.compare(session, pairing, judge, &mut Processes::here(), events)
}

/// Finishes a comparison that was killed.
///
/// # Errors
/// As [`resume`](crate::resume); also when the record holds other trials than this
/// comparison would have made.
pub fn resume_comparison(
    session: Session,
    pairing: Pairing,
    judge: &mut dyn Judge,
    events: &mut dyn Observer,
) -> Result<RunRecord, ScheduleError> {
    Opening::Again.compare(session, pairing, judge, &mut Processes::here(), events)
}

impl Opening {
    pub(crate) fn compare(
        self,
        session: Session,
        pairing: Pairing,
        judge: &mut dyn Judge,
        executor: &mut dyn Executor,
        events: &mut dyn Observer,
    ) -> Result<RunRecord, ScheduleError> {
        let unfit = |text: &str| Err(ScheduleError::Unfit(text.to_owned()));
        if session.contestants.len() != 2 {
            return unfit("a comparison has two subjects: base and head");
        }
        if pairing.pairs == 0 || pairing.count_runs == 0 || pairing.minutes == 0 {
            return unfit("a comparison needs pairs, count runs and minutes above zero");
        }
        self.prepared(session, executor, events, |work| {
            let known = work.file.record().trials.clone();
            let mut course = Course {
                known: known
                    .into_iter()
                    .map(|trial| ((trial.block, trial.position), trial))
                    .collect(),
                past: RunRecord {
                    trials: vec![],
                    unsupported: vec![],
                    ..work.file.record().clone()
                },
                pairing,
                rest: Vec::new(),
                work,
            };
            course.run(judge)
        })
    }
}

/// A comparison on its way.
struct Course<'a, 'w> {
    work: &'a mut Work<'w>,
    pairing: Pairing,
    /// What a killed run left, not reached again yet.
    known: BTreeMap<(u32, u32), Trial>,
    /// The record as far as it was reached again: what the judge may see.
    past: RunRecord,
    /// What this block still has to do, for the estimate; repeats come on top.
    rest: Vec<Place>,
}

/// A block on its way.
struct Block {
    number: u32,
    /// The next free place.
    position: u32,
    /// Quartets that may still be repeated.
    repeats: u32,
}

impl Course<'_, '_> {
    /// Returns how many trials there are in the end.
    fn run(&mut self, judge: &mut dyn Judge) -> Result<u64, ScheduleError> {
        let mut open = cells(self.work.plan);
        let done = self.known.len() as u64;
        let planned = done.max(self.places(0, &open).len() as u64);
        self.work.events.on(&Event::Begun { planned, done });
        for number in 0..self.work.plan.blocks {
            self.block(number, &open)?;
            let undecided = judge.open(&self.past);
            open.retain(|cell| undecided.contains(cell) && self.wanted(number + 1, cell));
            let cells = open.len();
            self.work.events.on(&Event::Judged { block: number, open: cells });
            if open.is_empty() || self.spent() {
                break;
            }
        }
        if self.known.is_empty() {
            return Ok(self.work.file.record().trials.len() as u64);
        }
        let text = "the record holds trials that this comparison would not have made";
        Err(ScheduleError::Differs(vec![text.to_owned()]))
    }

    fn block(&mut self, number: u32, cells: &[Cell]) -> Result<(), ScheduleError> {
        let timed = cells.iter().filter(|cell| !is_counted(cell)).count() as u32;
        let rounds = self.rounds();
        self.rest = self.places(number, cells);
        let mut block =
            Block { number, position: 0, repeats: timed * rounds * self.pairing.repeats / 100 };
        for round in 0..rounds {
            if round > 0 && self.spent() {
                break;
            }
            let mut order = Stream::new(self.work.plan.seed, stream(number, round));
            let mut turn: Vec<Cell> =
                cells.iter().copied().filter(|cell| round == 0 || !is_counted(cell)).collect();
            order.shuffle(&mut turn);
            let mut disturbed = Vec::new();
            for cell in turn {
                let flawed = self.quartet(&mut block, cell, &mut order)?;
                if flawed && !is_counted(&cell) {
                    disturbed.push(cell);
                }
            }
            // At the end of the round: what disturbed them may have passed by then.
            for cell in disturbed {
                if block.repeats == 0 {
                    break;
                }
                block.repeats -= 1;
                self.quartet(&mut block, cell, &mut order)?;
            }
        }
        Ok(())
    }

    /// Four trials of a cell; says whether the host disturbed any of them. A cell that one
    /// side can't do is left alone, as there is nothing to compare.
    fn quartet(
        &mut self,
        block: &mut Block,
        cell: Cell,
        order: &mut Stream,
    ) -> Result<bool, ScheduleError> {
        let first = order.below(2) as usize;
        let mut flawed = false;
        for subject in [first, 1 - first, 1 - first, first] {
            // Places are counted whether they are used or not, so that what is found to be
            // unsupported does not move those behind it.
            let position = block.position;
            block.position += 1;
            let place =
                Place { block: block.number, position, subject, scenario: cell.0, meter: cell.1 };
            let barred = self.work.barred();
            if [0, 1].iter().any(|&subject| barred.has(&Place { subject, ..place })) {
                continue;
            }
            flawed |= self.step(&place)?;
        }
        Ok(flawed)
    }

    /// One trial: as the record has it, or else now. Says whether it is flawed.
    fn step(&mut self, place: &Place) -> Result<bool, ScheduleError> {
        let same = |other: &Place| (other.scenario, other.meter) == (place.scenario, place.meter);
        if let Some(index) = self.rest.iter().position(same) {
            self.rest.swap_remove(index);
        }
        let trial = match self.known.remove(&(place.block, place.position)) {
            Some(trial) => {
                self.same(place, &trial)?;
                trial
            }
            None => match self.work.trial(place, &self.rest)? {
                Done::Saved(trial) => *trial,
                Done::Unsupported => {
                    self.past.unsupported.clone_from(&self.work.file.record().unsupported);
                    return Ok(false);
                }
            },
        };
        let flawed = !trial.flaws.is_empty();
        self.past.trials.push(trial);
        Ok(flawed)
    }

    /// A record that is resumed must be of this very comparison.
    fn same(&self, place: &Place, trial: &Trial) -> Result<(), ScheduleError> {
        let subject = &self.work.contestants[place.subject].entry.name;
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

    /// Rounds of a block: each holds two pairs.
    const fn rounds(&self) -> u32 {
        self.pairing.pairs.div_ceil(2)
    }

    /// Whether a cell may have another block.
    fn wanted(&self, number: u32, cell: &Cell) -> bool {
        number < self.work.plan.blocks
            && (!is_counted(cell) || number * 2 < self.pairing.count_runs)
    }

    /// The trials of a block, repeats left out, in no order: what the estimate needs.
    fn places(&self, number: u32, cells: &[Cell]) -> Vec<Place> {
        let mut places = Vec::new();
        for &(scenario, meter) in cells.iter().filter(|cell| self.wanted(number, cell)) {
            let quartets = if is_counted(&(scenario, meter)) { 1 } else { self.rounds() };
            for subject in [0, 1].into_iter().cycle().take(4 * quartets as usize) {
                places.push(Place { block: number, position: 0, subject, scenario, meter });
            }
        }
        places
    }

    /// Whether the time for measuring is used up. By the trials' own clocks, so that a run
    /// that is resumed comes to the same end.
    fn spent(&self) -> bool {
        let spent: u64 = self.past.trials.iter().map(|trial| trial.watch.wall_us).sum();
        spent >= u64::from(self.pairing.minutes) * 60_000_000
    }
}

/// Whether a cell yields counts: they need few runs, and no host disturbs them. Peak memory is
/// one, though it comes with the clock's instrument.
fn is_counted(cell: &Cell) -> bool {
    cell.1 != Meter::Time || matches!(cell.0.kind, Kind::Memory { .. })
}

/// The number of a round's stream; other orders use others.
fn stream(block: u32, round: u32) -> u64 {
    1 << 62 | u64::from(block) << 24 | u64::from(round)
}
