//! The noise of a host over its last runs, one line per run.
//!
//! The folder of a job is emptied afterwards, and its record goes to a history elsewhere. This small
//! file stays. It comes from a job, so that it is parsed as numbers or ignored.

use serde::{Deserialize, Serialize};
use shakedown_protocol::{Flaw, RunRecord, Side, median};
use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// The health of the host during one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunHealth {
    /// End, in milliseconds since 1970 UTC; of a run that was killed, its start.
    pub at_ms: u64,
    /// Trials.
    pub trials: u64,
    /// Share of the trials with each flaw.
    pub flawed: BTreeMap<String, f64>,
    /// Coefficient of variation of the trials of one subject: the median over scenarios and
    /// sides. `None` with fewer than three trials of each.
    pub spread: Option<f64>,
    /// Standard deviation between builds of unchanged code that the run was judged by, as a
    /// share, the median over the scenarios; `None` where none was known.
    pub noise: Option<f64>,
}

/// Runs that are kept.
const KEPT: usize = 30;
/// Runs with which a trend begins to mean something.
const TREND: usize = 6;
/// Name of the file in the folder.
const FILE: &str = "runs.jsonl";
/// A larger file is not a list that this program wrote.
const LONGEST: u64 = 1 << 20;
/// A larger record is not read.
const LONGEST_RECORD: u64 = 256 << 20;
/// A job may make more files than anybody wants to look at.
const MOST_FILES: usize = 20_000;

impl RunHealth {
    /// What a record says.
    pub fn of(record: &RunRecord) -> Self {
        let all = record.trials.len();
        let share = |flaw: &Flaw| {
            let with = record.trials.iter().filter(|trial| trial.flaws.contains(flaw)).count();
            (flaw.to_string(), with as f64 / all.max(1) as f64)
        };
        let noise = record.calibration.iter().flat_map(|calibration| &calibration.noise);
        let noise = noise.filter(|noise| noise.metric.is_rate());
        Self {
            at_ms: record.finish.as_ref().map_or(record.started_ms, |finish| finish.at_ms),
            trials: all as u64,
            flawed: Flaw::ALL.iter().map(share).collect(),
            spread: spread(record),
            noise: median(
                &noise.map(|noise| f64::from(noise.sigma_ppm) / 1e6).collect::<Vec<f64>>(),
            ),
        }
    }
}

fn spread(record: &RunRecord) -> Option<f64> {
    let mut cells: BTreeMap<(&str, String, Side), Vec<f64>> = BTreeMap::new();
    for trial in &record.trials {
        for (side, _, value) in trial.values().into_iter().filter(|(_, metric, _)| metric.is_rate())
        {
            let cell = (trial.subject.as_str(), trial.scenario.to_string(), side);
            cells.entry(cell).or_default().push(value);
        }
    }
    let found = cells.into_values().filter_map(|values| variation(&values));
    median(&found.collect::<Vec<f64>>())
}

/// Standard deviation over mean.
fn variation(values: &[f64]) -> Option<f64> {
    if values.len() < 3 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (values.len() - 1) as f64).sqrt();
    Some(deviation / mean).filter(|share| mean > 0.0 && share.is_finite())
}

/// Ratio of the spread of the last third of the runs to that of the others: 1 is steady, 2 is twice
/// as noisy. `None` with fewer than six usable runs.
pub fn trend(runs: &[RunHealth]) -> Option<f64> {
    let all: Vec<f64> = runs.iter().filter_map(|run| run.spread).collect();
    if all.len() < TREND {
        return None;
    }
    let (before, last) = all.split_at(all.len() - all.len() / 3);
    let before = median(before).filter(|spread| *spread > 0.0)?;
    Some(median(last)? / before)
}

/// The runs in a folder, in order; none where there is no list, or something else.
pub fn runs(folder: &Path) -> Vec<RunHealth> {
    let text = read(&folder.join(FILE), LONGEST).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// A plain file, no link and no pipe: it may be a job's.
fn read(path: &Path, longest: u64) -> io::Result<String> {
    use io::Read;
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() || about.len() > longest {
        return Err(io::Error::other("not a plain file of a usual size"));
    }
    let mut text = String::new();
    file.take(longest).read_to_string(&mut text)?;
    Ok(text)
}

/// Adds what the records below a job's folder say, the latest as the last. Returns how many.
///
/// # Errors
/// When the list can't be written; what is no record is passed over.
pub fn keep(folder: &Path, work: &Path) -> io::Result<usize> {
    let mut found = Vec::new();
    let mut left = MOST_FILES;
    records(work, &mut found, &mut left);
    found.sort();
    let new: Vec<RunHealth> = found
        .iter()
        .filter_map(|(_, path)| RunRecord::from_json(&read(path, LONGEST_RECORD).ok()?).ok())
        .map(|record| RunHealth::of(&record))
        .collect();
    if new.is_empty() {
        return Ok(0);
    }
    let count = new.len();
    let mut all = runs(folder);
    all.extend(new);
    let first = all.len().saturating_sub(KEPT);
    let lines: String = all[first..]
        .iter()
        .filter_map(|run| Some(serde_json::to_string(run).ok()? + "\n"))
        .collect();
    let beside = folder.join(".runs.writing");
    fs::write(&beside, lines)?;
    fs::rename(&beside, folder.join(FILE))?;
    Ok(count)
}

fn records(folder: &Path, found: &mut Vec<(SystemTime, PathBuf)>, left: &mut usize) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(fewer) = left.checked_sub(1) else { return };
        *left = fewer;
        let Ok(about) = entry.metadata() else { continue };
        if about.is_dir() {
            records(&entry.path(), found, left);
        } else if about.is_file() && entry.file_name() == "record.json" {
            found.push((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path()));
        }
    }
}

#[cfg(test)]
mod tests;
