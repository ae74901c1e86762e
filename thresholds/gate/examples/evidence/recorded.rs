//! Trials that were recorded on a real machine, replayed in stretches.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use shakedown_protocol::RunRecord;
use shakedown_summary::series::series;
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

/// A series shorter than this has too few different stretches.
const SHORTEST: usize = 30;

/// Trials of one scenario side and build, in the order in which they ran.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Recorded {
    /// Subject, scenario and side.
    pub name: String,
    /// Rates, relative to their median, in millionths.
    pub ppm: Vec<u32>,
}

impl Recorded {
    /// A stretch of neighbours in time, so that drift and bursts stay as they were; starts
    /// anywhere and wraps around. Each further round begins one trial later, so that base and head
    /// trade places in it and no pair comes twice. `noise` widens the distance from the median.
    pub fn stretch(&self, count: usize, noise: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let length = self.ppm.len();
        let start = rng.random_range(0..length);
        // Forward or backward: twice as many different stretches.
        let step = if rng.random_bool(0.5) { 1 } else { length - 1 };
        (0..count)
            .map(|i| f64::from(self.ppm[(start + (i + i / length) * step) % length]) / 1e6)
            .map(|value| value.powf(noise))
            .collect()
    }
}

/// The rates of run records, one series a subject, scenario and side.
pub fn import(files: &[PathBuf]) -> Result<Vec<Recorded>, Box<dyn Error>> {
    let mut found = Vec::new();
    for file in files {
        let record = RunRecord::from_json(&fs::read_to_string(file)?)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        for ((subject, key), points) in series(&record) {
            let rates: Vec<f64> = points.iter().map(|point| point.value).collect();
            let Some(middle) = shakedown_summary::stats::median(&rates) else { continue };
            if key.metric.is_rate() && rates.len() >= SHORTEST {
                found.push(Recorded {
                    name: format!("{subject} {} {}", key.scenario, key.side),
                    ppm: rates.iter().map(|rate| (rate / middle * 1e6).round() as u32).collect(),
                });
            }
        }
    }
    if found.is_empty() {
        return Err(format!("no timed series of {SHORTEST} or more trials in these records").into());
    }
    Ok(found)
}

/// Reads recorded series.
pub fn read(file: &Path) -> Result<Vec<Recorded>, Box<dyn Error>> {
    let series: Vec<Recorded> = serde_json::from_str(&fs::read_to_string(file)?)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let sound = |one: &Recorded| one.ppm.len() >= SHORTEST && one.ppm.iter().all(|ppm| *ppm > 0);
    if series.is_empty() || !series.iter().all(sound) {
        return Err(
            format!("{}: each series needs {SHORTEST} values above 0", file.display()).into()
        );
    }
    Ok(series)
}

/// Writes recorded series, one a line.
pub fn write(file: &Path, series: &[Recorded]) -> Result<(), Box<dyn Error>> {
    let lines: Result<Vec<String>, _> = series.iter().map(serde_json::to_string).collect();
    fs::write(file, format!("[\n{}\n]\n", lines?.join(",\n")))?;
    Ok(())
}
