//! `shakedown schema`.

use crate::exit::Exit;
use anyhow::Result;
use shakedown_protocol::RunRecord;

/// Prints the JSON Schema of `record.json`, generated from the types that read it.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Prints the schema.
///
/// # Errors
/// When nobody reads it.
pub fn run(_: Args) -> Result<Exit> {
    crate::output::print_json(&RunRecord::json_schema())?;
    Ok(Exit::Done)
}
