//! How much unchanged code moves on this host: learned from the A/A runs that the history
//! keeps.

use anyhow::{Context, Result};
use gate::policy::Budget;
use protocol::{Calibration, RunRecord};
use std::path::Path;
use store::{Document, Index, RunName, Store};

/// A/A runs that are learned from at most, the newest ones. The gate wants 30 blocks; more
/// than this would make the noise of long ago count as much as that of last night.
const RUNS: usize = 60;

/// The noise of the host epoch `epoch`, or `None` where the history has no A/A run of it.
///
/// # Errors
/// If the history can't be read; a folder that is not there holds no runs.
pub fn of_host(history: &Path, epoch: &str, budget: &Budget) -> Result<Option<Calibration>> {
    if !history.is_dir() {
        return Ok(None);
    }
    let store = Store::open(history)?;
    let (index, _) = Index::open(&store, &crate::command::history::rows)?;
    let mut records: Vec<RunRecord> = Vec::new();
    for name in index.pairs_of(epoch)? {
        if records.len() == RUNS {
            break;
        }
        let document = store.document(&name.parse::<RunName>()?)?;
        if let Document::Run(record) = document
            && gate::is_unchanged(&record)
        {
            records.push(*record);
        }
    }
    if records.is_empty() {
        return Ok(None);
    }
    let records: Vec<&RunRecord> = records.iter().collect();
    match gate::calibrate(&records, budget) {
        // The code did not change, but nothing was timed, or not in peace: as good as no A/A run.
        Err(gate::CalibrateError::Disturbed { .. }) => Ok(None),
        learned => learned.map(Some).context("the host's noise can't be learned from the history"),
    }
}
