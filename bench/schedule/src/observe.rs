//! Progress events of a run.

use serde::{Deserialize, Serialize};
use shakedown_protocol::{Meter, Scenario, Trial, Unsupported};
use std::{fmt, time::Duration};

/// The process that holds the host lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// Process id.
    pub pid: u32,
    /// User name.
    pub user: String,
    /// Start, in milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// The command line.
    pub command: String,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, user, command, .. } = self;
        write!(f, "process {pid} of {user} measures since {} (`{command}`)", self.since())
    }
}

impl LockHolder {
    /// Start as a readable UTC time.
    pub fn since(&self) -> String {
        i64::try_from(self.started_ms)
            .ok()
            .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
            .map_or_else(|| "an unknown time".to_owned(), |at| at.strftime("%F %T UTC").to_string())
    }
}

/// Something that happened in a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunEvent<'a> {
    /// Another run holds the host lock. Sent again when the holder changes.
    Waiting(&'a LockHolder),
    /// The record ended in the middle of a trial. That trial is dropped and measured again.
    Recovered {
        /// Bytes that were cut off.
        dropped: u64,
    },
    /// The run holds the host lock and starts its trials.
    Begun {
        /// Planned trials. Fewer run if a subject does not support a scenario.
        planned: u64,
        /// Trials already in the record.
        done: u64,
        /// Whether the run ends as soon as everything is decided: `planned` is then the most that
        /// it can take.
        at_most: bool,
    },
    /// A driver process starts.
    Started {
        /// Name of the subject's entry.
        subject: &'a str,
        /// What it measures.
        scenario: &'a Scenario,
        /// The meter.
        meter: Meter,
        /// Block, counted from 0.
        block: u32,
        /// Planned blocks.
        blocks: u32,
    },
    /// A trial has ended and is saved. A lost trial carries its stderr.
    Ended {
        /// The trial.
        trial: &'a Trial,
        /// Trials done so far.
        done: u64,
        /// Planned trials, without those found to be unsupported.
        planned: u64,
        /// Estimated time left; of a run that may end early, the most.
        left: Duration,
    },
    /// A subject does not support a scenario. It is not tried again.
    Unsupported(&'a Unsupported),
    /// A block of a comparison has ended and the stopping rule has evaluated it.
    Judged {
        /// The block, counted from 0.
        block: u32,
        /// Planned blocks.
        blocks: u32,
        /// Undecided cells.
        open: usize,
        /// Estimated time left, at most.
        left: Duration,
    },
    /// The run is complete.
    Finished {
        /// Trials in the record.
        trials: u64,
    },
}

/// Receives the events of a run.
pub trait Observer: Send {
    /// Called for each event, one at a time, by the threads that run trials.
    fn on(&mut self, event: &RunEvent<'_>);
}

impl<F: FnMut(&RunEvent<'_>) + Send> Observer for F {
    fn on(&mut self, event: &RunEvent<'_>) {
        self(event);
    }
}

/// Ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentObserver;

impl Observer for SilentObserver {
    fn on(&mut self, _: &RunEvent<'_>) {}
}
