//! `shakedown github intake`.

use super::args::Forge;
use crate::exit::Exit;
use anyhow::Result;
use clap::ValueHint;
use std::path::PathBuf;

/// Takes in the artifact of a pull request: a zip with `record.json` and nothing else. It is
/// unpacked and read within limits, and written anew from what was understood. Nothing in it
/// decides about verdict, pull request or commit: those who report judge again and ask the API.
///
/// Ends with 2 if it is refused, and leaves the reason in OUT/problem.txt, which `comment`,
/// `check`, `status` and `summary` tell in place of a verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The zip [default: fetched by --run and --artifact]
    #[arg(value_hint = ValueHint::FilePath, required_unless_present = "run")]
    zip: Option<PathBuf>,
    /// Folder for record.json; must not hold one yet
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Id of the workflow run whose artifact it is
    #[arg(long, value_name = "ID", conflicts_with = "zip")]
    run: Option<u64>,
    /// Name of the artifact
    #[arg(long, value_name = "NAME", default_value = "record")]
    artifact: String,
    /// History of the default branch: the noise of the host is taken from it, and what the
    /// record says of it is dropped [default: the record is believed, as with every number in it]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    history: Option<PathBuf>,
    /// Largest zip, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32)]
    max_zip: u64,
    /// Largest record, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    max_record: u64,
    #[command(flatten)]
    forge: Forge,
}

/// Does it.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(_args: Args) -> Result<Exit> {
    anyhow::bail!("not built in yet")
}
