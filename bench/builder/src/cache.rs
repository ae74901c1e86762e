//! The cache of downloads, sources, libraries and artifacts.
//!
//! An entry has a digest as its name and gets it by renaming, so that an entry is always complete.

use crate::{BuildError, digest::CacheKey};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// No folder for the cache is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no place for the cache: set SHAKEDOWN_CACHE, XDG_CACHE_HOME or HOME to an absolute path")]
pub struct NoCacheFolder;

/// The folder for builds: `SHAKEDOWN_CACHE`, else `shakedown` under `XDG_CACHE_HOME`, else
/// `~/.cache/shakedown`. Relative paths in these variables are ignored, as the XDG base
/// directory specification requires.
///
/// # Errors
/// [`NoCacheFolder`] if none of them is set.
pub fn default_cache() -> Result<PathBuf, NoCacheFolder> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("SHAKEDOWN_CACHE")
        .or_else(|| Some(absolute("XDG_CACHE_HOME")?.join("shakedown")))
        .or_else(|| Some(absolute("HOME")?.join(".cache/shakedown")))
        .ok_or(NoCacheFolder)
}

/// The folders of the cache.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    pub(crate) root: PathBuf,
}

/// A new entry in a temporary folder next to its final place. Dropping it before publication removes
/// it.
#[derive(Debug)]
pub(crate) struct StagedFolder {
    folder: tempfile::TempDir,
    place: PathBuf,
}

impl Cache {
    /// A file or folder of a kind: `downloads`, `sources`, `git`, `resolved`, `libraries`,
    /// `work`, `artifacts`, `logs`, `locks`, `estimates`.
    pub(crate) fn at(&self, kind: &str, name: &str) -> PathBuf {
        self.root.join(kind).join(name)
    }

    /// Starts a new entry for `place`. Removes leftovers of killed builds, so the caller must hold the
    /// lock of `place`.
    pub(crate) fn aside(&self, place: &Path) -> Result<StagedFolder, BuildError> {
        let parent = place.parent().unwrap_or(&self.root);
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let prefix = format!(".aside-{name}-");
        fs::create_dir_all(parent).map_err(BuildError::io("create", parent))?;
        for entry in fs::read_dir(parent).map_err(BuildError::io("read", parent))?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent);
        Ok(StagedFolder {
            folder: folder.map_err(BuildError::io("create a folder in", parent))?,
            place: place.to_owned(),
        })
    }

    /// Writes a small file atomically.
    pub(crate) fn write(&self, path: &Path, text: &[u8]) -> Result<(), BuildError> {
        let parent = path.parent().unwrap_or(&self.root);
        let write = || -> io::Result<()> {
            fs::create_dir_all(parent)?;
            let mut file = tempfile::NamedTempFile::new_in(parent)?;
            io::Write::write_all(&mut file, text)?;
            file.as_file().sync_all()?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(BuildError::io("write", path))
    }

    /// Number of lines that a phase wrote in its last success.
    pub(crate) fn expected(&self, phase: &str) -> Option<u64> {
        let path = self.at("estimates", &CacheKey::new("phase").with("name", phase).id());
        fs::read_to_string(path).ok()?.trim().parse().ok()
    }

    /// Stores the number of lines that a phase wrote.
    pub(crate) fn remember(&self, phase: &str, lines: u64) {
        let path = self.at("estimates", &CacheKey::new("phase").with("name", phase).id());
        // Only an estimate: a build does not fail for it.
        let _ = self.write(&path, lines.to_string().as_bytes());
    }
}

impl StagedFolder {
    /// The folder to fill.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Renames the folder to its final place. Moves an old entry away first.
    pub(crate) fn publish(self) -> Result<PathBuf, BuildError> {
        use std::os::unix::fs::PermissionsExt;
        let Self { folder, place } = self;
        let publish = || -> io::Result<()> {
            // Temporary folders are private; what is published may be read by others.
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
            if place.exists() {
                let old = folder.path().with_extension("old");
                fs::rename(&place, &old)?;
                fs::rename(folder.path(), &place)?;
                return fs::remove_dir_all(old);
            }
            fs::rename(folder.path(), &place)
        };
        publish().map_err(BuildError::io("move into place", &place))?;
        // It is somewhere else now; nothing to remove.
        let _ = folder.keep();
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_published_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { root: folder.path().to_owned() };
        let place = cache.at("artifacts", "abc");
        let aside = cache.aside(&place).unwrap();
        fs::write(aside.path().join("driver"), "half").unwrap();
        drop(aside);
        assert!(!place.exists());
        // As a killed process leaves it.
        fs::create_dir(folder.path().join("artifacts/.aside-abc-dead")).unwrap();
        let aside = cache.aside(&place).unwrap();
        fs::write(aside.path().join("driver"), "whole").unwrap();
        assert_eq!(aside.publish().unwrap(), place);
        assert_eq!(fs::read_to_string(place.join("driver")).unwrap(), "whole");
        let aside = cache.aside(&place).unwrap();
        fs::write(aside.path().join("driver"), "new").unwrap();
        aside.publish().unwrap();
        assert_eq!(fs::read_to_string(place.join("driver")).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path().join("artifacts")).unwrap().count(), 1);
    }

    #[test]
    fn estimates_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { root: folder.path().to_owned() };
        assert_eq!(cache.expected("openssl make"), None);
        cache.remember("openssl make", 1200);
        assert_eq!(cache.expected("openssl make"), Some(1200));
    }
}
