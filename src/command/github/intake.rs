//! `shakedown github intake`.

use super::args::ForgeArgs;
use crate::{exit::Exit, github::intake};
use anyhow::{Result, bail};
use clap::ValueHint;
use shakedown_forge::{artifact, intake::IntakeLimits};
use std::{fs, path::PathBuf};

/// Unpacks the artifact of a pull request: a zip with `record.json`, and `explanation.json` if there is
/// one. They are unpacked and parsed within limits, and what was parsed is written to new files. An
/// explanation that is not sound, or of another record, is left out. Nothing in the artifact determines the
/// verdict, the pull request or the commit: reporting commands judge again and ask the API.
///
/// Exits with 2 if the artifact is refused, and writes the reason to OUT/problem.txt, which
/// `comment`, `check`, `status` and `summary` report in place of a verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The zip file [default: downloaded from --run and --artifact]
    #[arg(value_hint = ValueHint::FilePath, required_unless_present = "run")]
    zip: Option<PathBuf>,
    /// Folder for record.json; must not contain one yet
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Id of the workflow run that uploaded the artifact
    #[arg(long, value_name = "ID", conflicts_with = "zip")]
    run: Option<u64>,
    /// Name of the artifact
    #[arg(long, value_name = "NAME", default_value = "record")]
    artifact: String,
    /// History of the default branch. The host's noise is taken from it instead of from the record
    /// [default: the record's own calibration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    history: Option<PathBuf>,
    /// Maximum size of the zip, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32)]
    max_zip: u64,
    /// Maximum size of the record, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    max_record: u64,
    #[command(flatten)]
    forge: ForgeArgs,
}

/// Downloads, unpacks and parses the artifact.
///
/// # Errors
/// Why it is refused; errors of the forge.
pub fn run(args: Args) -> Result<Exit> {
    let mib = |mib: u64| mib.saturating_mul(1 << 20);
    let limits = IntakeLimits {
        archive: mib(args.max_zip),
        record: mib(args.max_record),
        ..IntakeLimits::default()
    };
    let (out, history) = (&args.out, args.history.as_deref());
    let record = intake::keep(out, || match (&args.zip, args.run) {
        (Some(zip), _) => intake::unpack(zip, &limits, history),
        (None, Some(run)) => {
            let zip = out.join(".artifact.zip");
            let (name, limit) = (&args.artifact, limits.archive);
            let fetched = args.forge.with(|forge| artifact::fetch(forge, run, name, &zip, limit));
            let record = fetched.and_then(|()| intake::unpack(&zip, &limits, history));
            let _ = fs::remove_file(&zip);
            record
        }
        (None, None) => bail!("no archive: name a file, or give --run ID"),
    })?;
    crate::output::print(&format!("{}\n", record.display()))?;
    Ok(Exit::Done)
}
