//! The cgroup that the runner and everything its jobs start live in.

use crate::HostRoot;
use std::path::PathBuf;

/// Why the cgroup is not report.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CgroupError {
    /// Not in the runner's unit.
    #[error(
        "this process is in cgroup {found:?}, not in {unit}: processes are only killed where nothing but the runner and its jobs lives"
    )]
    Foreign {
        /// The cgroup found.
        found: String,
        /// The runner's unit.
        unit: String,
    },
    /// No unified hierarchy.
    #[error(
        "this system has no unified cgroup hierarchy (cgroup v2), which tells a job's processes apart"
    )]
    Missing,
}

/// The folder of the runner's cgroup, which this process must be in.
///
/// # Errors
/// [`CgroupError`]; killing by the wrong cgroup would end an operator's session.
pub fn own_cgroup(root: &HostRoot, unit: &str) -> Result<PathBuf, CgroupError> {
    let text = root.read("proc/self/cgroup").unwrap_or_default();
    let own = text.lines().find_map(|line| line.strip_prefix("0::")).ok_or(CgroupError::Missing)?;
    let parts: Vec<&str> = own.split('/').filter(|part| !part.is_empty()).collect();
    // A job may have made folders below; the unit's own is what is report.
    let place = parts.iter().position(|part| *part == unit);
    let Some(place) = place.filter(|_| !parts.contains(&"..")) else {
        return Err(CgroupError::Foreign { found: own.to_owned(), unit: unit.to_owned() });
    };
    let folder = root.path("sys/fs/cgroup").join(parts[..=place].join("/"));
    if folder.join("cgroup.procs").exists() { Ok(folder) } else { Err(CgroupError::Missing) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tree(own: &str, folder: &str) -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir_all(tree.path().join("proc/self")).unwrap();
        fs::write(tree.path().join("proc/self/cgroup"), own).unwrap();
        let folder = tree.path().join("sys/fs/cgroup").join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("cgroup.procs"), "").unwrap();
        tree
    }

    #[test]
    fn the_units_folder_is_found_from_below_too() {
        let folder = "system.slice/r.service";
        for own in ["0::/system.slice/r.service\n", "0::/system.slice/r.service/job/x\n"] {
            let tree = tree(own, folder);
            let found = own_cgroup(&HostRoot::at(tree.path()), "r.service").unwrap();
            assert_eq!(found, tree.path().join("sys/fs/cgroup").join(folder));
        }
    }

    #[test]
    fn another_cgroup_is_never_swept() {
        for own in [
            "0::/user.slice/user-0.slice/session-1.scope",
            "0::/",
            "0::/a/../r.service",
            "1:x:/r.service",
        ] {
            let tree = tree(own, "");
            own_cgroup(&HostRoot::at(tree.path()), "r.service").unwrap_err();
        }
    }
}
