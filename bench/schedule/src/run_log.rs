//! What the threads of a run share: the record, whoever is told, and what is left to do.

use crate::{
    BuiltSubject, Observer, RunEvent, ScheduleError,
    estimate::DurationEstimate,
    order::{PlannedTrial, is_counted},
    record::RecordFile,
};
use shakedown_protocol::{CountTiming, Meter, RunPlan, RunRecord, Scenario, Trial, Unsupported};
use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The record of a run as it grows.
pub(crate) struct RunLog<'a> {
    plan: &'a RunPlan,
    /// CPUs that take counts when no times are measured.
    counting: u32,
    state: Mutex<LogState<'a>>,
}

struct LogState<'a> {
    file: RecordFile,
    events: &'a mut dyn Observer,
    estimate: DurationEstimate,
    /// Trials that are planned and not done.
    rest: Vec<PlannedTrial>,
    /// The longest that the timed ones of them may take.
    limit: Duration,
}

impl LogState<'_> {
    fn pass(&mut self, place: &PlannedTrial) {
        let of = |one: &PlannedTrial| (one.block, one.subject, one.scenario, one.meter);
        // What was not planned, as a repeat, takes nothing from the others.
        if let Some(index) = self.rest.iter().position(|other| of(other) == of(place)) {
            self.rest.swap_remove(index);
        }
    }
}

/// Scenarios, or scenarios with a meter, that a subject does not support.
#[derive(Debug, Default)]
pub(crate) struct UnsupportedTrials(BTreeSet<(usize, Scenario, Option<Meter>)>);

impl UnsupportedTrials {
    /// The entries of a record's `unsupported` list.
    fn of(list: &[Unsupported], subjects: &[BuiltSubject]) -> Self {
        let index = |name: &str| subjects.iter().position(|c| c.entry.name == name);
        let known =
            list.iter().filter_map(|one| Some((index(&one.subject)?, one.scenario, one.meter)));
        Self(known.collect())
    }

    /// Whether this trial is known to be unsupported.
    pub fn has(&self, place: &PlannedTrial) -> bool {
        let PlannedTrial { subject, scenario, meter, .. } = *place;
        self.0.contains(&(subject, scenario, None))
            || self.0.contains(&(subject, scenario, Some(meter)))
    }
}

impl<'a> RunLog<'a> {
    pub fn new(
        plan: &'a RunPlan,
        counting: usize,
        file: RecordFile,
        events: &'a mut dyn Observer,
    ) -> Self {
        let estimate = DurationEstimate::of_trials(&file.record().trials);
        let state = LogState { file, events, estimate, rest: Vec::new(), limit: Duration::MAX };
        Self { plan, counting: counting.max(1) as u32, state: Mutex::new(state) }
    }

    /// Whoever panicked left the record whole.
    fn state(&self) -> MutexGuard<'_, LogState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the observer.
    pub fn tell(&self, event: &RunEvent<'_>) {
        self.state().events.on(event);
    }

    /// Reads the record.
    pub fn read<T>(&self, read: impl FnOnce(&RunRecord) -> T) -> T {
        read(self.state().file.record())
    }

    /// How many trials the record has.
    pub fn trials(&self) -> u64 {
        self.read(|record| record.trials.len() as u64)
    }

    /// Everything that the record lists as unsupported.
    pub fn unsupported(&self, subjects: &[BuiltSubject]) -> UnsupportedTrials {
        self.read(|record| UnsupportedTrials::of(&record.unsupported, subjects))
    }

    /// Sets the trials that are left to do if nothing more is decided. They serve only to estimate the time
    /// left.
    pub fn plan_rest(&self, rest: Vec<PlannedTrial>) {
        self.state().rest = rest;
    }

    /// Sets the longest that the timed trials may still take.
    pub fn limit(&self, limit: Duration) {
        self.state().limit = limit;
    }

    /// Takes note of a trial of the plan that the record has already.
    pub fn pass(&self, place: &PlannedTrial) {
        self.state().pass(place);
    }

    /// Saves a trial.
    pub fn save(
        &self,
        place: &PlannedTrial,
        trial: &Trial,
        subjects: &[BuiltSubject],
    ) -> Result<(), ScheduleError> {
        let mut state = self.state();
        state.pass(place);
        state.estimate.learn(place, &trial.watch);
        state.file.push(trial.clone())?;
        let (left, planned) = self.left_of(&state, subjects);
        let done = state.file.record().trials.len() as u64;
        state.events.on(&RunEvent::Ended { trial, done, planned: done + planned, left });
        Ok(())
    }

    /// Saves that something is unsupported, unless the record says it already.
    pub fn note_unsupported(&self, what: &Unsupported) -> Result<(), ScheduleError> {
        let mut state = self.state();
        let covers = |had: &Unsupported| {
            (&had.subject, had.scenario) == (&what.subject, what.scenario)
                && (had.meter.is_none() || had.meter == what.meter)
        };
        if state.file.record().unsupported.iter().any(covers) {
            return Ok(());
        }
        state.file.unsupported(what.clone())?;
        state.events.on(&RunEvent::Unsupported(what));
        Ok(())
    }

    /// Estimated time left.
    pub fn left(&self, subjects: &[BuiltSubject]) -> Duration {
        self.left_of(&self.state(), subjects).0
    }

    /// Estimated time left, and the number of trials.
    fn left_of(&self, state: &LogState<'_>, subjects: &[BuiltSubject]) -> (Duration, u64) {
        let unsupported = UnsupportedTrials::of(&state.file.record().unsupported, subjects);
        let rest = state.rest.iter().filter(|place| !unsupported.has(place));
        let (counted, timed): (Vec<&PlannedTrial>, Vec<&PlannedTrial>) =
            rest.partition(|place| is_counted(&(place.scenario, place.meter)));
        let of = |places: &[&PlannedTrial]| state.estimate.of(self.plan, places);
        let (times, counts) = (of(&timed).min(state.limit), of(&counted));
        let beside = match self.plan.counts {
            Some(CountTiming::BesideTimes) => counts.min(times),
            Some(CountTiming::AfterTimes) | None => Duration::ZERO,
        };
        (times + (counts - beside) / self.counting, (timed.len() + counted.len()) as u64)
    }

    /// Changes the record otherwise.
    pub fn file<T>(&self, change: impl FnOnce(&mut RecordFile) -> T) -> T {
        change(&mut self.state().file)
    }

    /// The record, at the end of the run.
    pub fn into_record(self) -> RunRecord {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.file.into_record()
    }
}
