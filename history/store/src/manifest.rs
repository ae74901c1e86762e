//! The list of what must be there, one file a month: `manifest/2026-11.txt` with lines
//! `SHA256  NAME`, the digest being that of the canonical text. It says nothing about how the
//! text is packed, so that packing changes no line. Hosts add different lines; git merges
//! them line by line (`merge=union`), which may repeat or mix them: order means nothing here.

use crate::{RunName, StoreError, files};
use std::{collections::BTreeMap, path::Path};

/// Digest of each run's canonical text.
pub type Listed = BTreeMap<RunName, String>;

/// Reads one month, for example `2026-11`; empty if there is no such file.
pub fn read_month(root: &Path, month: &str) -> Result<Listed, StoreError> {
    let path = root.join("manifest").join(format!("{month}.txt"));
    if !path.exists() {
        return Ok(Listed::new());
    }
    let bytes = files::read(&path)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut listed = Listed::new();
    for (index, line) in text.lines().enumerate() {
        let wrong =
            |reason: String| StoreError::Line { path: path.clone(), line: index + 1, reason };
        if line.is_empty() {
            continue;
        }
        let (digest, name) = parse(line).ok_or_else(|| {
            wrong("not `SHA256  NAME`. Take the file from git again, or delete the line".to_owned())
        })?;
        let before = listed.insert(name, digest.to_owned());
        if before.is_some_and(|before| before != digest) {
            return Err(wrong("the same run with another digest".to_owned()));
        }
    }
    Ok(listed)
}

fn parse(line: &str) -> Option<(&str, RunName)> {
    let (digest, name) = line.split_once("  ")?;
    let name: RunName = name.parse().ok()?;
    let sound = digest.len() == 64 && digest.starts_with(name.digest());
    sound.then_some((digest, name))
}

/// The months that have a list, in order.
pub fn months(root: &Path) -> Result<Vec<String>, StoreError> {
    let names = files::names(&root.join("manifest"))?;
    Ok(names.iter().filter_map(|name| name.strip_suffix(".txt")).map(str::to_owned).collect())
}

/// Adds runs of one month. The caller holds the lock.
pub fn add(root: &Path, month: &str, runs: &[(RunName, String)]) -> Result<(), StoreError> {
    let mut listed = read_month(root, month)?;
    let before = listed.len();
    listed.extend(runs.iter().cloned());
    if listed.len() == before {
        return Ok(());
    }
    let text: String = listed.iter().map(|(name, digest)| format!("{digest}  {name}\n")).collect();
    let path = root.join("manifest").join(format!("{month}.txt"));
    files::write_atomically(&root.join("tmp"), &path, text.as_bytes())
}
