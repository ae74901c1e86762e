//! The data types of Shakedown: what is measured ([`Scenario`], [`Side`], [`Metric`]), what is
//! under test ([`Subject`], [`Artifact`]), what was observed ([`Trial`], [`HostFacts`]), and the
//! file that stores it all ([`RunRecord`]).
//!
//! This crate does no I/O and must not know how a value is measured, judged, stored or shown. It
//! touches no file, clock or process, so that any program can depend on it.
//!
//! Stored names (scenario ids, subject names, metrics) round-trip through parsing and printing, and
//! never change their meaning; see `docs/glossary.md`.

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
