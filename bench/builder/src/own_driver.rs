//! A driver that the library's own repository has, in place of ours.

use crate::{BuildError, ResolvedSubject, source::FetchedSource};
use std::path::{Component, Path, PathBuf};

/// The folder with the driver in a subject's tree. A revision without it, and what is no tree, is
/// measured with our driver.
pub(crate) fn folder(
    wanted: &ResolvedSubject,
    fetched: &FetchedSource,
) -> Result<Option<PathBuf>, BuildError> {
    let (Some(path), Some(tree)) = (&wanted.own_driver, &fetched.tree) else { return Ok(None) };
    let folder = tree.join(path);
    if !folder.join("Cargo.toml").is_file() {
        return Ok(None);
    }
    let plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let real = |path: &Path| path.canonicalize().map_err(BuildError::io("find", path));
    if !plain || !real(&folder)?.starts_with(real(tree)?) {
        let what =
            format!("the driver's folder `{path}` is not inside the tree of {}", wanted.subject);
        return Err(BuildError::Source { what, log: None });
    }
    Ok(Some(folder))
}
