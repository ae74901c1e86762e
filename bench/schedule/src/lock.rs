//! One run at a time on a host: two would measure each other.

use crate::{LockHolder, Observer, RunEvent, ScheduleError, time::now_ms};
use nix::{
    errno::Errno,
    fcntl::{Flock, FlockArg},
    unistd::{AccessFlags, Uid, User, access},
};
use std::{
    fs::{File, OpenOptions, Permissions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// How often a waiting run looks again.
const LOOK: Duration = Duration::from_millis(250);
/// A holder's note is a line; whatever is longer is not one.
const LONGEST_NOTE: u64 = 16 * 1024;

/// The host, as long as this lives. The kernel lets go of it when the process dies.
#[derive(Debug)]
pub struct HostLock {
    file: Flock<File>,
}

/// The lock file of this host, one for all users.
pub fn default_path() -> PathBuf {
    let folder = Path::new("/run/lock");
    let usable = access(folder, AccessFlags::W_OK | AccessFlags::X_OK).is_ok();
    if usable { folder.join("shakedown.lock") } else { std::env::temp_dir().join("shakedown.lock") }
}

/// Takes the host, waiting for another run to end if `wait`.
///
/// # Errors
/// [`ScheduleError::Busy`] without `wait`, or if the lock file can't be used.
pub fn take(path: &Path, wait: bool, events: &mut dyn Observer) -> Result<HostLock, ScheduleError> {
    let failed = |source| ScheduleError::Lock { path: path.to_owned(), source };
    let mut file = open(path).map_err(failed)?;
    let mut told = None;
    loop {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(locked) => {
                let mut lock = HostLock { file: locked };
                lock.sign().map_err(failed)?;
                return Ok(lock);
            }
            Err((back, Errno::EWOULDBLOCK | Errno::EINTR)) => file = back,
            Err((_, error)) => return Err(failed(error.into())),
        }
        let holder = holder(&mut file);
        if !wait {
            return Err(ScheduleError::Busy(holder));
        }
        if told.as_ref() != Some(&holder) {
            events.on(&RunEvent::Waiting(&holder));
            told = Some(holder);
        }
        thread::sleep(LOOK);
    }
}

/// Opens the lock file, making it for all users where it is missing. Never follows a link:
/// in a folder that everyone may write to, somebody may have put one there.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC);
    // Without asking to create it first: in a sticky folder the kernel may refuse that for
    // the file of another user, even to root.
    let file = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let file = options.create(true).mode(0o666).open(path)?;
            // The mask has taken bits away. Another user's file is his to change.
            let _ = file.set_permissions(Permissions::from_mode(0o666));
            file
        }
        other => other?,
    };
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a plain file"))
    }
}

/// What the holder wrote about itself; as much as there is.
fn holder(file: &mut File) -> LockHolder {
    let mut text = String::new();
    let read = file
        .seek(SeekFrom::Start(0))
        .and_then(|_| file.take(LONGEST_NOTE).read_to_string(&mut text));
    read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_else(|| LockHolder {
        pid: 0,
        user: "an unknown user".to_owned(),
        started_ms: 0,
        command: "unknown".to_owned(),
    })
}

impl HostLock {
    /// Writes who holds the host.
    fn sign(&mut self) -> io::Result<()> {
        let user = User::from_uid(Uid::effective()).ok().flatten();
        let arguments: Vec<String> =
            std::env::args_os().map(|text| text.to_string_lossy().into_owned()).collect();
        let holder = LockHolder {
            pid: std::process::id(),
            user: user.map_or_else(|| Uid::effective().to_string(), |user| user.name),
            started_ms: now_ms(),
            command: arguments.join(" ").chars().take(1000).collect(),
        };
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(serde_json::to_string(&holder)?.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SilentObserver;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_second_is_told_who_holds_the_host() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = take(&path, false, &mut SilentObserver).unwrap();
        let error = take(&path, false, &mut SilentObserver).unwrap_err();
        let ScheduleError::Busy(holder) = &error else { panic!("{error}") };
        assert_eq!(holder.pid, std::process::id());
        assert!(error.to_string().contains(&format!("process {}", holder.pid)), "{error}");
        drop(first);
        take(&path, false, &mut SilentObserver).unwrap();
    }

    #[test]
    fn the_second_waits_and_says_so_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = take(&path, false, &mut SilentObserver).unwrap();
        let mut waits = 0;
        let second = thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(LOOK * 4);
                drop(first);
            });
            let mut count = |event: &RunEvent<'_>| {
                waits += u32::from(matches!(event, RunEvent::Waiting(_)));
            };
            take(&path, true, &mut count)
        });
        second.unwrap();
        assert_eq!(waits, 1);
    }

    #[test]
    fn anyone_can_use_the_file_and_nobody_can_redirect_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        drop(take(&path, false, &mut SilentObserver).unwrap());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o666);
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(matches!(take(&link, false, &mut SilentObserver), Err(ScheduleError::Lock { .. })));
        assert!(matches!(
            take(folder.path(), false, &mut SilentObserver),
            Err(ScheduleError::Lock { .. })
        ));
    }

    #[test]
    fn a_note_that_is_none_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        std::fs::write(&path, "not JSON").unwrap();
        let lock = take(&path, false, &mut SilentObserver).unwrap();
        std::fs::write(&path, "gone").unwrap();
        let error = take(&path, false, &mut SilentObserver).unwrap_err();
        assert!(error.to_string().contains("an unknown user"), "{error}");
        drop(lock);
    }
}
