//! Cargo's target folders, shared with later builds.

use std::{fs, io, path::Path};

/// Makes cargo compile and link the package `name` again in the target folder `made`, even if it is
/// fresh, because the linker's inputs must be those of this build. Dependencies stay compiled.
pub(crate) fn forget(made: &Path, name: &str) -> io::Result<()> {
    let Ok(known) = fs::read_dir(made.join(".fingerprint")) else { return Ok(()) };
    for entry in known {
        let entry = entry?;
        let of_package = entry.file_name().to_str().is_some_and(|found| {
            found.rsplit_once('-').is_some_and(|(package, _)| package == name)
        });
        if of_package {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Removes the folders whose names begin like this: whoever made them was killed.
pub(crate) fn remove_abandoned(within: &Path, prefix: &str) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            // What can't be removed is only litter.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
