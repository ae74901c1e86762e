//! What makes a folder a history, before anything in it is read.

use crate::{StoreError, files};
use std::path::Path;

/// The file that every history has, once something was written to it.
const MARKER: &str = ".gitattributes";
/// What may stand in the folder before the marker does.
const OURS: [&str; 7] = ["runs", "manifest", ".gitignore", ".git", "tmp", ".lock", "README.md"];
/// What a folder without the marker must hold one of, to be read as a history. The clone of an
/// empty branch has nothing but `.git`.
const BEGUN: [&str; 3] = ["runs", "manifest", ".git"];

/// Whether the folder is a history; a missing or empty one is none. Writes nothing.
///
/// # Errors
/// If it holds something else, or can't be read.
pub fn is_history(root: &Path) -> Result<bool, StoreError> {
    let names = files::names(root)?;
    if names.iter().any(|name| name == MARKER) {
        return Ok(true);
    }
    match names.iter().find(|name| !OURS.contains(&name.as_str())) {
        Some(foreign) => Err(StoreError::Question(format!(
            "{} is no history: it holds `{foreign}`. Name an empty folder or one that `shakedown history` made",
            root.display()
        ))),
        None => Ok(names.iter().any(|name| BEGUN.contains(&name.as_str()))),
    }
}

/// Writes what git must know about the files of a history, where it is missing or old.
///
/// # Errors
/// If it can't be written.
pub fn lay_out(root: &Path) -> Result<(), StoreError> {
    let ignored = ".index/\n.lock\ntmp/\nquarantine/\n";
    let attributes = "manifest/**/*.txt merge=union\n*.zst binary\n";
    for (name, content) in [(".gitignore", ignored), (".gitattributes", attributes)] {
        let path = root.join(name);
        if !files::read(&path).is_ok_and(|old| old == content.as_bytes()) {
            files::write_atomically(&root.join("tmp"), &path, content.as_bytes())?;
        }
    }
    Ok(())
}
