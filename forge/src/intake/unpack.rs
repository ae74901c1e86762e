//! The one file out of the archive. Nothing is ever written under a name from the archive.

use super::{IntakeLimits, IntakeRefusal};
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
};
use zip::{CompressionMethod, ZipArchive};

/// The one entry that is taken.
pub const RECORD: &str = "record.json";

/// Compression works in pieces of this size, so that a ratio over less means nothing, in bytes.
const GRAIN: u64 = 1 << 20;

pub(super) fn unpack(
    mut file: File,
    size: u64,
    limits: &IntakeLimits,
) -> Result<Vec<u8>, IntakeRefusal> {
    let damaged = |error: &dyn std::fmt::Display| {
        IntakeRefusal::Damaged(
            error.to_string().chars().take(200).flat_map(char::escape_default).collect(),
        )
    };
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
        if entry.size() > limits.record {
            return Err(IntakeRefusal::Size { limit: limits.record });
        }
    }
    if archive.is_empty() {
        return Err(IntakeRefusal::Damaged("it is empty".to_owned()));
    }
    let entry = archive.by_index(0).map_err(|error| damaged(&error))?;
    let packed = entry.compressed_size();
    bounded(entry, packed, limits, &damaged)
}

/// Why an entry is not taken.
fn unwanted<R: Read>(entry: &zip::read::ZipFile<'_, R>) -> Option<&'static str> {
    if entry.is_symlink() {
        return Some("a symbolic link");
    }
    if entry.is_dir() {
        return Some("a folder");
    }
    if entry.name_raw() != RECORD.as_bytes() {
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

/// Reads within the limits, whatever the archive says of sizes.
fn bounded(
    mut entry: impl Read,
    packed: u64,
    limits: &IntakeLimits,
    damaged: &dyn Fn(&dyn std::fmt::Display) -> IntakeRefusal,
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
        if size > limits.record {
            return Err(IntakeRefusal::Size { limit: limits.record });
        }
        if size > GRAIN && size > packed.saturating_mul(limits.ratio) {
            return Err(IntakeRefusal::Ratio { limit: limits.ratio });
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
