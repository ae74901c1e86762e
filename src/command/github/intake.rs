//! `shakedown github intake`.

use super::args::ForgeArgs;
use crate::{
    exit::{CommandError, Exit},
    github::{PROBLEM, refused},
    history::noise,
};
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use shakedown_forge::{
    artifact,
    intake::{self, IntakeLimits, RECORD},
};
use shakedown_protocol::RunRecord;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Unpacks the artifact of a pull request: a zip with `record.json` and nothing else. It is
/// unpacked and parsed within limits, and the parsed record is written to a new file. Nothing in it
/// determines the verdict, the pull request or the commit: reporting commands judge again and ask
/// the API.
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
    let out = &args.out;
    let record = out.join(RECORD);
    if record.exists() || out.join(PROBLEM).exists() {
        bail!("{} contains an earlier intake: name another folder", out.display());
    }
    fs::create_dir_all(out).with_context(|| format!("can't create {}", out.display()))?;
    match take(&args) {
        Ok(taken) => {
            let text = serde_json::to_string(&taken)? + "\n";
            write(&record, &text)?;
            crate::output::print(&format!("{}\n", record.display()))?;
            Ok(Exit::Done)
        }
        Err(error) => {
            let reason = shakedown_report::plain(&format!("{error:#}"));
            write(&out.join(PROBLEM), &format!("{reason}\n"))?;
            Err(CommandError::new(Exit::Input, reason).into())
        }
    }
}

fn take(args: &Args) -> Result<RunRecord> {
    let limits = IntakeLimits {
        archive: args.max_zip.saturating_mul(1 << 20),
        record: args.max_record.saturating_mul(1 << 20),
        ..IntakeLimits::default()
    };
    let mut record = match (&args.zip, args.run) {
        (Some(zip), _) => intake::take(zip, &limits)?,
        (None, Some(run)) => {
            let file = args.out.join(".artifact.zip");
            let name = args.artifact.clone();
            let to = file.clone();
            let taken = args
                .forge
                .with(|forge| artifact::fetch(forge, run, &name, &to, limits.archive))
                .and_then(|()| intake::take(&file, &limits).map_err(refused));
            let _ = fs::remove_file(&file);
            taken?
        }
        (None, None) => bail!("no archive: name a file, or give --run ID"),
    };
    if let Some(history) = &args.history {
        let budget = shakedown_gate::Policy::shipped()?.budget;
        record.calibration = noise::of_host(history, &record.host.epoch.id, &budget)?;
    }
    Ok(record)
}

/// Writes a file atomically.
fn write(path: &Path, text: &str) -> Result<()> {
    let scratch = path.with_extension("tmp");
    fs::write(&scratch, text)
        .and_then(|()| fs::rename(&scratch, path))
        .with_context(|| format!("can't write {}", path.display()))
}
