//! A judgement as the end of a command.

use crate::{
    exit::Exit,
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_gate::Judgement;
use shakedown_report::Verdicts;

/// Prints a judgement and turns it into an exit code.
///
/// # Errors
/// When nobody reads it.
pub fn show(judgement: &Judgement, verdicts: &Verdicts, json: bool) -> Result<Exit> {
    if json {
        print_json(judgement)?;
    } else {
        print(&verdicts.text())?;
    }
    Ok(match judgement.exit_code {
        0 => Exit::Done,
        5 => Exit::Inconclusive,
        _ => Exit::Regressed,
    })
}
