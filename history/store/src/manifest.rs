//! The manifest: one file per month, `manifest/2026-11.txt` for runs and
//! `manifest/changes/2026-11.txt` for decisions, with lines `SHA256  NAME`. The digest is that of the
//! canonical text, so that packing changes no line. Hosts add different lines, and git merges them
//! line by line (`merge=union`). That may repeat or reorder lines, so the order has no meaning.

use crate::{RunName, StoreError, files};
use std::{
    collections::BTreeMap,
    fmt::Display,
    path::{Path, PathBuf},
    str::FromStr,
};

/// The name of a listed file.
pub trait FileName: FromStr<Err = StoreError> + Ord + Clone + Display {
    /// Folder of its lists in the history.
    const LISTS: &'static str;

    /// First half of the content's digest.
    fn digest(&self) -> &str;
}

impl FileName for RunName {
    const LISTS: &'static str = "manifest";

    fn digest(&self) -> &str {
        self.digest()
    }
}

/// Digest of each text.
pub type ManifestEntries<N> = BTreeMap<N, String>;

fn path<N: FileName>(root: &Path, month: &str) -> PathBuf {
    root.join(N::LISTS).join(format!("{month}.txt"))
}

/// Reads one month, for example `2026-11`; empty if there is no such file.
pub fn read_month<N: FileName>(root: &Path, month: &str) -> Result<ManifestEntries<N>, StoreError> {
    let path = path::<N>(root, month);
    if !path.exists() {
        return Ok(ManifestEntries::new());
    }
    let bytes = files::read(&path)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut listed = ManifestEntries::new();
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

fn parse<N: FileName>(line: &str) -> Option<(&str, N)> {
    let (digest, name) = line.split_once("  ")?;
    let name: N = name.parse().ok()?;
    let sound = digest.len() == 64 && digest.starts_with(name.digest());
    sound.then_some((digest, name))
}

/// The months that have a list, in order.
pub fn months<N: FileName>(root: &Path) -> Result<Vec<String>, StoreError> {
    let names = files::names(&root.join(N::LISTS))?;
    Ok(names.iter().filter_map(|name| name.strip_suffix(".txt")).map(str::to_owned).collect())
}

/// Adds names of one month. The caller holds the lock.
pub fn add<N: FileName>(root: &Path, month: &str, new: &[(N, String)]) -> Result<(), StoreError> {
    let mut listed = read_month(root, month)?;
    let before = listed.len();
    listed.extend(new.iter().cloned());
    if listed.len() == before {
        return Ok(());
    }
    let text: String = listed.iter().map(|(name, digest)| format!("{digest}  {name}\n")).collect();
    files::write_atomically(&root.join("tmp"), &path::<N>(root, month), text.as_bytes())
}
