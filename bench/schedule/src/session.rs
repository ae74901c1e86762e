//! One run, from its beginning or from where it was killed.

use crate::{
    Contestant, Event, Observer, RecordFileError, ScheduleError,
    cpus::{Cpus, StayOff},
    estimate::Estimate,
    execute::{Executor, HostFiles, Processes},
    fit, lock,
    order::{self, Place},
    random,
    record::{self, RecordFile},
    time,
    work::{Tools, Work},
};
use shakedown_protocol::{Calibration, Finish, HostFacts, Plan, RunRecord, SCHEMA_VERSION};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// What a run needs.
#[derive(Debug, Clone)]
pub struct Session {
    /// Id of the run, from [`new_id`]; ignored when resuming.
    pub id: String,
    /// Version of the program, for the record.
    pub shakedown: String,
    /// Folder for `record.json`; made where it is missing.
    pub out: PathBuf,
    /// What to do.
    pub plan: Plan,
    /// Who takes part.
    pub contestants: Vec<Contestant>,
    /// The machine, as found just before.
    pub host: HostFacts,
    /// Noise of this host, where it is known; kept in the record.
    pub calibration: Option<Calibration>,
    /// Folder with the test certificates.
    pub pki: PathBuf,
    /// How to go about it.
    pub options: Options,
}

/// How a run behaves on its host.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// CPU for the trials; the default is the last isolated one, or else the last one that
    /// this process may use.
    pub cpu: Option<u32>,
    /// Fail with [`ScheduleError::Busy`] instead of waiting for another run to end.
    pub no_wait: bool,
    /// Lock file; the default is one for the whole host.
    pub lock: Option<PathBuf>,
    /// The heap meter, the library that is preloaded into trials that count allocations;
    /// without it they are unsupported.
    pub heap_meter: Option<PathBuf>,
    /// Valgrind, which counts instructions where the processor's counters can't be used; the
    /// default is the machine's.
    pub valgrind: Option<PathBuf>,
}

/// A new id for a run: UTC time and a random part, fit for a folder's name.
pub fn new_id() -> String {
    format!("{}-{:08x}", time::stamp(), random::seed() >> 32)
}

/// Where the record of a run is in its folder.
pub fn record_path(out: &Path) -> PathBuf {
    out.join("record.json")
}

/// Reads the record in `out`, even if the run was killed while it wrote: then without what
/// was written in part.
///
/// # Errors
/// [`RecordFileError`], when there is none or it is not one.
pub fn load_record(out: &Path) -> Result<RunRecord, RecordFileError> {
    record::read(&record_path(out)).map(|(record, _)| record)
}

/// Carries out a plan. Blocks until all is measured.
///
/// # Errors
/// [`ScheduleError`]; what is saved by then stays whole and can be resumed.
pub fn run(session: Session, events: &mut dyn Observer) -> Result<RunRecord, ScheduleError> {
    Opening::New.carry_out(session, &mut Processes::here(), events)
}

/// Finishes the run in `session.out`: exactly the planned trials that it lacks, in their
/// order. Does nothing to a run that is finished.
///
/// # Errors
/// [`ScheduleError::Differs`] when host epoch, artifacts or plan are not what they were;
/// otherwise as [`run`].
pub fn resume(session: Session, events: &mut dyn Observer) -> Result<RunRecord, ScheduleError> {
    Opening::Again.carry_out(session, &mut Processes::here(), events)
}

/// How the record comes to be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// A new file.
    New,
    /// The file of a run that was killed.
    Again,
}

impl Opening {
    pub(crate) fn carry_out(
        self,
        session: Session,
        executor: &mut dyn Executor,
        events: &mut dyn Observer,
    ) -> Result<RunRecord, ScheduleError> {
        self.prepared(session, executor, events, all_places)
    }

    /// Checks, locks the host, opens the record, and has `action` do the trials.
    pub(crate) fn prepared(
        self,
        session: Session,
        executor: &mut dyn Executor,
        events: &mut dyn Observer,
        action: impl FnOnce(&mut Work<'_>) -> Result<u64, ScheduleError>,
    ) -> Result<RunRecord, ScheduleError> {
        fit::check(&session)?;
        let pki = fs::canonicalize(&session.pki).map_err(|error| {
            let path = session.pki.display();
            ScheduleError::Unfit(format!("the certificates in {path} can't be used: {error}"))
        })?;
        let cpus = Cpus::choose(&HostFiles::here(), session.options.cpu)?;
        let lock = session.options.lock.clone().unwrap_or_else(lock::default_path);
        // Whoever asks for something impossible shall not wait for hours to hear it.
        self.open_is_possible(&session)?;
        let _host = lock::take(&lock, !session.options.no_wait, events)?;
        let _off = StayOff::of(&cpus);
        let file = self.open(&session, events)?;
        if file.record().finish.is_some() {
            return Ok(file.into_record());
        }
        let mut work = Work {
            tools: Tools::find(&session.options)?,
            plan: &session.plan,
            contestants: &session.contestants,
            pki: &pki,
            cpus: &cpus,
            executor,
            events,
            file,
            estimate: Estimate::default(),
        };
        let planned = action(&mut work)?;
        work.file.finish(Some(Finish { at_ms: time::now_ms(), planned }))?;
        work.events.on(&Event::Finished { trials: work.file.record().trials.len() as u64 });
        Ok(work.file.into_record())
    }

    fn open_is_possible(self, session: &Session) -> Result<(), ScheduleError> {
        let path = record_path(&session.out);
        match self {
            Self::New if path.symlink_metadata().is_ok() => {
                Err(RecordFileError::Exists(path).into())
            }
            Self::New => Ok(()),
            Self::Again => agrees(&load_record(&session.out)?, session),
        }
    }

    fn open(
        self,
        session: &Session,
        events: &mut dyn Observer,
    ) -> Result<RecordFile, ScheduleError> {
        let path = record_path(&session.out);
        if self == Self::New {
            fs::create_dir_all(&session.out)
                .map_err(|source| RecordFileError::Write { path: session.out.clone(), source })?;
            return Ok(RecordFile::create(&path, new_record(session))?);
        }
        let (file, dropped) = RecordFile::reopen(&path)?;
        // It may have changed while this one waited.
        agrees(file.record(), session)?;
        if dropped > 0 {
            events.on(&Event::Recovered { dropped });
        }
        Ok(file)
    }
}

fn agrees(record: &RunRecord, session: &Session) -> Result<(), ScheduleError> {
    let differences = fit::differences(record, session);
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
        subjects: session.contestants.iter().map(|c| c.entry.clone()).collect(),
        unsupported: vec![],
        trials: vec![],
        calibration: session.calibration.clone(),
        finish: None,
    }
}

/// Every planned trial that the record lacks. Returns how many there are in the end.
fn all_places(work: &mut Work<'_>) -> Result<u64, ScheduleError> {
    let all = order::places(work.plan, work.contestants.len());
    let had: BTreeSet<(u32, u32)> =
        work.file.record().trials.iter().map(|trial| (trial.block, trial.position)).collect();
    let done = had.len() as u64;
    let rest: Vec<Place> =
        all.into_iter().filter(|place| !had.contains(&(place.block, place.position))).collect();
    let mut barred = work.barred();
    let open = rest.iter().filter(|place| !barred.has(place)).count() as u64;
    work.events.on(&Event::Begun { planned: done + open, done });
    for (index, place) in rest.iter().enumerate() {
        if !barred.has(place) {
            work.trial(place, &rest[index + 1..])?;
            barred = work.barred();
        }
    }
    Ok(work.file.record().trials.len() as u64)
}

#[cfg(test)]
mod tests;
