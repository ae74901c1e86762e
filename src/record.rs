//! Run records and judgements in files.

use crate::output::{causes, say};
use anyhow::{Context, Result, ensure};
use shakedown_culprits::ComparisonExplanation;
use shakedown_gate::Judgement;
use shakedown_protocol::RunRecord;
use std::{fmt::Display, fs, path::Path};

/// Reads a record from a file or the folder that it is in.
///
/// # Errors
/// Why it can't be read, with its path.
pub fn read(path: &Path) -> Result<RunRecord> {
    let path = if path.is_dir() { shakedown_schedule::record_path(path) } else { path.to_owned() };
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    RunRecord::from_json(&text).with_context(|| path.display().to_string())
}

/// Writes a judgement for later steps of a workflow.
///
/// # Errors
/// If the file can't be written.
pub fn write_judgement(path: &Path, judgement: &Judgement) -> Result<()> {
    let text = serde_json::to_string_pretty(judgement)? + "\n";
    fs::write(path, text).with_context(|| format!("can't write {}", path.display()))
}

/// Reads the judgement on a record.
///
/// # Errors
/// If it can't be read, or is the judgement on another record.
pub fn read_judgement(path: &Path, record: &RunRecord) -> Result<Judgement> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("can't read {name}"))?;
    let judgement: Judgement = serde_json::from_str(&text)
        .with_context(|| format!("{name} is not a judgement of this version: judge again"))?;
    let subjects: Vec<&str> = record.subjects.iter().map(|entry| entry.name.as_str()).collect();
    ensure!(
        judgement.run == record.id && subjects == [&judgement.base, &judgement.head],
        "{name} is the judgement on run {}, not on run {}",
        judgement.run,
        record.id
    );
    Ok(judgement)
}

/// The judgement on a record that lies beside it, where there is one.
pub fn judgement_beside(path: &Path, record: &RunRecord) -> Option<Judgement> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    let path = folder.join("judgement.json");
    if !path.exists() {
        return None;
    }
    read_judgement(&path, record)
        .inspect_err(|error| say(format_args!("warning: without the verdict: {}", causes(error))))
        .ok()
}

/// Name of the file with the explanation of a comparison, beside its record.
pub const EXPLANATION: &str = "explanation.json";

/// The explanation of a record that lies beside it, where there is one.
pub fn explanation_beside(path: &Path, record: &RunRecord) -> Option<ComparisonExplanation> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    let path = folder.join(EXPLANATION);
    let text = fs::read_to_string(&path).ok()?;
    let warn = |why: &dyn Display| say(format_args!("warning: without {}: {why}", path.display()));
    match serde_json::from_str::<ComparisonExplanation>(&text) {
        Ok(found) if found.run == record.id => Some(found),
        Ok(found) => {
            warn(&format_args!("it explains run {}, not run {}", found.run, record.id));
            None
        }
        Err(error) => {
            warn(&error);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_gate::{Policy, judge};
    use shakedown_protocol::fixture::comparison::comparison;

    #[test]
    fn a_judgement_is_read_for_its_own_record_only() {
        let full = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
        let record = comparison(&[(full, [1.0, 0.93])]);
        let judgement = judge(&record, &Policy::shipped().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgement.json");
        write_judgement(&path, &judgement).unwrap();
        assert_eq!(read_judgement(&path, &record).unwrap().counts, judgement.counts);
        let mut other = record.clone();
        other.id = "another".to_owned();
        let refused = read_judgement(&path, &other).unwrap_err().to_string();
        assert!(refused.contains("not on run another"), "{refused}");
        fs::write(&path, "{}").unwrap();
        assert!(read_judgement(&path, &record).is_err());
    }
}
