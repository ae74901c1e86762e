//! Plan, interleave, pin, execute, watch the host, save as it goes.
//!
//! A [`Suite`] (TOML under `bench/catalog/suites`) becomes a [`shakedown_protocol::Plan`]; [`run`] carries the
//! plan out over [`Contestant`]s, in blocks, each trial in a fresh process, and keeps `record.json`
//! valid after every trial; [`resume`] finishes a run that was killed. Nothing here prints:
//! whoever calls hands in an [`Observer`].

mod contestant;
mod cpus;
mod error;
mod estimate;
mod execute;
mod fit;
mod flaws;
mod load;
mod lock;
mod observe;
mod order;
mod pairs;
mod random;
mod record;
mod session;
mod suite;
#[cfg(test)]
mod testing;
mod time;
mod verify;
mod work;

pub use contestant::{Contestant, DescribeError, describe};
pub use error::{RecordFileError, ScheduleError};
pub use load::Load;
pub use lock::{HostLock, default_path as host_lock, take as take_host};
pub use observe::{Event, Holder, Observer, Silent};
pub use pairs::{Cell, Judge, Pairing, compare, resume_comparison};
pub use session::{Options, Session, load_record, new_id, record_path, resume, run};
pub use suite::{PlanOptions, Suite, SuiteError};
