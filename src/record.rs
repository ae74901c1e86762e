//! Run records and judgements in files.

use crate::output::{causes, replace_file, say};
use anyhow::{Context, Result, ensure};
use shakedown_culprits::{ComparisonExplanation, EXPLANATION, record_sha256};
use shakedown_gate::Judgement;
use shakedown_protocol::RunRecord;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Reads a record from a file or the folder that it is in.
///
/// # Errors
/// Why it can't be read, with its path.
pub fn read(path: &Path) -> Result<RunRecord> {
    let path = file_of(path);
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    RunRecord::from_json(&text).with_context(|| path.display().to_string())
}

fn file_of(path: &Path) -> PathBuf {
    if path.is_dir() { shakedown_schedule::record_path(path) } else { path.to_owned() }
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

/// Where a reader finds all that a terminal leaves out: the page beside a record, or the command that makes
/// one. `path` is the record's file or folder.
pub fn page_beside(path: &Path) -> String {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let page = folder.join("report.html");
    if page.exists() {
        page.display().to_string()
    } else {
        format!("the output of `shakedown report {} --format html`", path.display())
    }
}

/// The explanation that lies beside a record, where there is one. `path` is the record's file or folder.
pub fn explanation_beside(path: &Path) -> Option<ComparisonExplanation> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    let beside = folder.join(EXPLANATION);
    let text = fs::read_to_string(&beside).ok()?;
    let of_this = || -> Result<ComparisonExplanation> {
        let found: ComparisonExplanation = serde_json::from_str(&text)?;
        ensure!(found.record_sha256 == digest(path)?, "it explains another record");
        Ok(found)
    };
    of_this()
        .inspect_err(|error| {
            say(format_args!("warning: without {}: {}", beside.display(), causes(error)));
        })
        .ok()
}

/// Writes an explanation beside the record, and its flame graph as an SVG of its own.
///
/// # Errors
/// If the folder can't be written to.
pub fn write_explanation(
    folder: &Path,
    explanation: &ComparisonExplanation,
) -> Result<Vec<PathBuf>> {
    let path = folder.join(EXPLANATION);
    let text = serde_json::to_string_pretty(explanation)? + "\n";
    replace_file(&path, text)?;
    let mut files = vec![path];
    // Stacks that can't be drawn are no reason to lose the rest.
    let svg = shakedown_report::flame_graph(explanation).unwrap_or_else(|why| {
        say(format_args!("warning: {}", shakedown_report::plain(&why.to_string())));
        None
    });
    if let Some(svg) = svg {
        let path = folder.join("flame-graph.svg");
        replace_file(&path, &svg)?;
        files.push(path);
    }
    Ok(files)
}

/// SHA-256 of the record in a file, or in a folder.
///
/// # Errors
/// If it can't be read.
pub fn digest(path: &Path) -> Result<String> {
    let path = file_of(path);
    let file = fs::read(&path).with_context(|| format!("can't read {}", path.display()))?;
    Ok(record_sha256(&file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_gate::{Policy, judge};
    use shakedown_protocol::fixture::comparison::comparison;

    #[test]
    fn the_page_is_named_with_its_folder_or_the_command_that_makes_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let command = format!("the output of `shakedown report {} --format html`", path.display());
        assert_eq!(page_beside(path), command);
        let page = path.join("report.html");
        fs::write(&page, "").unwrap();
        for record in [path.to_owned(), path.join("record.json")] {
            assert_eq!(page_beside(&record), page.display().to_string());
        }
    }

    #[test]
    fn an_explanation_is_read_for_its_own_record_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        fs::write(&path, "a record").unwrap();
        assert_eq!(explanation_beside(folder.path()), None);
        let found = ComparisonExplanation {
            record_sha256: digest(folder.path()).unwrap(),
            ..ComparisonExplanation::default()
        };
        let text = serde_json::to_string(&found).unwrap();
        fs::write(folder.path().join(EXPLANATION), text).unwrap();
        assert_eq!(explanation_beside(folder.path()).as_ref(), Some(&found));
        assert_eq!(explanation_beside(&path), Some(found));
        fs::write(&path, "another record").unwrap();
        assert_eq!(explanation_beside(&path), None);
    }

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
