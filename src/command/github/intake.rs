//! `shakedown github intake`.

use super::args::Forge;
use crate::{
    exit::{Exit, Failure},
    github::{PROBLEM, refused},
    history::noise,
};
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use shakedown_forge::{
    artifact,
    intake::{self, Limits, RECORD},
};
use shakedown_protocol::RunRecord;
use std::{
    fs,
    path::{Path, PathBuf},
};

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

/// Takes it in.
///
/// # Errors
/// Why it is refused; what the forge said.
pub fn run(args: Args) -> Result<Exit> {
    let out = &args.out;
    let record = out.join(RECORD);
    if record.exists() || out.join(PROBLEM).exists() {
        bail!("{} holds an earlier intake: name another folder", out.display());
    }
    fs::create_dir_all(out).with_context(|| format!("can't make {}", out.display()))?;
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
            Err(Failure::new(Exit::Input, reason).into())
        }
    }
}

fn take(args: &Args) -> Result<RunRecord> {
    let limits = Limits {
        archive: args.max_zip.saturating_mul(1 << 20),
        record: args.max_record.saturating_mul(1 << 20),
        ..Limits::default()
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
        (None, None) => bail!("which archive? Name a file, or --run ID"),
    };
    if let Some(history) = &args.history {
        let budget = shakedown_gate::Policy::shipped()?.budget;
        record.calibration = noise::of_host(history, &record.host.epoch.id, &budget)?;
    }
    Ok(record)
}

/// Writes a file so that it is there whole or not at all.
fn write(path: &Path, text: &str) -> Result<()> {
    let scratch = path.with_extension("tmp");
    fs::write(&scratch, text)
        .and_then(|()| fs::rename(&scratch, path))
        .with_context(|| format!("can't write {}", path.display()))
}
