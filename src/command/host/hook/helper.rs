//! Asking the helper, which is root, for one of its few verbs.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::{
    io::{Read, Write},
    net::Shutdown,
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

/// More than tuning any host takes.
const PATIENCE: Duration = Duration::from_secs(180);
/// An answer is a table; more is not read.
const LONGEST: u64 = 4 << 20;

/// What the helper said.
#[derive(Debug)]
pub(super) struct Answer {
    /// What the verb printed.
    pub text: String,
    /// Its exit code.
    pub code: u8,
}

/// Asks for a verb. There are no arguments.
///
/// # Errors
/// If nobody listens, or the answer is cut off.
pub(super) fn ask(socket: &Path, verb: &str) -> Result<Answer> {
    let lost = || {
        format!(
            "can't ask the helper at {}: is shakedown-helper.socket active? (systemctl status shakedown-helper.socket)",
            socket.display()
        )
    };
    let mut stream = UnixStream::connect(socket).with_context(lost)?;
    stream.set_read_timeout(Some(PATIENCE)).with_context(lost)?;
    stream.write_all(format!("{verb}\n").as_bytes()).with_context(lost)?;
    stream.shutdown(Shutdown::Write).with_context(lost)?;
    let mut text = String::new();
    stream.take(LONGEST).read_to_string(&mut text).with_context(lost)?;
    // The last line is the exit code: without it the helper died in the middle.
    let code = text.trim_end().rsplit('\n').next().and_then(|line| line.strip_prefix("exit "));
    let Some(code) = code.and_then(|code| code.parse().ok()) else {
        bail!(
            "the helper did not finish `{verb}`; its journal tells why: journalctl -u 'shakedown-helper@*'"
        );
    };
    let end = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    text.truncate(end);
    Ok(Answer { text, code })
}

/// What `shakedown host check --json` prints.
#[derive(Debug, Deserialize)]
struct Check {
    fit: bool,
    epoch: String,
    knobs: Vec<protocol::Knob>,
}

/// The host's epoch, and why it is not fit; no reasons if it is.
///
/// # Errors
/// If the helper does not answer with a check.
pub(super) fn check(socket: &Path) -> Result<(String, Vec<String>)> {
    let answer = ask(socket, "check")?;
    let check: Check = serde_json::from_str(&answer.text).with_context(|| {
        format!("the helper's `check` ended with {} and printed no check", answer.code)
    })?;
    if check.fit {
        return Ok((check.epoch, Vec::new()));
    }
    let differ = check.knobs.iter().filter(|knob| knob.state == protocol::KnobState::Differs);
    let mut why: Vec<String> = differ
        .map(|knob| {
            let shown =
                |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
            format!("{} is {}, wanted {}", knob.name, shown(&knob.found), shown(&knob.wanted))
        })
        .collect();
    if why.is_empty() {
        why.push("`shakedown host check` says so".to_owned());
    }
    Ok((check.epoch, why))
}
