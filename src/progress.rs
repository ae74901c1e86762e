//! What is shown while something takes long: bars on a terminal, plain lines elsewhere.

use crate::output::say;
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressStyle};
use shakedown_builder::{BuildEvent, Progress};
use shakedown_protocol::{DriverRefusal, Subject, TrialOutcome};
use shakedown_schedule::{Observer, RunEvent};
use std::{
    io::{IsTerminal, stderr},
    sync::Mutex,
    time::{Duration, Instant},
};

/// Elsewhere than on a terminal, a line is printed at most this often for the same thing.
const QUIET: Duration = Duration::from_secs(15);

fn bar(template: &str) -> Option<ProgressBar> {
    if !stderr().is_terminal() {
        return None;
    }
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    Some(bar)
}

/// Prints a line above the bar, or as it is.
fn line(bar: Option<&ProgressBar>, text: &str) {
    match bar {
        Some(bar) => bar.suspend(|| say(text)),
        None => say(text),
    }
}

/// Shows how builds go, each with a bar of its own.
pub struct Builds {
    bars: MultiProgress,
}

impl Builds {
    /// Shows nothing yet.
    pub fn new() -> Self {
        Self { bars: MultiProgress::new() }
    }

    /// Shows one more build. Its bar goes away when it is dropped.
    pub fn begin(&self) -> BuildProgress {
        let bar = bar("{spinner} building {prefix}  {msg}  [{elapsed}]");
        let bar = bar.map(|bar| self.bars.add(bar));
        BuildProgress { bars: self.bars.clone(), bar, last: Mutex::new(Instant::now()) }
    }
}

/// Shows how one build goes.
pub struct BuildProgress {
    bars: MultiProgress,
    bar: Option<ProgressBar>,
    last: Mutex<Instant>,
}

impl BuildProgress {
    /// Prints a line above all bars, or as it is.
    fn line(&self, text: &str) {
        self.bars.suspend(|| say(text));
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
            BuildEvent::Cached => self.line(&format!("{subject}: built before")),
            BuildEvent::Waiting { holder } => {
                self.line(&format!("{subject}: waiting, {holder} builds it"));
            }
            BuildEvent::Phase { phase, elapsed } => match bar {
                Some(bar) => bar.set_message(phase.to_string()),
                None => say(format_args!("{subject}: {phase} ({} s)", elapsed.as_secs())),
            },
            BuildEvent::Step { lines, expected, elapsed } => {
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
                self.line(&format!("{subject}: built in {} s", elapsed.as_secs()));
            }
        }
    }
}

/// Shows how a run goes.
pub struct RunProgress {
    bar: Option<ProgressBar>,
    last: Instant,
    lost: u64,
}

impl RunProgress {
    /// Shows nothing yet.
    pub fn new() -> Self {
        Self { bar: bar("{bar:30} {pos}/{len}  {msg}"), last: Instant::now(), lost: 0 }
    }

    /// Takes the bar away and says what was lost.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.lost > 0 {
            say(format_args!("{} trials gave no number; the report names them", self.lost));
        }
    }

    fn ended(
        &mut self,
        trial: &shakedown_protocol::Trial,
        done: u64,
        planned: u64,
        left: Duration,
    ) {
        let bar = self.bar.as_ref();
        let what = || format!("{} {} (block {})", trial.subject, trial.scenario, trial.block + 1);
        match &trial.outcome {
            TrialOutcome::Measured(_) | TrialOutcome::Refused(DriverRefusal::Unsupported(_)) => {}
            TrialOutcome::Refused(DriverRefusal::Broken(why) | DriverRefusal::Failed(why)) => {
                self.lost += 1;
                line(bar, &format!("no number from {}: {why}", what()));
            }
            TrialOutcome::Lost { reason, stderr } => {
                self.lost += 1;
                line(bar, &format!("lost {}: {reason}", what()));
                stderr.lines().for_each(|text| line(bar, &format!("  | {}", text.escape_debug())));
            }
        }
        match bar {
            Some(bar) => {
                bar.set_length(planned);
                bar.set_position(done);
                bar.set_message(format!("{} left", HumanDuration(left)));
            }
            None if self.last.elapsed() >= QUIET => {
                self.last = Instant::now();
                say(format_args!("{done} of {planned} trials, {} left", HumanDuration(left)));
            }
            None => {}
        }
    }
}

impl Observer for RunProgress {
    fn on(&mut self, event: &RunEvent<'_>) {
        let bar = self.bar.as_ref();
        match event {
            RunEvent::Waiting(holder) => line(bar, &format!("waiting: {holder}")),
            RunEvent::Recovered { dropped } => {
                line(
                    bar,
                    &format!("the record ended in a half-written trial: {dropped} bytes cut off"),
                );
            }
            RunEvent::Begun { planned, done } => {
                if let Some(bar) = bar {
                    bar.set_length(*planned);
                    bar.set_position(*done);
                }
                line(bar, &format!("measuring: {planned} trials, {done} of them done before"));
            }
            RunEvent::Ended { trial, done, planned, left } => {
                self.ended(trial, *done, *planned, *left);
            }
            RunEvent::Judged { block, open } => {
                let text = match open {
                    0 => format!("block {}: everything is decided", block + 1),
                    open => format!("block {}: {open} scenarios are still open", block + 1),
                };
                line(bar, &text);
            }
            RunEvent::Finished { trials } if bar.is_none() => {
                say(format_args!("{trials} trials measured"));
            }
            RunEvent::Unsupported(what) => {
                let text = format!("{} can't do {}: {}", what.subject, what.scenario, what.reason);
                line(bar, &text);
            }
            _ => {}
        }
    }
}
