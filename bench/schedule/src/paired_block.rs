//! One block of a comparison: its timed groups in order, its counted groups beside or after them.
//!
//! Positions do not depend on when a trial runs: those of the counted groups come first, four for each.

use crate::{
    ScenarioMeter, ScheduleError,
    order::{PlannedTrial, is_counted},
    random::SeededRng,
    runner::TrialRunner,
};
use shakedown_protocol::{ComparisonBudget, Meter, Metric, Side, Trial};
use std::{collections::BTreeMap, time::Duration};

/// A block of a comparison.
pub(crate) struct PairedBlock<'a, 'w> {
    pub runner: &'a TrialRunner<'w>,
    pub budget: ComparisonBudget,
    pub number: u32,
    /// Trials of the block that the record has, by position.
    pub recorded: &'a BTreeMap<u32, Trial>,
    /// What is left of the time budget.
    pub time: Duration,
}

/// Four trials of a cell at most.
#[derive(Clone, Copy)]
struct AbbaGroup {
    cell: ScenarioMeter,
    round: u32,
    /// Subject of its first trial and of its fourth.
    first: usize,
    /// Position of its first trial.
    position: u32,
}

impl AbbaGroup {
    /// Its trials: the number of each and its subject.
    fn trials(self) -> impl Iterator<Item = (u32, usize)> {
        (0..).zip([self.first, 1 - self.first, 1 - self.first, self.first])
    }
}

impl PairedBlock<'_, '_> {
    /// Runs it, and returns its trials by position.
    pub fn run(&self, cells: &[ScenarioMeter]) -> Result<Vec<Trial>, ScheduleError> {
        let (counted, timed): (Vec<ScenarioMeter>, Vec<ScenarioMeter>) =
            cells.iter().partition(|cell| is_counted(cell));
        let mut order = self.order(COUNTS);
        let group = |(index, &cell)| AbbaGroup {
            cell,
            round: 0,
            first: order.below(2) as usize,
            position: 4 * index as u32,
        };
        let mut groups: Vec<AbbaGroup> = counted.iter().enumerate().map(group).collect();
        groups.sort_by_key(|group| longest_first(&group.cell));
        let (timed, counted) = self.runner.time_and_count(
            &groups,
            |group, cpu| self.count(*group, cpu),
            || self.time(&timed, 4 * counted.len() as u32),
        )?;
        let mut all: Vec<Trial> = counted.into_iter().flatten().chain(timed).collect();
        all.sort_by_key(|trial| trial.position);
        Ok(all)
    }

    /// Runs the timed groups in rounds, from this position on.
    fn time(&self, cells: &[ScenarioMeter], first: u32) -> Result<Vec<Trial>, ScheduleError> {
        let rounds = self.budget.rounds();
        let mut repeats = cells.len() as u32 * rounds * self.budget.repeats / 100;
        let (mut position, mut trials) = (first, Vec::new());
        for round in 0..rounds {
            if round > 0 && self.time <= spent(&trials) {
                break;
            }
            let mut order = self.order(round);
            let mut cells = cells.to_vec();
            order.shuffle(&mut cells);
            let mut group = |cell, trials: &mut Vec<Trial>| {
                let first = order.below(2) as usize;
                let group = AbbaGroup { cell, round, first, position };
                position += 4;
                self.time_group(group, trials)
            };
            let mut disturbed = Vec::new();
            for cell in cells {
                if group(cell, &mut trials)? {
                    disturbed.push(cell);
                }
            }
            // Repeat at the end of the round: the disturbance may be over by then.
            for cell in disturbed.into_iter().take(repeats as usize) {
                repeats -= 1;
                group(cell, &mut trials)?;
            }
        }
        Ok(trials)
    }

    /// Runs four trials of a cell and returns whether the host disturbed any of them. Skips a cell that
    /// one subject does not support, because there is nothing to compare.
    fn time_group(&self, group: AbbaGroup, trials: &mut Vec<Trial>) -> Result<bool, ScheduleError> {
        let mut flawed = false;
        for (number, subject) in group.trials() {
            self.runner.log.limit(self.time.saturating_sub(spent(trials.iter())));
            let trial = self.trial(group, number, subject, None)?;
            flawed |= trial.as_ref().is_some_and(|trial| !trial.flaws.is_empty());
            trials.extend(trial);
        }
        Ok(flawed)
    }

    /// Takes up to four counts of a cell. Two suffice where they count the same.
    fn count(&self, group: AbbaGroup, cpu: u32) -> Result<Vec<Trial>, ScheduleError> {
        let mut trials = Vec::new();
        for (number, subject) in group.trials() {
            if number == 2 && same_counts(&trials) {
                break;
            }
            trials.extend(self.trial(group, number, subject, Some(cpu))?);
        }
        Ok(trials)
    }

    /// Takes a trial from the record, or runs it. `None` if one of the subjects does not support it.
    fn trial(
        &self,
        group: AbbaGroup,
        number: u32,
        subject: usize,
        cpu: Option<u32>,
    ) -> Result<Option<Trial>, ScheduleError> {
        let place = PlannedTrial {
            block: self.number,
            // A skipped trial keeps its position, so that finding a cell unsupported does not renumber the
            // trials after it.
            position: group.position + number,
            subject,
            link: self.budget.link(self.number, 2 * group.round + number / 2),
            scenario: group.cell.0,
            meter: group.cell.1,
        };
        let unsupported = self.runner.unsupported();
        if [0, 1].iter().any(|&subject| unsupported.has(&PlannedTrial { subject, ..place })) {
            return Ok(None);
        }
        let Some(trial) = self.recorded.get(&place.position) else {
            return self.runner.trial(&place, cpu);
        };
        self.ensure_planned(&place, trial)?;
        self.runner.log.pass(&place);
        Ok(Some(trial.clone()))
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

    /// Random numbers of a round, or of [`COUNTS`]. Must not collide with the streams in `order`.
    fn order(&self, round: u32) -> SeededRng {
        let stream = 1 << 62 | u64::from(self.number) << 24 | u64::from(round);
        SeededRng::new(self.runner.plan.seed, stream)
    }
}

/// Stands for the counts where rounds have their numbers.
const COUNTS: u32 = (1 << 24) - 1;

/// What takes long begins first, so that all CPUs end at about the same time: a process under valgrind
/// takes seconds.
pub(crate) const fn longest_first((_, meter): &ScenarioMeter) -> u8 {
    match meter {
        Meter::Instructions => 0,
        Meter::Time => 1,
        Meter::Heap | Meter::Locks => 2,
    }
}

/// Wall time of these trials, one after another.
pub(crate) fn spent<'t>(trials: impl IntoIterator<Item = &'t Trial>) -> Duration {
    Duration::from_micros(trials.into_iter().map(|trial| trial.watch.wall_us).sum())
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
