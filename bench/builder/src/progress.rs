//! Progress of builds.

use shakedown_protocol::Subject;
use std::time::Duration;

/// A part of a build that takes time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildPhase {
    /// Fetching and verifying the source.
    Source,
    /// A step of the library's own build, under its name in the catalog.
    Library(String),
    /// Resolving and fetching the crates of the driver.
    Crates,
    /// Compiling the probes of the driver, to find out which API the library has.
    Probes,
    /// Compiling the driver.
    Driver,
    /// Linking with other section orders.
    Links,
}

impl std::fmt::Display for BuildPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Source => f.pad("source"),
            Self::Library(step) => f.pad(&format!("library: {step}")),
            Self::Crates => f.pad("crates"),
            Self::Probes => f.pad("probes"),
            Self::Driver => f.pad("driver"),
            Self::Links => f.pad("links"),
        }
    }
}

/// An event of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildEvent {
    /// The artifact was in the cache; nothing else follows.
    Cached,
    /// Waiting for another process with the same build.
    Waiting {
        /// Description of that process.
        holder: String,
    },
    /// A phase began. It ends when the next one begins, or with [`BuildEvent::Done`].
    Phase {
        /// The phase.
        phase: BuildPhase,
        /// Time since the start of this build.
        elapsed: Duration,
    },
    /// Progress of the running phase.
    Step {
        /// Lines of output so far: about one per compiler call.
        lines: u64,
        /// Lines of the same phase last time on this machine, if known.
        expected: Option<u64>,
        /// Time since the start of this build.
        elapsed: Duration,
    },
    /// The artifact is ready.
    Done {
        /// Duration of the build.
        elapsed: Duration,
    },
}

/// Receives the events of a build, on the building thread and up to a few times per second.
/// Implementations should return quickly.
pub trait Progress {
    /// `event` happened in the build of `subject`.
    fn report(&self, subject: &Subject, event: &BuildEvent);
}

/// Ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentProgress;

impl Progress for SilentProgress {
    fn report(&self, _: &Subject, _: &BuildEvent) {}
}
