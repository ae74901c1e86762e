//! A paired run: base against head in ABBA groups, until the stopping rule has decided every cell.
//!
//! A block runs in rounds. In each round every undecided cell (a scenario with a meter) gets one ABBA
//! group: four consecutive trials in the order base, head, head, base, or the reverse, each pair of
//! them on the next link of both subjects. Linear drift of the host cancels within a group. A short
//! disturbance affects one group of a cell instead of its whole block. Cells that are counted get one group
//! in a block, beside the times or after them.
//!
//! The next trial depends only on the plan, the stopping rule and the record. A resumed run
//! therefore continues exactly where the killed one stopped.

use crate::{
    BuiltSubject, LinkSupply, RunEvent, ScenarioMeter, ScheduleError, StoppingRule,
    counting::join,
    links::Links,
    order::{PlannedTrial, cells, is_counted},
    paired_block::{PairedBlock, spent},
    runner::TrialRunner,
};
use shakedown_protocol::{ComparisonBudget, CountTiming, RunRecord, Trial};
use std::{collections::BTreeMap, thread, time::Duration};

/// A comparison in progress.
pub(crate) struct PairedRun<'a, 'w> {
    runner: &'a mut TrialRunner<'w>,
    links: Links<'a>,
    budget: ComparisonBudget,
    /// Trials of the killed run that were not replayed yet, by block and position.
    recorded: BTreeMap<u32, BTreeMap<u32, Trial>>,
    /// The record up to the current block: what the stopping rule may see.
    replayed: RunRecord,
}

impl<'a, 'w> PairedRun<'a, 'w> {
    pub(crate) fn new(
        runner: &'a mut TrialRunner<'w>,
        budget: ComparisonBudget,
        supply: Option<&'a dyn LinkSupply>,
    ) -> Self {
        let record = runner.log.read(RunRecord::clone);
        let mut recorded: BTreeMap<u32, BTreeMap<u32, Trial>> = BTreeMap::new();
        for trial in &record.trials {
            recorded.entry(trial.block).or_default().insert(trial.position, trial.clone());
        }
        let replayed = RunRecord { trials: vec![], unsupported: vec![], ..record };
        let links = Links { supply, budget, blocks: runner.plan.blocks };
        Self { runner, links, budget, recorded, replayed }
    }

    /// Returns the total number of trials.
    pub(crate) fn run(&mut self, rule: &mut dyn StoppingRule) -> Result<u64, ScheduleError> {
        let blocks = self.runner.plan.blocks;
        let mut open = cells(self.runner.plan);
        let log = &self.runner.log;
        let done = log.trials();
        let rest = self.planned_from(0, &open);
        log.tell(&RunEvent::Begun { planned: done.max(rest.len() as u64), done, at_most: true });
        log.plan_rest(rest);
        for number in 0..blocks {
            let more = self.links.up_to(number, &self.runner.subjects)?;
            self.adopt(more)?;
            self.run_block(number, &open)?;
            let undecided = rule.undecided(&self.replayed);
            open.retain(|cell| undecided.contains(cell) && self.has_block_left(number + 1, cell));
            let log = &self.runner.log;
            log.plan_rest(self.planned_from(number + 1, &open));
            log.limit(self.time_left());
            let left = log.left(&self.runner.subjects);
            log.tell(&RunEvent::Judged { block: number, blocks, open: open.len(), left });
            if open.is_empty() || self.time_left().is_zero() {
                break;
            }
        }
        match self.recorded.keys().next() {
            None => Ok(self.runner.log.trials()),
            Some(block) => Err(differs(&format!("measured block {}", block + 1))),
        }
    }

    fn run_block(&mut self, number: u32, cells: &[ScenarioMeter]) -> Result<(), ScheduleError> {
        let recorded = self.recorded.remove(&number).unwrap_or_default();
        // Before anything is measured that the record has no use for.
        let decided = recorded.values().find(|t| !cells.contains(&(t.scenario, t.meter)));
        if let Some(Trial { scenario, meter, .. }) = decided {
            let what = format!("measured `{scenario}` ({}) in block {}", meter.name(), number + 1);
            return Err(differs(&what));
        }
        let block = PairedBlock {
            runner: &*self.runner,
            budget: self.budget,
            number,
            recorded: &recorded,
            time: self.time_left(),
        };
        let (trials, more) = thread::scope(|scope| {
            // Where counts may be taken beside times, links may be made there, too.
            let cpu = self.runner.beside().filter(|_| number + 1 < self.runner.plan.blocks);
            let (links, subjects) = (self.links, &self.runner.subjects);
            let make = |cpu| scope.spawn(move || links.beside(number + 1, subjects, cpu));
            let maker = cpu.map(make);
            let trials = block.run(cells)?;
            let more = maker.map_or(Ok(None), join)?;
            Ok::<_, ScheduleError>((trials, more))
        })?;
        self.adopt(more)?;
        let took: Vec<u32> = trials.iter().map(|trial| trial.position).collect();
        if let Some(position) = recorded.keys().find(|position| !took.contains(position)) {
            return Err(differs(&format!("measured trial {position} of block {}", number + 1)));
        }
        self.replayed.trials.extend(trials);
        self.replayed.unsupported = self.runner.log.read(|record| record.unsupported.clone());
        Ok(())
    }

    /// Goes on with subjects that have more links, once the record names these.
    fn adopt(&mut self, more: Option<Vec<BuiltSubject>>) -> Result<(), ScheduleError> {
        let Some(subjects) = more else { return Ok(()) };
        let entries = || subjects.iter().map(|subject| subject.entry.clone()).collect();
        self.runner.log.file(|file| file.set_subjects(entries()))?;
        self.replayed.subjects = entries();
        self.runner.subjects = subjects;
        Ok(())
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
            let groups = if is_counted(&(scenario, meter)) { 1 } else { self.budget.rounds() };
            for subject in [0, 1].into_iter().cycle().take(4 * groups as usize) {
                let link = self.budget.link(number, 0);
                let place =
                    PlannedTrial { block: number, position: 0, subject, link, scenario, meter };
                places.push(place);
            }
        }
        places
    }

    /// The trials of all blocks from `number` on, if nothing more is decided.
    fn planned_from(&self, number: u32, cells: &[ScenarioMeter]) -> Vec<PlannedTrial> {
        let blocks = number..self.runner.plan.blocks;
        blocks.flat_map(|number| self.planned_trials(number, cells)).collect()
    }

    /// What is left of the time budget after the blocks so far. Adds up the recorded wall times of the
    /// trials, so that a resumed run stops at the same point; counts beside times take none of their own
    /// unless they take longer.
    fn time_left(&self) -> Duration {
        let mut blocks: BTreeMap<u32, [Vec<&Trial>; 2]> = BTreeMap::new();
        for trial in &self.replayed.trials {
            let counted = is_counted(&(trial.scenario, trial.meter));
            blocks.entry(trial.block).or_default()[usize::from(counted)].push(trial);
        }
        let took = |[times, counts]: [Vec<&Trial>; 2]| {
            let (times, counts) = (spent(times), spent(counts));
            match self.runner.plan.counts {
                Some(CountTiming::BesideTimes) => times.max(counts),
                Some(CountTiming::AfterTimes) | None => times + counts,
            }
        };
        let spent: Duration = blocks.into_values().map(took).sum();
        Duration::from_secs(u64::from(self.budget.minutes) * 60).saturating_sub(spent)
    }
}

/// What the record holds is not what this comparison would do.
fn differs(what: &str) -> ScheduleError {
    let text = format!(
        "the comparison {what}, which it would not now: it was begun with another policy, or by another \
         version of Shakedown"
    );
    ScheduleError::Differs(vec![text])
}
