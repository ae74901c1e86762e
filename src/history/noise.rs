//! How much unchanged code moves on this host: learned from the A/A runs that the history
//! keeps.

use anyhow::{Context, Result};
use shakedown_gate::policy::Budget;
use shakedown_protocol::{Calibration, RunRecord};
use shakedown_store::{Document, Index, RunName, Store};
use std::{collections::BTreeSet, fs, path::Path};

/// A/A runs that are learned from at most, the newest ones. The gate wants 30 blocks; more
/// than this would make the noise of long ago count as much as that of last night.
const RUNS: usize = 60;

/// Runs whose epochs are still of interest.
const NEWEST: usize = 100;

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
    let store = Store::open(history)?;
    let (index, _) = Index::open(&store)?;
    of_epoch(&store, &index, epoch, budget)
}

fn of_epoch(
    store: &Store,
    index: &Index,
    epoch: &str,
    budget: &Budget,
) -> Result<Option<Calibration>> {
    let mut records: Vec<RunRecord> = Vec::new();
    for name in index.pairs_of(epoch)? {
        if records.len() == RUNS {
            break;
        }
        let document = store.document(&name.parse::<RunName>()?)?;
        if let Document::Run(record) = document
            && shakedown_gate::is_unchanged(&record)
        {
            records.push(*record);
        }
    }
    if records.is_empty() {
        return Ok(None);
    }
    let records: Vec<&RunRecord> = records.iter().collect();
    match shakedown_gate::calibrate(&records, budget) {
        // The code did not change, but nothing was timed, or not in peace: as good as no A/A run.
        Err(shakedown_gate::CalibrateError::Disturbed { .. }) => Ok(None),
        learned => learned.map(Some).context("the host's noise can't be learned from the history"),
    }
}

/// The noise of every host epoch that the newest runs of the history are of.
///
/// # Errors
/// If the history can't be read.
pub fn of_newest(store: &Store, index: &Index, budget: &Budget) -> Result<Vec<Calibration>> {
    let runs = index.runs(i64::MIN, NEWEST)?;
    let epochs: BTreeSet<&str> = runs.iter().map(|run| run.epoch.as_str()).collect();
    let learned = epochs.into_iter().map(|epoch| of_epoch(store, index, epoch, budget));
    learned.filter_map(Result::transpose).collect()
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
}
