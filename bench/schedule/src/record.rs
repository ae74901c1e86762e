//! The record file, valid JSON after every trial, whatever happens in between.
//!
//! The first line is the head; each trial is one line; a short tail closes the lists. Adding
//! a trial overwrites the tail in place: one write, whose cost does not grow with the run. A
//! write that was torn by a crash leaves whole lines before it, and [`read`] goes back to them.
//! That is why commas begin lines: the end of a line is never written again.

use crate::{RecordFileError, time};
use nix::{
    errno::Errno,
    fcntl::{FallocateFlags, fallocate},
};
use serde_json::Value;
use shakedown_protocol::{RecordError, RunCompletion, RunRecord, SubjectEntry, Trial, Unsupported};
use std::{
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io, mem,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// What the head's line ends with.
const HEAD_END: &str = r#""trials":["#;
/// Fields of the head that a person looks for first.
const FIRST: [&str; 4] = ["schema", "id", "shakedown", "started_ms"];
/// Fields that follow the head, because they grow.
const GROWING: [&str; 3] = ["trials", "unsupported", "finish"];

/// An open record.
#[derive(Debug)]
pub(crate) struct RecordFile {
    path: PathBuf,
    file: File,
    record: RunRecord,
    /// Where the last trial's line ends: here the tail begins.
    end: u64,
    /// The tail, as it is in the file.
    tail: String,
}

impl RecordFile {
    /// Writes `record` to a new file at `path`.
    pub fn create(path: &Path, record: RunRecord) -> Result<Self, RecordFileError> {
        if path.symlink_metadata().is_ok() {
            return Err(RecordFileError::Exists(path.to_owned()));
        }
        Self::place(path, record)
    }

    /// Reads the record at `path` in order to go on with it. Returns how many bytes of a torn
    /// write were dropped, too.
    pub fn reopen(path: &Path) -> Result<(Self, u64), RecordFileError> {
        let (mut record, dropped) = read(path)?;
        if record.trials.is_empty() {
            // It waited for the host until now.
            record.started_ms = time::now_ms();
        }
        Ok((Self::place(path, record)?, dropped))
    }

    /// Writes the file aside and moves it into its place, so that there is never half of one.
    fn place(path: &Path, mut record: RunRecord) -> Result<Self, RecordFileError> {
        let failed = |source| RecordFileError::Write { path: path.to_owned(), source };
        let aside = path.with_extension(format!("json.{}", std::process::id()));
        let written = (|| {
            let (text, tail) = (body(&mut record)?, tail(&record)?);
            let options = OpenOptions::new().write(true).create(true).truncate(true).open(&aside);
            let file = options?;
            file.write_all_at(text.as_bytes(), 0)?;
            file.write_all_at(tail.as_bytes(), text.len() as u64)?;
            file.sync_all()?;
            fs::rename(&aside, path)?;
            // The name must survive a power cut too.
            if let Some(folder) = path.parent() {
                File::open(folder)?.sync_all()?;
            }
            Ok((file, text.len() as u64, tail))
        })();
        let (file, end, tail) = written
            .inspect_err(|_| {
                // What can't be removed now is only litter.
                let _ = fs::remove_file(&aside);
            })
            .map_err(failed)?;
        Ok(Self { path: path.to_owned(), file, record, end, tail })
    }

    /// What the file says.
    pub const fn record(&self) -> &RunRecord {
        &self.record
    }

    /// What the file says, for keeps.
    pub fn into_record(self) -> RunRecord {
        self.record
    }

    /// Adds a trial. When this returns, it is on the disk.
    pub fn push(&mut self, trial: Trial) -> Result<(), RecordFileError> {
        let line = line(self.record.trials.len(), &trial).map_err(|error| self.failed(error))?;
        self.save(&line)?;
        self.record.trials.push(trial);
        Ok(())
    }

    /// Adds something that a subject can't do. A scenario that it can't do at all replaces
    /// what was said of single instruments.
    pub fn unsupported(&mut self, what: Unsupported) -> Result<(), RecordFileError> {
        let list = &mut self.record.unsupported;
        if what.meter.is_none() {
            list.retain(|had| (&had.subject, had.scenario) != (&what.subject, what.scenario));
        }
        list.push(what);
        self.save("")
    }

    /// Replaces the subjects, which have more links now.
    pub fn set_subjects(&mut self, subjects: Vec<SubjectEntry>) -> Result<(), RecordFileError> {
        let record = RunRecord { subjects, ..self.record.clone() };
        *self = Self::place(&self.path, record)?;
        Ok(())
    }

    /// Marks the run as finished, or as going on again.
    pub fn finish(&mut self, finish: Option<RunCompletion>) -> Result<(), RecordFileError> {
        self.record.finish = finish;
        self.save("")
    }

    /// Replaces the tail by `more` and the tail that is due now.
    fn save(&mut self, more: &str) -> Result<(), RecordFileError> {
        let tail = tail(&self.record).map_err(|error| self.failed(error))?;
        let text = format!("{more}{tail}");
        if let Err(error) = self.overwrite(&text) {
            // The old tail has its place on the disk: writing it again needs no space.
            let length = self.end + self.tail.len() as u64;
            let _ = self.file.write_all_at(self.tail.as_bytes(), self.end);
            let _ = self.file.set_len(length);
            let _ = self.file.sync_data();
            return Err(self.failed(error));
        }
        self.end += more.len() as u64;
        self.tail = tail;
        Ok(())
    }

    fn overwrite(&self, text: &str) -> io::Result<()> {
        let (from, length) = (self.end, text.len() as u64);
        // Space first: a disk that is full must be noticed before the tail is overwritten.
        let (start, bytes) = (from.cast_signed(), length.cast_signed());
        match fallocate(&self.file, FallocateFlags::FALLOC_FL_KEEP_SIZE, start, bytes) {
            Ok(()) | Err(Errno::EOPNOTSUPP | Errno::ENOSYS) => {}
            Err(error) => return Err(error.into()),
        }
        self.file.write_all_at(text.as_bytes(), from)?;
        if length < self.tail.len() as u64 {
            self.file.set_len(from + length)?;
        }
        self.file.sync_data()
    }

    fn failed(&self, source: io::Error) -> RecordFileError {
        RecordFileError::Write { path: self.path.clone(), source }
    }
}

/// Head and trials. Every field that is not known to grow is in the head, so that none is
/// forgotten when the record gets more of them.
fn body(record: &mut RunRecord) -> io::Result<String> {
    let trials = mem::take(&mut record.trials);
    let value = serde_json::to_value(&*record);
    record.trials = trials;
    let mut fields = match value? {
        Value::Object(fields) => fields,
        _ => return Err(io::Error::other("a defect of this program: a record is no object")),
    };
    GROWING.iter().for_each(|name| drop(fields.remove(*name)));
    let first = FIRST.iter().filter_map(|name| fields.remove_entry(*name)).collect::<Vec<_>>();
    let mut text = "{".to_owned();
    for (name, value) in first.into_iter().chain(fields) {
        write!(text, "\"{name}\":{value},").map_err(io::Error::other)?;
    }
    text.push_str(HEAD_END);
    text.push('\n');
    for (index, trial) in record.trials.iter().enumerate() {
        text.push_str(&line(index, trial)?);
    }
    Ok(text)
}

/// A trial as a line of the file.
fn line(index: usize, trial: &Trial) -> io::Result<String> {
    let comma = if index == 0 { "" } else { "," };
    Ok(format!("{comma}{}\n", serde_json::to_string(trial)?))
}

/// Everything behind the trials.
fn tail(record: &RunRecord) -> io::Result<String> {
    let unsupported = serde_json::to_string(&record.unsupported)?;
    let finish = serde_json::to_string(&record.finish)?;
    Ok(format!("],\"unsupported\":{unsupported},\"finish\":{finish}}}\n"))
}

/// Reads the record at `path`, and how many bytes behind its last whole trial were torn. What
/// subjects can't do is then forgotten, and found again.
pub(crate) fn read(path: &Path) -> Result<(RunRecord, u64), RecordFileError> {
    let bytes =
        fs::read(path).map_err(|source| RecordFileError::Read { path: path.to_owned(), source })?;
    let text = String::from_utf8_lossy(&bytes);
    let wrong = |source| RecordFileError::Content { path: path.to_owned(), source };
    match RunRecord::from_json(&text) {
        Ok(record) => Ok((record, 0)),
        Err(error @ RecordError::Syntax { .. }) => {
            salvage(&bytes).unwrap_or(Err(error)).map_err(wrong)
        }
        Err(error) => Err(wrong(error)),
    }
}

/// Takes what is whole from a torn file; `None` if that is not even the head.
fn salvage(bytes: &[u8]) -> Option<Result<(RunRecord, u64), RecordError>> {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let head = lines.next()?;
    let open = std::str::from_utf8(head).ok()?.strip_suffix('\n')?;
    let closed = format!("{open}],\"unsupported\":[],\"finish\":null}}");
    if !open.ends_with(HEAD_END) {
        return None;
    }
    let mut record = match RunRecord::from_json(&closed) {
        Ok(record) => record,
        Err(error) => return Some(Err(error)),
    };
    let mut kept = head.len();
    for line in lines {
        let Some(json) = line.strip_suffix(b"\n") else { break };
        let json = json.strip_prefix(b",").unwrap_or(json);
        let Ok(trial) = serde_json::from_slice(json) else { break };
        record.trials.push(trial);
        kept += line.len();
    }
    let dropped = (bytes.len() - kept) as u64;
    Some(record.validate().map(|()| (record, dropped)))
}

#[cfg(test)]
mod tests;
