//! How a caller follows a build.

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
    /// Linking in other orders.
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

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildEvent {
    /// The artifact was in the cache; nothing else follows.
    Cached,
    /// Another process is building the same; it is named, and this one waits.
    Waiting {
        /// Who holds it, in words.
        holder: String,
    },
    /// A phase began. It ends when the next one begins, or with [`BuildEvent::Done`].
    Phase {
        /// Which.
        phase: BuildPhase,
        /// Since the build of this subject began.
        elapsed: Duration,
    },
    /// The running phase moved on.
    Step {
        /// Lines that its tool wrote so far: one a compiler call, more or less.
        lines: u64,
        /// How many lines the same phase wrote last time on this machine, where known.
        expected: Option<u64>,
        /// Since the build of this subject began.
        elapsed: Duration,
    },
    /// The artifact is there.
    Done {
        /// The whole build.
        elapsed: Duration,
    },
}

/// Is told how a build goes. Called from the thread that builds, up to a few times a
/// second, so implementations should return quickly.
pub trait Progress {
    /// `event` happened in the build of `subject`.
    fn report(&self, subject: &Subject, event: &BuildEvent);
}

/// Hears and says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentProgress;

impl Progress for SilentProgress {
    fn report(&self, _: &Subject, _: &BuildEvent) {}
}
