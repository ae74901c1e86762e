//! Writes files atomically: after a kill at any moment a file is complete or absent.

use crate::StoreError;
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    fs::read(path).map_err(StoreError::io("read", path))
}

/// Makes a folder and those above it.
pub fn make_folder(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(StoreError::io("make the folder", path))
}

/// Replaces a file atomically: writes elsewhere on the same file system, flushes to the disk, then
/// renames. Readers see the old or the new content.
pub fn write_atomically(scratch: &Path, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    make_folder(scratch)?;
    let draft = scratch.join(format!("{}-{number}", std::process::id()));
    let written = write_and_flush(&draft, bytes).and_then(|()| put(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Renames a complete file of the same file system to its place, whatever was there.
pub fn put(draft: &Path, path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    fs::rename(draft, path).map_err(StoreError::io("write", path))?;
    flush_folder(folder)
}

fn write_and_flush(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut file = File::create(path).map_err(StoreError::io("write", path))?;
    file.write_all(bytes).map_err(StoreError::io("write", path))?;
    file.sync_all().map_err(StoreError::io("write", path))
}

/// Flushes a folder: without that, a rename in it may not be on the disk.
fn flush_folder(folder: &Path) -> Result<(), StoreError> {
    File::open(folder)
        .and_then(|open| open.sync_all())
        .map_err(StoreError::io("flush the folder", folder))
}

/// The names in a folder, sorted; none if there is no such folder.
pub fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("read the folder", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::io("read the folder", folder))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The months that have a folder below `folder`, for example `2026/11`, in order.
pub fn months(folder: &Path) -> Result<Vec<String>, StoreError> {
    let mut months = Vec::new();
    for year in names(folder)? {
        for month in names(&folder.join(&year))? {
            months.push(format!("{year}/{month}"));
        }
    }
    Ok(months)
}

/// The last component of a path, if it is UTF-8.
pub fn name(path: &Path) -> Option<String> {
    path.file_name()?.to_str().map(str::to_owned)
}

/// The exclusive right to change the history. It ends with the process.
#[derive(Debug)]
pub struct StoreLock {
    _file: File,
}

impl StoreLock {
    /// Waits until no other process changes the history in `folder`.
    pub fn wait(folder: &Path) -> Result<Self, StoreError> {
        make_folder(folder)?;
        let path: PathBuf = folder.join(".lock");
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        flock(&file, FlockOperation::LockExclusive)
            .map_err(|error| StoreError::io("lock", &path)(error.into()))?;
        // What a killed writer left half written; nobody else writes now.
        let scratch = folder.join("tmp");
        for name in names(&scratch)? {
            let _ = fs::remove_file(scratch.join(name));
        }
        Ok(Self { _file: file })
    }
}
