//! What a run needs to start.

use crate::BuiltSubject;
use shakedown_protocol::{Calibration, CountTiming, HostFacts, RunPlan};
use std::path::PathBuf;

/// The inputs of a run.
#[derive(Debug, Clone)]
pub struct Session {
    /// Id of the run, from [`new_id`](crate::new_id); ignored when resuming.
    pub id: String,
    /// Version of the program, for the record.
    pub shakedown: String,
    /// Folder for `record.json`; created if missing.
    pub out: PathBuf,
    /// The plan.
    pub plan: RunPlan,
    /// The subjects, base first in a comparison.
    pub subjects: Vec<BuiltSubject>,
    /// The state of the host, read just before the run.
    pub host: HostFacts,
    /// Noise of this host, if calibrated; saved in the record.
    pub calibration: Option<Calibration>,
    /// Folder with the test certificates.
    pub pki: PathBuf,
    /// Options.
    pub options: SessionOptions,
}

/// Options of a run that do not change what is measured.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// CPU for the trials. Default: the last isolated CPU, or else the last CPU in this process's
    /// affinity mask.
    pub cpu: Option<u32>,
    /// When counts are taken. Default: after times.
    pub counts: Option<CountTiming>,
    /// Fail with [`ScheduleError::Busy`](crate::ScheduleError::Busy) instead of waiting for another run to end.
    pub no_wait: bool,
    /// Lock file. Default: one for the whole host.
    pub lock: Option<PathBuf>,
    /// The heap meter's library, preloaded into trials that count allocations. Without it they are
    /// unsupported.
    pub heap_meter: Option<PathBuf>,
    /// The lock meter's library, likewise.
    pub lock_meter: Option<PathBuf>,
    /// Valgrind, which counts instructions if hardware counters are unavailable. Default: the one in
    /// `PATH`.
    pub valgrind: Option<PathBuf>,
}
