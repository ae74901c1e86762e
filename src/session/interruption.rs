//! What a run says when somebody stops it.

use crate::output::say;
use anyhow::{Context, Result};
use shakedown_report::word;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::{Handle, Signals},
    low_level::{emulate_default_handler, signal_name},
};
use std::{path::Path, thread};

/// While it lives, SIGINT, SIGTERM and SIGHUP end the command as ever, but not before it has said
/// what is kept and how to go on, and has removed what trials in flight wrote. Trials are in process groups
/// of their own, so that Ctrl-C on a terminal ends none of them in a way that the record would take for a
/// lost trial.
pub struct InterruptionNotice {
    handle: Handle,
}

impl InterruptionNotice {
    /// Says where the run goes, and waits for signals. `resume` is the command that finishes the run
    /// in `out`, where there is one.
    ///
    /// # Errors
    /// If the system refuses a signal handler or a thread.
    pub fn new(out: &Path, resume: Option<&str>) -> Result<Self> {
        say(format_args!("results go to {}", out.display()));
        let kept = match resume {
            Some(resume) => format!("What was measured is kept. Finish the run with:\n  {resume}"),
            None => format!("What was measured is kept in {}", out.display()),
        };
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("no signal handler")?;
        let handle = signals.handle();
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                for signal in &mut signals {
                    say(format_args!(
                        "stopped by {}. {kept}",
                        signal_name(signal).unwrap_or("a signal")
                    ));
                    shakedown_schedule::stop_trials();
                    let _ = emulate_default_handler(signal);
                }
            })
            .context("can't wait for signals")?;
        Ok(Self { handle })
    }
}

impl Drop for InterruptionNotice {
    fn drop(&mut self) {
        self.handle.close();
    }
}

/// The command that finishes the run in `out`.
pub fn resume_line(verb: &str, out: &Path, options: &[String]) -> String {
    let words = ["shakedown", verb, "--resume", &*out.to_string_lossy()].map(word);
    let options = options.iter().map(|option| word(option));
    words.into_iter().chain(options).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_a_shell_reads_as_it_was_meant() {
        let line = resume_line("run", Path::new("my runs/1"), &["--cpu".into(), "3".into()]);
        assert_eq!(line, "shakedown run --resume 'my runs/1' --cpu 3");
    }
}
