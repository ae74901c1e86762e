//! Locks: one process at a time builds one thing.

use crate::BuildError;
use fs4::FileExt;
use std::{
    fs::{self, File},
    io::{Read, Seek, Write},
    path::Path,
    time::Duration,
};

/// Held until dropped; the kernel releases it when the process dies.
#[derive(Debug)]
pub(crate) struct CacheLock {
    file: File,
}

/// Takes the lock at `path` for `purpose`. When another process holds it, `waiting` is called
/// with its description, and this one waits.
pub(crate) fn take(
    path: &Path,
    purpose: &str,
    waiting: &mut dyn FnMut(String),
) -> Result<CacheLock, BuildError> {
    let mut file = open(path)?;
    if FileExt::try_lock(&file).is_err() {
        waiting(holder(&mut file));
        FileExt::lock(&file).map_err(BuildError::io("lock", path))?;
    }
    Ok(held(file, purpose))
}

/// Takes the lock at `path`, unless another process holds it.
pub(crate) fn take_if_free(path: &Path, purpose: &str) -> Result<Option<CacheLock>, BuildError> {
    let file = open(path)?;
    Ok(FileExt::try_lock(&file).is_ok().then(|| held(file, purpose)))
}

/// The description of itself that the holder of the lock at `path` wrote.
pub(crate) fn holder_of(path: &Path) -> Result<String, BuildError> {
    Ok(holder(&mut open(path)?))
}

fn open(path: &Path) -> Result<File, BuildError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(BuildError::io("create", folder))?;
    }
    let mut options = File::options();
    let opened = options.read(true).write(true).create(true).truncate(false).open(path);
    opened.map_err(BuildError::io("open", path))
}

fn held(mut file: File, purpose: &str) -> CacheLock {
    // Who holds it is a courtesy to those who wait; a disk too full to say so is no reason
    // not to go on.
    let _ = file.set_len(0);
    let _ = file.rewind();
    let _ = write!(file, "process {} ({purpose})", std::process::id());
    let _ = file.flush();
    CacheLock { file }
}

impl Drop for CacheLock {
    fn drop(&mut self) {
        // The next one to wait must not read of somebody who is gone.
        let _ = self.file.set_len(0);
    }
}

/// The holder's description of itself. It may not have written it yet.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    for _ in 0..20 {
        let _ = file.rewind();
        let _ = file.take(512).read_to_string(&mut text);
        if !text.is_empty() {
            return text;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    "another process".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    #[test]
    fn the_second_waits_and_knows_for_whom() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("locks/x.lock");
        let first = take(&path, "openssl@3.5.5", &mut |_| panic!("nobody has it")).unwrap();
        let (tell, told) = mpsc::channel();
        let second = thread::spawn({
            let path = path.clone();
            move || take(&path, "again", &mut |holder| tell.send(holder).unwrap()).unwrap()
        });
        let holder = told.recv_timeout(Duration::from_secs(10)).unwrap();
        assert_eq!(holder, format!("process {} (openssl@3.5.5)", std::process::id()));
        assert!(!second.is_finished());
        assert_eq!(holder_of(&path).unwrap(), holder);
        assert!(take_if_free(&path, "does not wait").unwrap().is_none());
        drop(first);
        second.join().unwrap();
    }
}
