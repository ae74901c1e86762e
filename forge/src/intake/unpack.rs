//! The files out of the archive. Nothing is ever written under a name from the archive.

use super::{IntakeLimits, IntakeRefusal, quoted};
use shakedown_culprits::EXPLANATION;
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
};
use zip::{CompressionMethod, ZipArchive};

/// The entry that must be there.
pub const RECORD: &str = "record.json";

/// Compression works in pieces of this size, so that a ratio over less means nothing, in bytes.
const GRAIN: u64 = 1 << 20;

/// What an archive holds, unpacked.
pub(super) struct Unpacked {
    pub(super) record: Vec<u8>,
    /// The explanation, or why it is not taken, where the archive has one.
    pub(super) explanation: Option<Result<Vec<u8>, IntakeRefusal>>,
}

pub(super) fn unpack(
    mut file: File,
    size: u64,
    limits: &IntakeLimits,
) -> Result<Unpacked, IntakeRefusal> {
    // The directory is read into memory as a whole: look at how long it says it is.
    let entries = entries(&mut file, size).map_err(|error| damaged(&error))?;
    if entries.is_some_and(|entries| entries > 16) {
        return Err(IntakeRefusal::Damaged("it has more entries than anybody needs".to_owned()));
    }
    let mut archive = ZipArchive::new(file).map_err(|error| damaged(&error))?;
    if archive.has_duplicate_names() {
        let name = RECORD.to_owned();
        return Err(IntakeRefusal::Entry { name, reason: "a name stands there twice" });
    }
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(|error| damaged(&error))?;
        if let Some(reason) = unwanted(&entry) {
            let name = String::from_utf8_lossy(entry.name_raw());
            let name = name.chars().take(80).flat_map(char::escape_default).collect();
            return Err(IntakeRefusal::Entry { name, reason });
        }
    }
    if archive.is_empty() {
        return Err(IntakeRefusal::Damaged("it is empty".to_owned()));
    }
    let record = one(&mut archive, RECORD, limits.record, limits)
        .unwrap_or_else(|| Err(IntakeRefusal::Damaged(format!("it has no {RECORD}"))))?;
    let explanation = one(&mut archive, EXPLANATION, limits.explanation, limits);
    Ok(Unpacked { record, explanation })
}

fn damaged(error: &dyn std::fmt::Display) -> IntakeRefusal {
    IntakeRefusal::Damaged(quoted(&error.to_string()))
}

/// Why an entry is not taken.
fn unwanted<R: Read>(entry: &zip::read::ZipFile<'_, R>) -> Option<&'static str> {
    if entry.is_symlink() {
        return Some("a symbolic link");
    }
    if entry.is_dir() {
        return Some("a folder");
    }
    if ![RECORD, EXPLANATION].iter().any(|name| entry.name_raw() == name.as_bytes()) {
        return Some("an unexpected name");
    }
    if entry.unix_mode().is_some_and(|mode| mode & 0o170_000 != 0 && mode & 0o170_000 != 0o100_000)
    {
        return Some("no regular file");
    }
    if entry.encrypted() {
        return Some("encrypted");
    }
    let known =
        matches!(entry.compression(), CompressionMethod::Stored | CompressionMethod::Deflated);
    if known { None } else { Some("packed in an unexpected way") }
}

/// Reads an entry within the limits, whatever the archive says of sizes. `None` where there is none.
fn one(
    archive: &mut ZipArchive<File>,
    name: &'static str,
    limit: u64,
    limits: &IntakeLimits,
) -> Option<Result<Vec<u8>, IntakeRefusal>> {
    let entry = archive.index_for_name(name)?;
    let mut read = || {
        let entry = archive.by_index(entry).map_err(|error| damaged(&error))?;
        if entry.size() > limit {
            return Err(IntakeRefusal::Size { name, limit });
        }
        let packed = entry.compressed_size();
        bounded(entry, packed, (name, limit), limits.ratio)
    };
    Some(read())
}

fn bounded(
    mut entry: impl Read,
    packed: u64,
    (name, limit): (&'static str, u64),
    ratio: u64,
) -> Result<Vec<u8>, IntakeRefusal> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let n = entry.read(&mut piece).map_err(|error| damaged(&error))?;
        if n == 0 {
            return Ok(bytes);
        }
        bytes.extend_from_slice(&piece[..n]);
        let size = bytes.len() as u64;
        if size > limit {
            return Err(IntakeRefusal::Size { name, limit });
        }
        if size > GRAIN && size > packed.saturating_mul(ratio) {
            return Err(IntakeRefusal::Ratio { name, limit: ratio });
        }
    }
}

/// Entries that the end of the archive speaks of; `None` where it has no end.
fn entries(file: &mut File, size: u64) -> std::io::Result<Option<u16>> {
    const SIGNATURE: &[u8] = b"PK\x05\x06";
    // The record at the end has 22 bytes, and a comment of up to 65,535 behind it.
    let start = size.saturating_sub(22 + 65_535);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.take(22 + 65_535).read_to_end(&mut tail)?;
    file.seek(SeekFrom::Start(0))?;
    let ends = tail.windows(12).rev().filter(|window| window.starts_with(SIGNATURE));
    // Whichever of them a reader takes for the end.
    Ok(ends.map(|end| u16::from_le_bytes([end[10], end[11]])).max())
}
