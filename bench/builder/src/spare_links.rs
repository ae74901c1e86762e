//! Keeps the links in the cache bounded. A comparison may run 60 of each side, and they can be made again
//! from the archive of the linker's inputs within seconds.

use crate::{
    BuildError,
    artifact_files::{RECORD, binary, measured},
    assemble,
    cache::Cache,
    lock,
};
use shakedown_protocol::Artifact;
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// How long shuffled links are kept after their last use.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes the shuffled links of the artifacts whose links nobody used for a day. Leaves those alone
/// that somebody builds right now. The caller must not hold an artifact's lock.
pub(crate) fn remove_unused(cache: &Cache) {
    let entries = fs::read_dir(cache.root.join("artifacts")).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_unused(&entry.path().join(RECORD))) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = cache.at("locks", &format!("artifact-{name}.lock"));
        // Builds don't fail because a cache can't be written to.
        if let Ok(Some(_lock)) = lock::take_if_free(&path, "removes unused links") {
            let _ = remove(cache, &entry.path());
        }
    }
}

/// Whether the record of an artifact, whose time of change is that of the last use of its links, is old.
fn is_unused(record: &Path) -> bool {
    let changed = record.metadata().and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > KEPT))
}

/// Removes all links but the plain one from the artifact at `place`.
fn remove(cache: &Cache, place: &Path) -> Result<(), BuildError> {
    let path = place.join(RECORD);
    let text = fs::read(&path).map_err(BuildError::io("read", &path))?;
    // What can't be read is no artifact, and is built anew when it is asked for.
    let Ok(mut artifact) = serde_json::from_slice::<Artifact>(&text) else { return Ok(()) };
    let links = artifact.links.len() as u32;
    if links < 2 {
        return Ok(());
    }
    artifact.links.truncate(1);
    artifact.programs.truncate(1);
    // The record comes first: it never names a file that is gone.
    assemble::record(cache, place, &artifact)?;
    let files = |number: u32| -> [PathBuf; 2] {
        [binary(number), measured(&artifact.driver, number)].map(|name| place.join(name))
    };
    for file in (1..links).flat_map(files) {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(BuildError::io("remove", &file)(error));
            }
            _ => {}
        }
    }
    Ok(())
}
