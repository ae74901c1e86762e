//! Runs a plan: interleaves the trials, pins them, executes the drivers, watches the host, and
//! saves every trial as it ends.
//!
//! A [`Suite`] (TOML under `bench/catalog/suites`) becomes a [`shakedown_protocol::RunPlan`]; [`run`] carries the
//! plan out over [`BuiltSubject`]s, in blocks, each trial in a fresh process, takes counts on other CPUs, and keeps `record.json`
//! valid after every trial; [`resume`] finishes a run that was killed. [`compare`] runs base and
//! head in ABBA groups until a [`StoppingRule`] has decided every cell.
//!
//! This crate must not know what a verdict is, how subjects are built, or how results are shown.
//! It prints nothing: callers pass an [`Observer`].

mod background_load;
mod comparison;
mod counting;
mod cpus;
mod error;
mod estimate;
mod execute;
mod flaws;
mod inputs;
mod links;
mod lock;
mod observe;
mod order;
mod paired_block;
mod paired_run;
mod preflight;
mod profile;
mod random;
mod record;
mod run_log;
mod runner;
mod session;
mod stopping_rule;
mod subject;
mod suite;
#[cfg(test)]
mod testing;
mod time;
mod verify;

pub use background_load::BackgroundLoad;
pub use comparison::{compare, resume_comparison};
pub use cpus::check_cpu;
pub use error::{RecordFileError, ScheduleError};
pub use execute::stop_trials;
pub use inputs::{Session, SessionOptions};
pub use lock::{HostLock, default_path as host_lock, take as take_host};
pub use observe::{LockHolder, Observer, RunEvent, SilentObserver};
pub use profile::{
    OperationEvents, ProfiledScenario, ProfilingError, operation_events, profile_heap,
    profile_instructions, transcribe,
};
pub use session::{load_record, new_id, record_path, resume, run};
pub use stopping_rule::{ScenarioMeter, StoppingRule};
pub use subject::{BuiltSubject, DescribeError, LinkSupply, describe};
pub use suite::{PlanOptions, Suite, SuiteError};
