//! The words of Shakedown as types: what is measured ([`Scenario`], [`Side`], [`Metric`]),
//! under test ([`Subject`], [`Artifact`]), observed ([`Trial`], [`HostFacts`]) and kept
//! ([`RunRecord`]). Everything here is data: no file, clock or process is touched, so that
//! any program can depend on it and every value can be tested without a machine.
//!
//! Names that people read and that are stored (scenario ids, subject names, metrics) parse
//! and print both ways and never change their meaning; see `docs/glossary.md`.

mod artifact;
pub mod counters;
mod driver;
#[cfg(feature = "fixture")]
pub mod fixture;
mod host;
mod metric;
mod names;
mod noise;
mod record;
mod scenario;
mod size;
mod subject;
mod trial;

pub use artifact::{Artifact, CompilerSeen, SourceSeen};
pub use driver::{
    DRIVER_PROTOCOL, DriverInfo, Measured, Meter, Refusal, Reply, Request, UnsupportedReason,
};
pub use host::{Cpu, Epoch, HostFacts, Knob, KnobState};
pub use metric::{Better, Metric, Unit};
pub use names::NameError;
pub use noise::{Calibration, Noise};
pub use record::{
    Aslr, Finish, Plan, RecordError, RunRecord, SCHEMA_VERSION, SubjectEntry, Unsupported,
};
pub use scenario::{CipherSuite, Group, Key, Kind, Resumption, Scenario, Side, TlsVersion};
pub use size::Size;
pub use subject::{Subject, SubjectError, Version, is_commit};
pub use trial::{
    Counts, Direction, Flaw, HostWatch, Latency, MemoryPoint, Negotiated, Outcome, Sample,
    SideResult, Trial, Wire,
};
