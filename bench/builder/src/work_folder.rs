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
