//! A bar on a terminal, and the lines beside it.

use crate::output::say;
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    io::{IsTerminal, stderr},
    time::Duration,
};

/// Elsewhere than on a terminal, a line is printed at most this often for the same thing.
pub(super) const QUIET: Duration = Duration::from_secs(15);

/// A bar, on a terminal.
pub(super) fn bar(template: &str) -> Option<ProgressBar> {
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
pub(super) fn line(bar: Option<&ProgressBar>, text: &str) {
    match bar {
        Some(bar) => bar.suspend(|| say(text)),
        None => say(text),
    }
}
