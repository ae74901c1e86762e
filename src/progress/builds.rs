//! How builds go.

use super::bar::{QUIET, bar};
use crate::output::say;
use indicatif::{MultiProgress, ProgressBar};
use shakedown_builder::{BuildEvent, Progress};
use shakedown_protocol::Subject;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

/// Shows how builds go, each with a bar of its own, and how many of all are done.
pub struct Builds {
    bars: MultiProgress,
    total: usize,
    done: Arc<AtomicUsize>,
}

impl Builds {
    /// Says how many there are.
    pub fn new(total: usize) -> Self {
        say(format_args!("{total} to build, unless built before"));
        Self { total, ..Self::uncounted() }
    }

    /// Of work of which nobody knows how much there is.
    pub fn uncounted() -> Self {
        Self { bars: MultiProgress::new(), total: 0, done: Arc::default() }
    }

    /// Shows one more build. Its bar goes away when it is dropped.
    pub fn begin(&self) -> BuildProgress {
        let bar = bar("{spinner} building {prefix}  {msg}  [{elapsed}]");
        let bar = bar.map(|bar| self.bars.add(bar));
        let (bars, total, done) = (self.bars.clone(), self.total, Arc::clone(&self.done));
        BuildProgress { bars, bar, last: Mutex::new(Instant::now()), total, done }
    }
}

/// Shows how one build goes.
pub struct BuildProgress {
    bars: MultiProgress,
    bar: Option<ProgressBar>,
    last: Mutex<Instant>,
    total: usize,
    done: Arc<AtomicUsize>,
}

impl BuildProgress {
    /// Prints a line above all bars, or as it is.
    fn line(&self, text: &str) {
        self.bars.suspend(|| say(text));
    }

    /// Counts one more, and says which of all it was.
    fn done(&self) -> String {
        let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        if self.total == 0 { String::new() } else { format!("{done} of {}: ", self.total) }
    }

    fn is_due(&self) -> bool {
        let Ok(mut last) = self.last.lock() else { return false };
        let due = last.elapsed() >= QUIET;
        if due {
            *last = Instant::now();
        }
        due
    }
}

impl Drop for BuildProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress for BuildProgress {
    fn report(&self, subject: &Subject, event: &BuildEvent) {
        if let Some(bar) = &self.bar {
            bar.set_prefix(subject.to_string());
        }
        let bar = self.bar.as_ref();
        match event {
            BuildEvent::Cached => {
                self.line(&format!("{}{subject}, built before", self.done()));
            }
            BuildEvent::Waiting { holder } => {
                self.line(&format!("{subject}: waiting, {holder} builds it"));
            }
            BuildEvent::Phase { phase, elapsed } => match bar {
                Some(bar) => bar.set_message(phase.to_string()),
                None => say(format_args!("{subject}: {phase} ({} s)", elapsed.as_secs())),
            },
            BuildEvent::Step { lines, expected, elapsed } => {
                // Another version takes other steps: an estimate that was passed is none.
                let expected = expected.filter(|all| lines <= all);
                let of = expected.map_or_else(String::new, |all| format!(" of about {all}"));
                match bar {
                    Some(bar) => bar.set_message(format!("{lines}{of} steps")),
                    None if self.is_due() => {
                        say(format_args!("{subject}: {lines}{of} steps ({} s)", elapsed.as_secs()));
                    }
                    None => {}
                }
            }
            BuildEvent::Done { elapsed } => {
                self.line(&format!("{}{subject}, built in {} s", self.done(), elapsed.as_secs()));
            }
        }
    }
}
