//! The manifest: one file per month, `manifest/2026-11.txt` for runs, `manifest/changes/2026-11.txt` for
//! decisions and `manifest/studies/2026-11.txt` for studies, with lines `SHA256  NAME`. The digest is that of the
//! canonical text, so that packing changes no line. Hosts add different lines, and git merges them
//! line by line (`merge=union`). That may repeat or reorder lines, so the order has no meaning.

use crate::{RunName, StoreError, canonical, files};
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

    /// The month's folder, for example `2026/11`.
    fn month(&self) -> String;
}

impl FileName for RunName {
    const LISTS: &'static str = "manifest";

    fn digest(&self) -> &str {
        self.digest()
    }

    fn month(&self) -> String {
        self.month()
    }
}

/// The digest of a file's content, if it is the one in its name.
pub fn checked_digest<N: FileName>(
    path: &Path,
    bytes: &[u8],
    name: &N,
) -> Result<String, StoreError> {
    let digest = canonical::sha256(bytes);
    if digest.starts_with(name.digest()) {
        return Ok(digest);
    }
    let reason = format!(
        "it was changed: its digest is {} and not that of its name. Take it from git again",
        &digest[..16]
    );
    Err(StoreError::Damaged { path: path.to_path_buf(), reason })
}

/// Reads a file of JSON that is listed, and checks it against its name. Returns the digest too. `what` the name
/// is one of stands in the error, such as "a study".
pub fn read_named<N: FileName, T>(
    path: &Path,
    what: &str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<(N, T, String), StoreError> {
    let damaged = |reason: String| StoreError::Damaged { path: path.to_path_buf(), reason };
    let file = files::name(path).unwrap_or_default();
    let stem = file.strip_suffix(".json").unwrap_or_default();
    let name: N = stem.parse().map_err(|_| damaged(format!("its name is not that of {what}")))?;
    let bytes = files::read(path)?;
    let digest = checked_digest(path, &bytes, &name)?;
    let value = parse(&String::from_utf8_lossy(&bytes)).map_err(|error| {
        damaged(format!("it can't be read ({error}): a newer program may have written it"))
    })?;
    Ok((name, value, digest))
}

/// Digest of each text.
pub type ManifestEntries<N> = BTreeMap<N, String>;

/// What the list of a month's folder such as `2026/11` is called: `2026-11`.
pub fn list_of(month: &str) -> String {
    month.replace('/', "-")
}

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
