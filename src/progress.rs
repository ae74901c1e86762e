//! What is shown while something takes long: bars on a terminal, plain lines elsewhere.

mod bar;
mod builds;

pub use builds::Builds;

use crate::output::say;
use bar::{QUIET, bar, line};
use indicatif::{HumanDuration, ProgressBar};
use shakedown_protocol::{DriverRefusal, TrialOutcome};
use shakedown_report::words::plural;
use shakedown_schedule::{Observer, RunEvent};
use std::time::{Duration, Instant};

/// Shows how a run goes.
pub struct RunProgress {
    bar: Option<ProgressBar>,
    last: Instant,
    lost: u64,
    extent: Extent,
}

/// How much there is to do at most, and where the run is.
#[derive(Debug, Default, Clone, Copy)]
struct Extent {
    /// Whether it may be less.
    at_most: bool,
    block: u32,
    blocks: u32,
}

impl Extent {
    fn most(self) -> &'static str {
        if self.at_most { "at most " } else { "" }
    }

    /// `block 2 of at most 4, at most 3 minutes left`.
    fn line(self, left: Duration) -> String {
        let (Self { block, blocks, .. }, most) = (self, self.most());
        format!("block {} of {most}{blocks}, {most}{} left", block + 1, HumanDuration(left))
    }
}

impl RunProgress {
    /// Shows nothing yet.
    pub fn new() -> Self {
        let bar = bar("{bar:20} {pos}/{len}  {msg}");
        Self { bar, last: Instant::now(), lost: 0, extent: Extent::default() }
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
                bar.set_message(self.extent.line(left));
            }
            None if self.last.elapsed() >= QUIET => {
                self.last = Instant::now();
                let (most, rest) = (self.extent.most(), self.extent.line(left));
                say(format_args!("{done} of {most}{planned} trials; {rest}"));
            }
            None => {}
        }
    }
}

/// What a block has decided, and what is left.
fn judged(block: u32, blocks: u32, open: usize, left: Duration) -> String {
    let of = format!("block {block} of at most {blocks}");
    let still_open = plural(open, "question is", "questions are") + " still open";
    match (open, blocks - block) {
        (0, _) => format!("{of}: everything is decided"),
        (_, 0) => format!("{of}: {still_open}"),
        (_, more) => format!(
            "{of}: {still_open}, at most {} and {} more",
            plural(more, "block", "blocks"),
            HumanDuration(left)
        ),
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
            RunEvent::Begun { planned, done, at_most } => {
                self.extent.at_most = *at_most;
                if let Some(bar) = bar {
                    bar.set_length(*planned);
                    bar.set_position(*done);
                }
                let most = self.extent.most();
                line(
                    bar,
                    &format!("measuring: {most}{planned} trials, {done} of them done before"),
                );
            }
            RunEvent::Ended { trial, done, planned, left } => {
                self.ended(trial, *done, *planned, *left);
            }
            RunEvent::Started { block, blocks, .. } => {
                (self.extent.block, self.extent.blocks) = (*block, *blocks);
            }
            RunEvent::Judged { block, blocks, open, left } => {
                line(bar, &judged(block + 1, *blocks, *open, *left));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_end_early_says_at_most() {
        let run = Extent { at_most: false, block: 0, blocks: 6 };
        assert_eq!(run.line(Duration::from_secs(125)), "block 1 of 6, 2 minutes left");
        let comparison = Extent { at_most: true, ..run };
        assert_eq!(
            comparison.line(Duration::from_secs(125)),
            "block 1 of at most 6, at most 2 minutes left"
        );
        for (block, open, said) in [
            (
                2,
                3,
                "block 2 of at most 4: 3 questions are still open, at most 2 blocks and 2 minutes more",
            ),
            (
                3,
                1,
                "block 3 of at most 4: 1 question is still open, at most 1 block and 2 minutes more",
            ),
            (4, 1, "block 4 of at most 4: 1 question is still open"),
            (1, 0, "block 1 of at most 4: everything is decided"),
        ] {
            assert_eq!(judged(block, 4, open, Duration::from_secs(125)), said);
        }
    }
}
