//! Starts a run or resumes one that was killed.

use crate::{
    Observer, RecordFileError, RunEvent, ScheduleError, Session, counting,
    cpus::{HousekeepingAffinity, TrialCpus},
    execute::{Executor, HostFiles, Processes, remove_abandoned},
    lock,
    order::{self, PlannedTrial, is_counted},
    paired_block::longest_first,
    preflight, random,
    record::{self, RecordFile},
    run_log::RunLog,
    runner::{CountingTools, TrialRunner},
    time,
};
use shakedown_protocol::{RunCompletion, RunRecord, SCHEMA_VERSION};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// A new run id: UTC time and a random part. Valid as a folder name.
pub fn new_id() -> String {
    format!("{}-{:08x}", time::stamp(), random::seed() >> 32)
}

/// Path of the record in the folder of a run.
pub fn record_path(out: &Path) -> PathBuf {
    out.join("record.json")
}

/// Reads the record in `out`. If the run was killed while writing, the incomplete trial is left
/// out.
///
/// # Errors
/// Fails if the file is missing or is not a record.
pub fn load_record(out: &Path) -> Result<RunRecord, RecordFileError> {
    record::read(&record_path(out)).map(|(record, _)| record)
}

/// Runs a plan and blocks until it is complete.
///
/// # Errors
/// On any [`ScheduleError`] the trials saved so far stay valid, and the run can be resumed.
pub fn run(session: Session, events: &mut dyn Observer) -> Result<RunRecord, ScheduleError> {
    SessionStart::New.run_plan(session, &Processes::here(), events)
}

/// Resumes the run in `session.out`: runs the planned trials that are missing, in order. Does
/// nothing if the run is complete.
///
/// # Errors
/// [`ScheduleError::Differs`] if the host epoch, an artifact or the plan has changed; otherwise as
/// [`run`].
pub fn resume(session: Session, events: &mut dyn Observer) -> Result<RunRecord, ScheduleError> {
    SessionStart::Resume.run_plan(session, &Processes::here(), events)
}

/// Whether a session starts or resumes a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionStart {
    /// A new file.
    New,
    /// The file of a run that was killed.
    Resume,
}

impl SessionStart {
    pub(crate) fn run_plan(
        self,
        session: Session,
        executor: &dyn Executor,
        events: &mut dyn Observer,
    ) -> Result<RunRecord, ScheduleError> {
        let session = self.declare(session, false)?;
        self.with_runner(session, executor, events, run_planned_trials)
    }

    /// Writes into the plan whether it measures in pairs and when it counts, so that a record says what it
    /// is before its first trial. A resumed record that says something else is refused.
    pub(crate) fn declare(
        self,
        mut session: Session,
        paired: bool,
    ) -> Result<Session, ScheduleError> {
        let kind = |paired: bool| if paired { "a comparison" } else { "a plain run" };
        let cpus = TrialCpus::choose(&HostFiles::here(), session.options.cpu)?;
        (session.plan.paired, session.plan.counts) = match self {
            Self::New => (Some(paired), counting::choose(&session.plan, session.options.counts)),
            Self::Resume => {
                let plan = load_record(&session.out)?.plan;
                (plan.paired, plan.counts)
            }
        };
        if session.plan.paired.is_some_and(|was| was != paired) {
            let text = format!("the record is of {}, not of {}", kind(!paired), kind(paired));
            return Err(ScheduleError::Differs(vec![text]));
        }
        counting::check(&cpus, &session.plan)?;
        Ok(session)
    }

    /// Checks the session, locks the host, opens the record, and runs `action`.
    pub(crate) fn with_runner(
        self,
        session: Session,
        executor: &dyn Executor,
        events: &mut dyn Observer,
        action: impl FnOnce(&mut TrialRunner<'_>) -> Result<u64, ScheduleError>,
    ) -> Result<RunRecord, ScheduleError> {
        preflight::check(&session)?;
        let pki = fs::canonicalize(&session.pki).map_err(|error| {
            let path = session.pki.display();
            ScheduleError::Unfit(format!("cannot read the certificates in {path}: {error}"))
        })?;
        let cpus = TrialCpus::choose(&HostFiles::here(), session.options.cpu)?;
        let lock = session.options.lock.clone().unwrap_or_else(lock::default_path);
        // Report a mistake before waiting for the lock, which can take hours. The record is there
        // from now on, so that a run that is stopped while it waits can be resumed.
        self.reserve(&session)?;
        let taken = lock::take(&lock, !session.options.no_wait, events);
        let _host = taken.inspect_err(|_| self.release(&session))?;
        remove_abandoned(&std::env::temp_dir());
        let _off = HousekeepingAffinity::of(&cpus);
        let file = self.open(&session, events)?;
        if file.record().finish.is_some() {
            return Ok(file.into_record());
        }
        let mut runner = TrialRunner {
            tools: CountingTools::find(&session.options)?,
            plan: &session.plan,
            subjects: session.subjects.clone(),
            pki: &pki,
            cpus: &cpus,
            executor,
            log: RunLog::new(&session.plan, cpus.counting().len(), file, events),
        };
        let planned = action(&mut runner)?;
        let finish = RunCompletion { at_ms: time::now_ms(), planned };
        runner.log.file(|file| file.finish(Some(finish)))?;
        runner.log.tell(&RunEvent::Finished { trials: runner.log.trials() });
        Ok(runner.log.into_record())
    }

    /// Writes the record of a new run, without trials; checks that of a resumed one.
    fn reserve(self, session: &Session) -> Result<(), ScheduleError> {
        if self == Self::Resume {
            return ensure_same_session(&load_record(&session.out)?, session);
        }
        fs::create_dir_all(&session.out)
            .map_err(|source| RecordFileError::Write { path: session.out.clone(), source })?;
        RecordFile::create(&record_path(&session.out), new_record(session))?;
        Ok(())
    }

    /// Takes back what [`Self::reserve`] wrote.
    fn release(self, session: &Session) {
        if self == Self::New {
            // What can't be removed can still be resumed.
            let _ = fs::remove_file(record_path(&session.out));
            // A folder that holds anything else stays.
            let _ = fs::remove_dir(&session.out);
        }
    }

    fn open(
        self,
        session: &Session,
        events: &mut dyn Observer,
    ) -> Result<RecordFile, ScheduleError> {
        let (file, dropped) = RecordFile::reopen(&record_path(&session.out))?;
        // The record may have changed while we waited for the lock.
        ensure_same_session(file.record(), session)?;
        if dropped > 0 {
            events.on(&RunEvent::Recovered { dropped });
        }
        Ok(file)
    }
}

fn ensure_same_session(record: &RunRecord, session: &Session) -> Result<(), ScheduleError> {
    let differences = preflight::differences(record, session);
    if differences.is_empty() { Ok(()) } else { Err(ScheduleError::Differs(differences)) }
}

fn new_record(session: &Session) -> RunRecord {
    RunRecord {
        schema: SCHEMA_VERSION,
        id: session.id.clone(),
        shakedown: session.shakedown.clone(),
        started_ms: time::now_ms(),
        host: session.host.clone(),
        plan: session.plan.clone(),
        subjects: session.subjects.iter().map(|c| c.entry.clone()).collect(),
        unsupported: vec![],
        trials: vec![],
        calibration: session.calibration.clone(),
        finish: None,
    }
}

/// Runs every planned trial that the record lacks and returns the total number of trials.
fn run_planned_trials(runner: &mut TrialRunner<'_>) -> Result<u64, ScheduleError> {
    let all = order::planned_trials(runner.plan, runner.subjects.len());
    let had: BTreeSet<(u32, u32)> = runner
        .log
        .read(|record| record.trials.iter().map(|trial| (trial.block, trial.position)).collect());
    let done = had.len() as u64;
    let mut rest: Vec<PlannedTrial> =
        all.into_iter().filter(|place| !had.contains(&(place.block, place.position))).collect();
    let unsupported = runner.unsupported();
    rest.retain(|place| !unsupported.has(place));
    let planned = done + rest.len() as u64;
    runner.log.tell(&RunEvent::Begun { planned, done, at_most: false });
    runner.log.plan_rest(rest.clone());
    let (mut counted, timed): (Vec<PlannedTrial>, Vec<PlannedTrial>) =
        rest.into_iter().partition(|place| is_counted(&(place.scenario, place.meter)));
    counted.sort_by_key(|place| longest_first(&(place.scenario, place.meter)));
    let runner = &*runner;
    let trial = |place: &PlannedTrial, cpu| {
        if runner.unsupported().has(place) {
            return Ok(());
        }
        runner.trial(place, cpu).map(drop)
    };
    runner.time_and_count(
        &counted,
        |place, cpu| trial(place, Some(cpu)),
        || timed.iter().try_for_each(|place| trial(place, None)),
    )?;
    Ok(runner.log.trials())
}

#[cfg(test)]
mod declared;
#[cfg(test)]
mod tests;
