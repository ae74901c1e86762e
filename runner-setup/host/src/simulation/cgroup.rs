//! Cgroups: their files come and go with them, and a partition is valid or not.

use super::{EINVAL, errno, put};
use crate::{CpuSet, HostRoot, topology};
use std::{fs, io};

/// A process is in one group only.
pub(super) fn move_process(root: &HostRoot, path: &str, pid: &str) -> io::Result<()> {
    let top = "sys/fs/cgroup";
    let groups = root.names(top).into_iter().map(|name| format!("{top}/{name}/cgroup.procs"));
    for group in groups.chain([format!("{top}/cgroup.procs")]) {
        let Some(text) = root.read(&group) else { continue };
        let mut pids: Vec<&str> =
            text.lines().filter(|line| *line != pid && !line.is_empty()).collect();
        if group == path {
            pids.push(pid);
        }
        if pids.join("\n") != text {
            put(root, &group, &pids.join("\n"))?;
        }
    }
    Ok(())
}

pub(super) fn set_controllers(
    root: &HostRoot,
    path: &str,
    before: &str,
    text: &str,
) -> io::Result<()> {
    let name = &text[1..];
    let mut words: Vec<&str> = before.split_whitespace().filter(|word| *word != name).collect();
    if text.starts_with('+') {
        words.insert(0, name);
    }
    put(root, path, &words.join(" "))
}

pub(super) fn set_partition(root: &HostRoot, folder: &str, text: &str) -> io::Result<()> {
    let file = format!("{folder}/cpuset.cpus.partition");
    let cpus = root.read(&format!("{folder}/cpuset.cpus")).unwrap_or_default();
    let usable = CpuSet::parse_lossy(&cpus).within(&topology::online(root)) && !cpus.is_empty();
    let isolated = "sys/fs/cgroup/cpuset.cpus.isolated";
    match text {
        "isolated" if root.has(".simulation/no-isolated") => Err(errno(EINVAL)),
        "isolated" | "root" if !usable => {
            put(root, &file, &format!("{text} invalid (cpu list in cpuset.cpus not available)"))
        }
        "isolated" => {
            if root.has(isolated) {
                put(root, isolated, &cpus)?;
            }
            put(root, &file, text)
        }
        _ => put(root, &file, text),
    }
}

/// Creates a cgroup with its files.
pub(super) fn create(root: &HostRoot, path: &str) -> io::Result<()> {
    fs::create_dir(root.path(path))?;
    let v2: &[(&str, &str)] =
        &[("cpuset.cpus", ""), ("cpuset.cpus.partition", "member"), ("cgroup.procs", "")];
    let v1: &[(&str, &str)] = &[
        ("cpuset.cpus", ""),
        ("cpuset.mems", ""),
        ("cpuset.sched_load_balance", "1"),
        ("tasks", ""),
    ];
    let files = if path.starts_with("sys/fs/cgroup/cpuset/") { v1 } else { v2 };
    files.iter().try_for_each(|(name, text)| put(root, &format!("{path}/{name}"), text))
}

/// A cgroup's files go away with it.
pub(super) fn remove(root: &HostRoot, path: &str) -> io::Result<()> {
    fs::remove_dir_all(root.path(path))?;
    let isolated = "sys/fs/cgroup/cpuset.cpus.isolated";
    if root.has(isolated) { put(root, isolated, "") } else { Ok(()) }
}
