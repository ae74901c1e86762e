//! Emptying the folder that jobs work in.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Removes everything in a folder but what `spared` names directly below it. Links are removed,
/// never followed. Returns what could not be removed, with the reason.
pub fn wipe(folder: &Path, spared: &[&str]) -> Vec<(PathBuf, io::Error)> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => return vec![(folder.to_owned(), error)],
    };
    let mut stuck = Vec::new();
    for entry in entries.flatten() {
        if spared.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let path = entry.path();
        if let Err(error) = remove(&path) {
            stuck.push((path, error));
        }
    }
    stuck
}

fn remove(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    match fs::remove_dir_all(path) {
        // Some tools make their caches read-only, folders too.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path)?;
            fs::remove_dir_all(path)
        }
        other => other,
    }
}

/// Lets the owner into every folder below, links not followed.
fn open_up(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn everything_goes_but_what_is_spared_and_what_links_point_to() {
        let tree = tempfile::tempdir().unwrap();
        let (work, outside) = (tree.path().join("work"), tree.path().join("outside"));
        fs::create_dir_all(work.join("repository/read-only/deep")).unwrap();
        fs::create_dir_all(work.join("_temp")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("file"), "kept").unwrap();
        fs::write(work.join("repository/read-only/file"), "").unwrap();
        symlink(&outside, work.join("link")).unwrap();
        symlink(&outside, work.join("repository/link")).unwrap();
        let locked = fs::Permissions::from_mode(0o500);
        fs::set_permissions(work.join("repository/read-only"), locked).unwrap();
        let stuck = wipe(&work, &["_temp"]);
        assert!(stuck.is_empty(), "{stuck:?}");
        let left: Vec<_> = fs::read_dir(&work).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["_temp"]);
        assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "kept");
    }

    #[test]
    fn a_folder_that_is_not_there_is_empty() {
        assert!(wipe(Path::new("/nowhere/at/all"), &[]).is_empty());
    }
}
