//! How much unchanged code moves on this host: learned from the A/A runs that the history
//! keeps.

use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_gate::policy::Budget;
use shakedown_protocol::Calibration;
use std::{
    fs,
    path::{Path, PathBuf},
};

#[cfg(feature = "history")]
use super::learned::of_folder;
#[cfg(feature = "history")]
pub use super::learned::of_newest;

/// Where a comparison finds the noise of this host.
#[derive(Debug, clap::Args)]
pub struct HostNoiseArgs {
    /// History whose A/A runs show the noise of this host, or a file from `history noise`
    #[arg(
        long,
        value_name = "DIR|FILE",
        env = "SHAKEDOWN_HISTORY",
        default_value = "shakedown-history",
        value_hint = ValueHint::AnyPath
    )]
    pub history: PathBuf,
}

/// The noise of the host epoch `epoch`, or `None` where the history has no A/A run of it. Instead
/// of the folder of a history, `history` may be a file that `shakedown history noise` wrote.
///
/// # Errors
/// If the history can't be read; one that is not there holds no runs.
pub fn of_host(history: &Path, epoch: &str, budget: &Budget) -> Result<Option<Calibration>> {
    if history.is_file() {
        return written(history, epoch);
    }
    if !history.is_dir() {
        return Ok(None);
    }
    of_folder(history, epoch, budget)
}

/// A build without the feature can't ignore a history: the verdict would be another.
#[cfg(not(feature = "history"))]
fn of_folder(folder: &Path, _: &str, _: &Budget) -> Result<Option<Calibration>> {
    let refusal = crate::exit::CommandError::left_out("history");
    Err(refusal).with_context(|| format!("can't learn from {}", folder.display()))
}

/// The noise that was written down before, where it is of this epoch.
fn written(file: &Path, epoch: &str) -> Result<Option<Calibration>> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("can't read {name}"))?;
    let calibration: Option<Calibration> = serde_json::from_str(&text)
        .with_context(|| format!("{name} is not what `shakedown history noise` writes"))?;
    Ok(calibration.filter(|calibration| calibration.epoch == epoch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_that_was_written_down_holds_for_its_epoch_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("noise.json");
        let noise = Calibration { epoch: "one".to_owned(), runs: vec![], noise: vec![] };
        fs::write(&path, serde_json::to_string(&noise).unwrap()).unwrap();
        let budget = Budget { blocks: 4, pairs: 10, count_runs: 8, minutes: 10 };
        let found = |epoch| of_host(&path, epoch, &budget);
        assert_eq!(found("one").unwrap(), Some(noise));
        assert_eq!(found("another").unwrap(), None);
        fs::write(&path, "null").unwrap();
        assert_eq!(found("one").unwrap(), None, "there was none");
        fs::write(&path, "{}").unwrap();
        assert!(format!("{:#}", found("one").unwrap_err()).contains("history noise"));
        assert_eq!(of_host(&folder.path().join("none"), "one", &budget).unwrap(), None);
    }

    #[cfg(not(feature = "history"))]
    #[test]
    fn a_history_that_can_not_be_read_is_not_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let budget = Budget { blocks: 4, pairs: 10, count_runs: 8, minutes: 10 };
        let refused = of_host(folder.path(), "one", &budget).unwrap_err();
        assert!(format!("{refused:#}").contains("without the feature `history`"), "{refused:#}");
    }
}
