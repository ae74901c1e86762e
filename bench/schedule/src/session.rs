//! One run, from its beginning or from where it was killed.

use crate::{Contestant, Observer, RecordFileError, ScheduleError};
use protocol::{HostFacts, Plan, RunRecord};
use std::path::{Path, PathBuf};

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
}

/// A new id for a run: UTC time and a random part, fit for a folder's name.
pub fn new_id() -> String {
    todo!()
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
    let _ = out;
    todo!()
}

/// Carries out a plan. Blocks until all is measured.
///
/// # Errors
/// [`ScheduleError`]; what is saved by then stays whole and can be resumed.
pub fn run(session: Session, events: &mut dyn Observer) -> Result<RunRecord, ScheduleError> {
    let _ = (session, events);
    todo!()
}

/// Finishes the run in `session.out`: exactly the planned trials that it lacks, in their order.
///
/// # Errors
/// [`ScheduleError::Differs`] when host epoch, artifacts or plan are not what they were;
/// otherwise as [`run`].
pub fn resume(session: Session, events: &mut dyn Observer) -> Result<RunRecord, ScheduleError> {
    let _ = (session, events);
    todo!()
}
