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
mod fallback;
#[cfg(feature = "fixture")]
pub mod fixture;
mod host;
mod host_watch;
mod lost;
mod median;
mod metric;
mod names;
mod negotiated;
mod noise;
mod record;
mod scenario;
mod side_result;
mod size;
mod subject;
mod transcript;
mod trial;

pub use artifact::{Artifact, CompilerSeen, SourceSeen};
pub use driver::{
    DRIVER_PROTOCOL, DriverInfo, DriverRefusal, DriverReply, DriverRequest, Measurement, Meter,
    UnsupportedReason,
};
pub use fallback::{Backfill, FailedBuild, Fallback, Incompatible, Misfit};
pub use host::{CpuInfo, Epoch, HostFacts, Knob, KnobState};
pub use host_watch::{Flaw, HostWatch};
pub use lost::{Implausibility, LostReason, Mismatch, Parameter};
pub use median::median;
pub use metric::{Better, Metric, Unit};
pub use names::NameError;
pub use negotiated::{Negotiated, SentTraffic, WireTraffic};
pub use noise::{Calibration, MetricNoise};
pub use record::{
    Aslr, ComparisonBudget, CountTiming, RecordError, RunCompletion, RunPlan, RunRecord,
    SCHEMA_VERSION, SubjectEntry, SuiteFile, Unsupported,
};
pub use scenario::{
    AeadWork, AgreementWork, Algorithm, CertificateKey, CipherSuite, Encoding, Group, HashFunction,
    Kem, KemWork, Load, Primitive, RecordLimit, Resumption, Scenario, ScenarioError, ScenarioKind,
    SetupWork, Side, SignatureWork, TicketCount, TlsScenario, TlsVersion, Verification,
};
pub use side_result::{Counts, Latency, MemoryPoint, Sample, SideResult};
pub use size::Size;
pub use subject::{Subject, SubjectError, SubjectVersion, is_commit};
pub use transcript::{APPLICATION_DATA, Flight, TlsRecord, Transcript, TranscriptReply};
pub use trial::{Trial, TrialOutcome};
