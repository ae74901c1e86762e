//! The journal of a tuning. Each change is on disk before it is made, so that the original values are
//! known whatever happens to the program or the machine.
//!
//! A folder with `tune.jsonl` while the machine is tuned: one entry a line, each on the disk
//! before the change that it names is made. A last line without its end was never acted on.
//! Once all is restored the file is called `last.jsonl`.

mod entry;
mod refusals;

pub(crate) use entry::{JournalEntry, JournalHeader, OriginalValue};
pub(crate) use refusals::Refusals;

use crate::{HostRoot, setting::Setting};
use nix::{
    errno::Errno,
    fcntl::{Flock, FlockArg},
};
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Folder of the journal.
pub const JOURNAL: &str = "/var/lib/shakedown/journal";

/// Why tuning or restoring stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The machine can't be observed.
    #[error(transparent)]
    Host(#[from] crate::HostError),
    /// The journal can't be written, so nothing more was changed.
    #[error("can't write the journal {}: {source}. Nothing more was changed; `shakedown host restore` takes back what was", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another `tune` or `restore` is running.
    #[error("another tune or restore is at work on {}: wait for it to end", .0.display())]
    Busy(PathBuf),
    /// A damaged journal.
    #[error("{}:{line}: {reason}. The journal is damaged: put the knobs back by hand (`shakedown host check` shows them), then remove the file", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A knob that can't be read.
    #[error("can't read {setting}: {source}")]
    Read {
        /// The setting.
        setting: String,
        /// What the system says.
        source: io::Error,
    },
    /// CPUs that the machine does not have, or that contradict an earlier choice.
    #[error("{0}")]
    CpuSet(String),
}

/// A journal on disk. The folder is locked while this exists.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    file: Option<File>,
    /// What it says.
    pub log: JournalState,
    _lock: Flock<File>,
}

/// The contents of a journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JournalState {
    /// `None` while the machine is not tuned.
    pub header: Option<JournalHeader>,
    /// In order.
    pub originals: Vec<OriginalValue>,
    /// Values that tuning caused: the values set, and what the system made of them.
    pub ours: BTreeMap<Setting, Vec<String>>,
    /// Whether the last `tune` finished.
    pub done: bool,
    /// A restore has started, and leaves these settings alone.
    pub leave: Option<Vec<Setting>>,
}

impl JournalState {
    pub fn original(&self, setting: &Setting) -> Option<&OriginalValue> {
        self.originals.iter().find(|original| original.setting == *setting)
    }

    fn take(&mut self, entry: JournalEntry) {
        match entry {
            JournalEntry::Begin(header) => self.header = Some(header),
            JournalEntry::Originals(mut more) => self.originals.append(&mut more),
            JournalEntry::Set { setting, to } | JournalEntry::Became { setting, to } => {
                self.ours.entry(setting).or_default().push(to);
                (self.done, self.leave) = (false, None);
            }
            JournalEntry::Done => self.done = true,
            JournalEntry::Restoring { leave } => self.leave = Some(leave),
        }
    }

    /// Whether we may have given a setting the value that it has now.
    pub fn is_ours(&self, original: &OriginalValue, now: &str) -> bool {
        let setting = &original.setting;
        now == original.was
            || original.wanted.as_deref() == Some(now)
            || self.ours.get(setting).is_some_and(|values| values.iter().any(|value| value == now))
            || setting.is_half(now)
            || !self.done && is_moved_by_others(setting)
    }
}

/// Setting one thing can move another: a governor moves the preference, and a CPU that goes
/// takes its interrupts along. What was moved so is written down at the end of `tune`; if that
/// was killed, whatever stands in such a setting counts as ours.
fn is_moved_by_others(setting: &Setting) -> bool {
    const MOVED: [&str; 3] =
        ["sys/devices/system/cpu/", "sys/devices/virtual/workqueue/", "proc/irq/"];
    matches!(setting, Setting::File { path, .. } if MOVED.iter().any(|top| path.starts_with(top)))
}

impl Journal {
    /// Reads the journal in `folder`, and locks it.
    ///
    /// # Errors
    /// [`TuneError::Busy`], [`TuneError::Damaged`], or when the folder can't be made.
    pub fn open(folder: &Path) -> Result<Self, TuneError> {
        let failed = |source| TuneError::Write { path: folder.to_owned(), source };
        make_folder(folder).map_err(failed)?;
        let lock = OpenOptions::new().create(true).append(true).open(folder.join("lock"));
        let lock = match Flock::lock(lock.map_err(failed)?, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => lock,
            Err((_, Errno::EWOULDBLOCK)) => return Err(TuneError::Busy(folder.to_owned())),
            Err((_, error)) => return Err(failed(error.into())),
        };
        let log = read(&folder.join(FILE))?;
        Ok(Self { folder: folder.to_owned(), file: None, log, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Writes an entry down for good. Only then may what it names be done.
    ///
    /// # Errors
    /// [`TuneError::Write`]: a full disk, a folder that is not ours.
    pub fn add(&mut self, root: &HostRoot, entry: JournalEntry) -> Result<(), TuneError> {
        let path = self.path();
        self.append(root, &entry).map_err(|source| TuneError::Write { path, source })?;
        self.log.take(entry);
        Ok(())
    }

    fn append(&mut self, root: &HostRoot, entry: &JournalEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        if self.file.is_none() {
            root.before_change()?;
            self.file = Some(open_at_whole_line(&self.path())?);
            sync_folder(&self.folder)?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        root.append(file, &line)?;
        file.sync_all()
    }

    /// Closes the journal: the machine is as it was.
    ///
    /// # Errors
    /// [`TuneError::Write`].
    pub fn close(&mut self, root: &HostRoot) -> Result<(), TuneError> {
        let path = self.path();
        self.put_aside(root, "last.jsonl").map_err(|source| TuneError::Write { path, source })
    }

    fn put_aside(&mut self, root: &HostRoot, name: &str) -> io::Result<()> {
        root.before_change()?;
        match fs::remove_file(self.folder.join(refusals::FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        root.before_change()?;
        match fs::rename(self.path(), self.folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        (self.file, self.log) = (None, JournalState::default());
        sync_folder(&self.folder)
    }

    /// Puts the journal of an earlier boot aside: a reboot forgets what was set.
    ///
    /// # Errors
    /// [`TuneError::Write`].
    pub fn outlived(&mut self, root: &HostRoot) -> Result<(), TuneError> {
        let path = self.path();
        let put_aside = self.put_aside(root, "earlier-boot.jsonl");
        put_aside.map_err(|source| TuneError::Write { path, source })
    }

    /// Keeps what refused to be set, for `check`.
    ///
    /// # Errors
    /// [`TuneError::Write`].
    pub fn refusals(&self, root: &HostRoot, refusals: &Refusals) -> Result<(), TuneError> {
        let path = self.folder.join(refusals::FILE);
        let write = root.before_change().and_then(|()| refusals.write(&path));
        write.map_err(|source| TuneError::Write { path, source })
    }
}

const FILE: &str = "tune.jsonl";
/// A journal is some hundred KiB on the largest machine.
const LONGEST: u64 = 16 << 20;

/// What the journal in a folder says, without a lock.
///
/// # Errors
/// [`TuneError::Damaged`].
pub(crate) fn read_folder(folder: &Path) -> Result<JournalState, TuneError> {
    read(&folder.join(FILE))
}

fn read(path: &Path) -> Result<JournalState, TuneError> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(JournalState::default()),
        Err(source) => return Err(TuneError::Write { path: path.to_owned(), source }),
        Ok(text) => text,
    };
    let mut log = JournalState::default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    for (index, line) in whole.lines().enumerate() {
        let damaged =
            |reason: String| TuneError::Damaged { path: path.to_owned(), line: index + 1, reason };
        let entry = JournalEntry::read(line).map_err(damaged)?;
        if log.header.is_none() != matches!(entry, JournalEntry::Begin(_)) {
            return Err(damaged("the first line, and only that, begins a journal".to_owned()));
        }
        log.take(entry);
    }
    Ok(log)
}

/// Opens for appending, without a line that was written in part.
fn open_at_whole_line(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let mut text = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut text)?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        file.set_len(whole as u64)?;
        file.sync_all()?;
    }
    Ok(file)
}

/// Makes a folder and those above it, each on the disk.
fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        make_folder(above)?;
        fs::create_dir(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
        sync_folder(above)?;
    }
    Ok(())
}

pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests;
