//! A judgement as the end of a command.

use crate::{
    exit::Exit,
    output::{print, print_json},
    record::page_beside,
};
use anyhow::Result;
use shakedown_gate::Judgement;
use shakedown_report::{Screen, Verdicts};
use std::path::Path;

/// Prints the judgement on a record; its consequence is the exit code.
///
/// # Errors
/// When nobody reads it.
pub fn show(record: &Path, judgement: &Judgement, verdicts: &Verdicts, json: bool) -> Result<Exit> {
    if json {
        print_json(judgement)?;
    } else {
        print(&verdicts.text(Screen::stdout(), &page_beside(record)))?;
    }
    Ok(judgement.consequence.into())
}
