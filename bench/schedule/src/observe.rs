//! What a run tells whoever watches it.

use serde::{Deserialize, Serialize};
use shakedown_protocol::{Meter, Scenario, Trial, Unsupported};
use std::{fmt, time::Duration};

/// Who has the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// User name.
    pub user: String,
    /// Start, in milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// The command line.
    pub command: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, user, command, .. } = self;
        write!(f, "process {pid} of {user} measures since {} (`{command}`)", self.since())
    }
}

impl Holder {
    /// Start as a UTC time for people.
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
pub enum Event<'a> {
    /// Another run has the host; this one waits. Comes again when the holder changes.
    Waiting(&'a Holder),
    /// The file ended in the middle of a trial, which is dropped and measured again.
    Recovered {
        /// Bytes that were cut off.
        dropped: u64,
    },
    /// The host is ours; trials follow.
    Begun {
        /// Trials that the plan has; fewer will run where subjects can't do a scenario.
        planned: u64,
        /// Trials that the record has already.
        done: u64,
    },
    /// A process is started.
    Started {
        /// Name of the subject's entry.
        subject: &'a str,
        /// What it measures.
        scenario: &'a Scenario,
        /// With which instrument.
        meter: Meter,
        /// Block, counted from 0.
        block: u32,
        /// Blocks that the plan has.
        blocks: u32,
    },
    /// A trial ended and is saved. A lost one carries its stderr.
    Ended {
        /// The trial.
        trial: &'a Trial,
        /// Trials that are done now.
        done: u64,
        /// Trials that are planned now, without what turned out to be unsupported.
        planned: u64,
        /// Estimate of the time that is left.
        left: Duration,
    },
    /// A subject can't do a scenario; it is not tried again.
    Unsupported(&'a Unsupported),
    /// A block of a comparison is over, and the judge has seen it.
    Judged {
        /// The block, counted from 0.
        block: u32,
        /// Cells that are still open.
        open: usize,
    },
    /// All is measured.
    Finished {
        /// Trials in the record.
        trials: u64,
    },
}

/// Watches a run.
pub trait Observer {
    /// Called for each event, on the thread that runs the trials, between them.
    fn on(&mut self, event: &Event<'_>);
}

impl<F: FnMut(&Event<'_>)> Observer for F {
    fn on(&mut self, event: &Event<'_>) {
        self(event);
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn on(&mut self, _: &Event<'_>) {}
}
