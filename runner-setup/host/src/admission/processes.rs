//! Ending what a job left behind.

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// What was found and ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KillReport {
    /// `name (pid)` of each process that was killed.
    pub killed: Vec<String>,
    /// What was still there when the time was up.
    pub surviving: Vec<String>,
}

/// Kills every process of a cgroup and of those below it but the spared ones, again and again
/// until none is left or `patience` is over: a process may fork while it is looked for.
pub fn kill_processes(cgroup: &Path, spared: &BTreeSet<u32>, patience: Duration) -> KillReport {
    let start = Instant::now();
    let mut report = KillReport::default();
    let mut known = BTreeSet::new();
    loop {
        let living: Vec<u32> = members(cgroup)
            .into_iter()
            .filter(|pid| !spared.contains(pid) && is_alive(*pid))
            .collect();
        if living.is_empty() {
            return report;
        }
        if start.elapsed() > patience {
            report.surviving = living.into_iter().map(shown).collect();
            return report;
        }
        for pid in living {
            if known.insert(pid) {
                report.killed.push(shown(pid));
            }
            if let Ok(pid) = i32::try_from(pid) {
                // Gone meanwhile, or another user's: the next look tells.
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// A process and the ones that it descends from: the hook, the shell that called it, the runner.
pub fn ancestors(pid: u32) -> BTreeSet<u32> {
    let mut line = BTreeSet::new();
    let mut next = Some(pid);
    while let Some(pid) = next.filter(|pid| *pid > 0 && line.insert(*pid)) {
        next = stat(pid).map(|(_, parent)| parent);
    }
    line
}

fn members(cgroup: &Path) -> Vec<u32> {
    let mut pids: Vec<u32> = fs::read_to_string(cgroup.join("cgroup.procs"))
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.trim().parse().ok())
        // 0 is a process of another namespace; as a target it would mean our own group.
        .filter(|pid| *pid > 1)
        .collect();
    for entry in fs::read_dir(cgroup).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            pids.extend(members(&entry.path()));
        }
    }
    pids
}

/// State and parent of a process.
fn stat(pid: u32) -> Option<(char, u32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may have some itself.
    let mut rest = text.rsplit_once(')')?.1.split_whitespace();
    Some((rest.next()?.chars().next()?, rest.next()?.parse().ok()?))
}

/// A zombie is dead: its parent only has not asked yet.
fn is_alive(pid: u32) -> bool {
    stat(pid).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))
}

fn shown(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    format!("{} ({pid})", name.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn sleeper() -> Child {
        Command::new("sleep").arg("100").spawn().unwrap()
    }

    #[test]
    fn what_is_below_is_killed_and_what_is_spared_lives() {
        let tree = tempfile::tempdir().unwrap();
        let (mut own, mut left, mut deep) = (sleeper(), sleeper(), sleeper());
        fs::create_dir(tree.path().join("deeper")).unwrap();
        fs::write(tree.path().join("cgroup.procs"), format!("0\n{}\n{}\n", own.id(), left.id()))
            .unwrap();
        fs::write(tree.path().join("deeper/cgroup.procs"), format!("{}\n", deep.id())).unwrap();
        let found =
            kill_processes(tree.path(), &BTreeSet::from([own.id()]), Duration::from_secs(5));
        assert_eq!(found.killed.len(), 2, "{found:?}");
        assert!(found.killed[0].starts_with("sleep ("), "{found:?}");
        assert_eq!(found.surviving, Vec::<String>::new());
        assert!(!left.wait().unwrap().success() && !deep.wait().unwrap().success());
        assert!(own.try_wait().unwrap().is_none(), "the spared one lives");
        own.kill().unwrap();
        own.wait().unwrap();
    }

    #[test]
    fn this_process_descends_from_itself_and_the_first() {
        let line = ancestors(std::process::id());
        assert!(line.contains(&std::process::id()) && line.len() > 1, "{line:?}");
    }

    #[test]
    fn a_cgroup_that_is_gone_has_nothing_to_kill() {
        let found = kill_processes(Path::new("/nowhere"), &BTreeSet::new(), Duration::ZERO);
        assert_eq!(found, KillReport::default());
    }
}
