//! The compressed files: one run each, or a pack of a month's runs.

use crate::{RunName, StoreError, canonical, files};
use std::{collections::BTreeMap, io::Read, path::Path};

/// Compresses, with a checksum in the frame.
pub(crate) fn compress(bytes: &[u8], level: i32) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), level)?;
    encoder.include_checksum(true)?;
    std::io::copy(&mut &*bytes, &mut encoder)?;
    encoder.finish()
}

fn decompress(path: &Path) -> Result<String, StoreError> {
    let damaged = |reason: String| StoreError::Damaged { path: path.to_path_buf(), reason };
    let bytes = files::read(path)?;
    let mut text = String::new();
    zstd::Decoder::new(&*bytes)
        .and_then(|mut decoder| decoder.read_to_string(&mut text))
        .map_err(|error| damaged(format!("it can't be unpacked ({error})")))?;
    Ok(text)
}

pub(crate) fn read_loose(path: &Path, name: &RunName) -> Result<String, StoreError> {
    checked(path, name, decompress(path)?)
}

/// The runs in a pack; their digests are not checked.
pub(crate) fn read_pack(path: &Path) -> Result<BTreeMap<RunName, String>, StoreError> {
    let text = decompress(path)?;
    let mut runs = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let parsed =
            line.split_once('\t').and_then(|(name, text)| Some((name.parse().ok()?, text)));
        let (name, text) = parsed.ok_or_else(|| StoreError::Line {
            path: path.to_path_buf(),
            line: index + 1,
            reason: "not `NAME`, tab, JSON".to_owned(),
        })?;
        runs.insert(name, text.to_owned());
    }
    Ok(runs)
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
