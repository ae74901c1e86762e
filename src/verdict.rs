//! A judgement as the end of a command.

use crate::{
    exit::Exit,
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_gate::Judgement;
use shakedown_report::{Screen, Verdicts};

/// Prints a judgement; its consequence is the exit code.
///
/// # Errors
/// When nobody reads it.
pub fn show(judgement: &Judgement, verdicts: &Verdicts, json: bool) -> Result<Exit> {
    if json {
        print_json(judgement)?;
    } else {
        print(&verdicts.text(Screen::stdout()))?;
    }
    Ok(judgement.consequence.into())
}
