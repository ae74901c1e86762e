//! Unpacking the artifact of a pull request into a folder that other commands read.

use super::{PROBLEM, refused};
use crate::{
    exit::{CommandError, Exit},
    history::noise,
    output::{replace_file, say},
    record::write_explanation,
};
use anyhow::{Context, Result, bail};
use shakedown_culprits::record_sha256;
use shakedown_forge::intake::{self, IntakeLimits, RECORD, TakenArtifact};
use shakedown_report::plain;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Writes the record that `read` returns into the folder `out`, with its explanation if it has one that can
/// be taken, or the reason why there is no record. Returns the record's path.
///
/// # Errors
/// A folder that is in use; the error of `read`, with exit code 2.
pub fn keep(out: &Path, read: impl FnOnce() -> Result<TakenArtifact>) -> Result<PathBuf> {
    let record = out.join(RECORD);
    if record.exists() || out.join(PROBLEM).exists() {
        bail!("{} contains an earlier intake: name another folder", out.display());
    }
    fs::create_dir_all(out).with_context(|| format!("can't create {}", out.display()))?;
    match read() {
        Ok(found) => {
            let text = serde_json::to_string(&found.record)? + "\n";
            replace_file(&record, &text)?;
            match found.explanation {
                Some(Ok(mut found)) => {
                    // Written anew, the record has another digest.
                    found.record_sha256 = record_sha256(text.as_bytes());
                    write_explanation(out, &found)?;
                }
                Some(Err(why)) => say(format_args!("warning: {}", plain(&why.to_string()))),
                None => {}
            }
            Ok(record)
        }
        Err(error) => {
            let reason = plain(&format!("{error:#}"));
            replace_file(&out.join(PROBLEM), format!("{reason}\n"))?;
            Err(CommandError::new(Exit::Input, reason).into())
        }
    }
}

/// Unpacks and parses an archive. With a history, the host's noise comes from there.
///
/// # Errors
/// Why the archive is refused; a history that can't be read.
pub fn unpack(zip: &Path, limits: &IntakeLimits, history: Option<&Path>) -> Result<TakenArtifact> {
    let mut taken = intake::take(zip, limits).map_err(refused)?;
    if let Some(history) = history {
        let budget = shakedown_gate::Policy::shipped()?.budget;
        let record = &mut taken.record;
        record.calibration = noise::of_host(history, &record.host.epoch.id, &budget)?;
    }
    Ok(taken)
}
