//! What the helper, which is root, says of the host.

use anyhow::{Context, Result};
use serde::Deserialize;
pub(super) use shakedown_host::helper::ask;
use std::path::Path;

/// What `shakedown host check --json` prints.
#[derive(Debug, Deserialize)]
struct Check {
    fit: bool,
    epoch: String,
    knobs: Vec<shakedown_protocol::Knob>,
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
    let differ =
        check.knobs.iter().filter(|knob| knob.state == shakedown_protocol::KnobState::Differs);
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
