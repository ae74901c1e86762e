//! The noise of a host, learned from the A/A runs that the history keeps.

use anyhow::{Context, Result};
use shakedown_gate::policy::Budget;
use shakedown_protocol::{Calibration, RunRecord};
use shakedown_store::{Document, Index, RunName, Store, StoreError};
use std::{collections::BTreeSet, path::Path};

/// A/A runs that are learned from at most, the newest ones. The gate wants 30 blocks; more
/// than this would make the noise of long ago count as much as that of last night.
const RUNS: usize = 60;

/// Runs whose epochs are still of interest.
const NEWEST: usize = 100;

/// The noise of the host epoch `epoch`, or `None` where the history in `folder` has no A/A run of it.
///
/// # Errors
/// If the history can't be read.
pub fn of_folder(folder: &Path, epoch: &str, budget: &Budget) -> Result<Option<Calibration>> {
    let store = match Store::open(folder) {
        Err(StoreError::NoHistory(_)) => return Ok(None),
        other => other?,
    };
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
