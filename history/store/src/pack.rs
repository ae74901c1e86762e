//! The compressed files: one run each, or a pack of a month's runs.

use crate::{RunName, StoreError, canonical, files};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead, BufReader, Lines, Read},
    path::Path,
};

/// Compresses, with a checksum in the frame.
pub(crate) fn compress(bytes: &[u8], level: i32) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), level)?;
    encoder.include_checksum(true)?;
    std::io::copy(&mut &*bytes, &mut encoder)?;
    encoder.finish()
}

fn decompress(path: &Path) -> Result<String, StoreError> {
    let bytes = files::read(path)?;
    let mut text = String::new();
    zstd::Decoder::new(&*bytes)
        .and_then(|mut decoder| decoder.read_to_string(&mut text))
        .map_err(|error| damaged(path, &error))?;
    Ok(text)
}

fn damaged(path: &Path, error: &std::io::Error) -> StoreError {
    let reason = format!("it can't be unpacked ({error})");
    StoreError::Damaged { path: path.to_path_buf(), reason }
}

pub(crate) fn read_loose(path: &Path, name: &RunName) -> Result<String, StoreError> {
    checked(path, name, decompress(path)?)
}

/// The runs in a pack; their digests are not checked.
pub(crate) fn read_pack(path: &Path) -> Result<BTreeMap<RunName, String>, StoreError> {
    PackLines::open(path)?.collect()
}

/// The runs in a pack, one after another; their digests are not checked.
pub(crate) struct PackLines<'a> {
    path: &'a Path,
    lines: Lines<BufReader<zstd::Decoder<'static, BufReader<File>>>>,
    read: usize,
}

impl<'a> PackLines<'a> {
    /// Opens a pack.
    pub(crate) fn open(path: &'a Path) -> Result<Self, StoreError> {
        let file = File::open(path).map_err(StoreError::io("read", path))?;
        let decoder = zstd::Decoder::new(file).map_err(StoreError::io("unpack", path))?;
        Ok(Self { path, lines: BufReader::new(decoder).lines(), read: 0 })
    }
}

impl Iterator for PackLines<'_> {
    type Item = Result<(RunName, String), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = match self.lines.next()? {
            Ok(line) => line,
            Err(error) => return Some(Err(damaged(self.path, &error))),
        };
        self.read += 1;
        let parsed = line
            .split_once('\t')
            .and_then(|(name, text)| Some((name.parse().ok()?, text.to_owned())));
        Some(parsed.ok_or_else(|| StoreError::Line {
            path: self.path.to_path_buf(),
            line: self.read,
            reason: "not `NAME`, tab, JSON".to_owned(),
        }))
    }
}

/// The text, if its digest matches its name.
pub(crate) fn checked(path: &Path, name: &RunName, text: String) -> Result<String, StoreError> {
    let digest = canonical::sha256(text.as_bytes());
    if digest.starts_with(name.digest()) {
        return Ok(text);
    }
    let reason = format!("{name} has the digest {} instead of {}", &digest[..16], name.digest());
    Err(StoreError::Damaged { path: path.to_path_buf(), reason })
}
