//! SHA-256 over files, trees and lists of facts.

use sha2::{Digest as _, Sha256};
use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, Read},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};
use walkdir::WalkDir;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// SHA-256 of a file's content, lower-case hexadecimal.
pub(crate) fn file(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&buffer[..read]);
    }
}

/// A digest over named facts. It includes names and lengths, so that different lists of facts have
/// different digests.
pub(crate) struct CacheKey(Sha256);

impl CacheKey {
    /// A key for one purpose; `purpose` includes the version of the hashed format.
    pub(crate) fn new(purpose: &str) -> Self {
        Self(Sha256::new()).with("purpose", purpose)
    }

    /// Adds a fact.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        for part in [name.as_bytes(), value.as_ref()] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
        self
    }

    /// Adds a list of facts.
    pub(crate) fn all<T: AsRef<[u8]>>(
        self,
        name: &str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        values.into_iter().fold(self, |key, value| key.with(name, value))
    }

    /// All 64 digits.
    pub(crate) fn sha256(self) -> String {
        hex(&self.0.finalize())
    }

    /// 32 digits: enough for a key, and short enough for a path.
    pub(crate) fn id(self) -> String {
        let mut id = self.sha256();
        id.truncate(32);
        id
    }
}

/// Files and links under `root`, relative and sorted, except for `.git` and the output of cargo
/// (`target` next to a `Cargo.toml`).
pub(crate) fn sources(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(is_source) {
        let entry = entry?;
        if !entry.file_type().is_dir() {
            let relative = entry.path().strip_prefix(root).map_err(io::Error::other)?;
            found.push(relative.to_owned());
        }
    }
    found.sort();
    Ok(found)
}

fn is_source(entry: &walkdir::DirEntry) -> bool {
    let built = || {
        let beside = entry.path().parent().map(|parent| parent.join("Cargo.toml"));
        entry.file_name() == "target" && beside.is_some_and(|manifest| manifest.exists())
    };
    entry.depth() == 0 || (entry.file_name() != ".git" && !built())
}

/// SHA-256 over names, contents and executable bits of a tree. Ignores directory order, times and
/// owners.
pub(crate) fn tree(root: &Path) -> io::Result<String> {
    let mut key = CacheKey::new("tree 1");
    for relative in sources(root)? {
        let path = root.join(&relative);
        let facts = fs::symlink_metadata(&path)?;
        let (kind, content) = if facts.is_symlink() {
            ("link", fs::read_link(&path)?.as_os_str().as_bytes().to_vec())
        } else if facts.permissions().mode() & 0o111 != 0 {
            ("program", file(&path)?.into_bytes())
        } else {
            ("file", file(&path)?.into_bytes())
        };
        key = key.with(kind, relative.as_os_str().as_bytes()).with("content", content);
    }
    Ok(key.sha256())
}

/// Synchronizes the sources in `to` with `from`. Unchanged files keep their time and the others get
/// the current one. Cargo compares times, so that it recompiles exactly what changed.
pub(crate) fn mirror(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let wanted = sources(from)?;
    for stale in sources(to)?.iter().filter(|path| wanted.binary_search(path).is_err()) {
        fs::remove_file(to.join(stale))?;
    }
    for relative in &wanted {
        copy_if_different(&from.join(relative), &to.join(relative))?;
    }
    remove_empty_folders(to)
}

/// Removes folders without files. An empty folder can have a meaning: in `probes/` it would be a
/// surface without variants.
fn remove_empty_folders(root: &Path) -> io::Result<()> {
    let entries = WalkDir::new(root).min_depth(1).into_iter().filter_entry(is_source);
    let folders: Vec<_> =
        entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_dir()).collect();
    // The deepest come last, and go first.
    for folder in folders.iter().rev() {
        if fs::read_dir(folder.path())?.next().is_none() {
            fs::remove_dir(folder.path())?;
        }
    }
    Ok(())
}

/// Copies one file or link, unless the target is identical.
fn copy_if_different(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let facts = fs::symlink_metadata(from)?;
    if facts.is_symlink() {
        let target = fs::read_link(from)?;
        if fs::read_link(to).is_ok_and(|there| there == target) {
            return Ok(());
        }
        let _ = fs::remove_file(to);
        return std::os::unix::fs::symlink(target, to);
    }
    let there = fs::symlink_metadata(to).ok();
    let same_kind = there.as_ref().is_some_and(|there| {
        there.is_file()
            && there.len() == facts.len()
            && (there.permissions().mode() ^ facts.permissions().mode()) & 0o111 == 0
    });
    let content = fs::read(from)?;
    if same_kind && fs::read(to)? == content {
        return Ok(());
    }
    if there.is_some() {
        fs::remove_file(to)?;
    }
    fs::write(to, content)?;
    let mode = if facts.permissions().mode() & 0o111 == 0 { 0o644 } else { 0o755 };
    fs::set_permissions(to, fs::Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_tree_is_its_names_and_contents() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("1"), folder.path().join("2"));
        for root in [&one, &two] {
            write(root, "Cargo.toml", "");
            write(root, "src/a.rs", "a");
        }
        write(&two, ".git/HEAD", "ref");
        write(&two, "target/debug/x", "built");
        assert_eq!(tree(&one).unwrap(), tree(&two).unwrap());
        let before = tree(&two).unwrap();
        write(&two, "src/target/x", "a module that is called so");
        let with_module = tree(&two).unwrap();
        assert_ne!(before, with_module);
        fs::rename(two.join("src/a.rs"), two.join("src/b.rs")).unwrap();
        assert_ne!(with_module, tree(&two).unwrap());
        let before = tree(&one).unwrap();
        fs::set_permissions(one.join("src/a.rs"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_ne!(before, tree(&one).unwrap());
    }

    #[test]
    fn a_mirror_touches_what_changed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        write(&from, "same", "1");
        write(&from, "changed", "1");
        write(&from, "gone/from/here", "1");
        std::os::unix::fs::symlink("same", from.join("link")).unwrap();
        mirror(&from, &to).unwrap();
        let time = |name| fs::metadata(to.join(name)).unwrap().modified().unwrap();
        let (same, changed) = (time("same"), time("changed"));
        std::thread::sleep(std::time::Duration::from_millis(20));
        write(&from, "changed", "2");
        fs::remove_dir_all(from.join("gone")).unwrap();
        mirror(&from, &to).unwrap();
        assert!(!to.join("gone").exists(), "no empty folder stays");
        assert_eq!(time("same"), same);
        assert!(time("changed") > changed);
        assert_eq!(tree(&from).unwrap(), tree(&to).unwrap());
    }

    #[test]
    fn keys_do_not_mix_up_names_and_values() {
        let one = CacheKey::new("t").with("a", "bc").id();
        let two = CacheKey::new("t").with("ab", "c").id();
        assert_ne!(one, two);
        assert_eq!(one.len(), 32);
    }
}
