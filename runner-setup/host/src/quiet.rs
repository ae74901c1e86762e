//! Holds the host quiet during a run. The kernel releases everything when the process ends.

use crate::{CpuSet, HostRoot, helper, partition};
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
};

/// A host that is held quiet until this is dropped. The kernel resets the latency limit when the process
/// ends.
#[derive(Debug)]
pub struct QuietHold {
    /// CPUs for benchmarks, where some are kept free and this process can use them.
    pub cpus: Option<CpuSet>,
    /// What could not be held, and what to do about it.
    pub notes: Vec<String>,
    _latency: Option<File>,
    back: Option<(HostRoot, String)>,
}

const LATENCY: &str = "dev/cpu_dma_latency";

/// Holds the host: disables deep idle states, and moves this process to the isolated benchmark CPUs, so
/// that its children can be pinned to them.
///
/// Nothing here fails: a run on a host that can't be held is still a run, with notes. Needs to
/// be root, or write access to `/dev/cpu_dma_latency` and `cgroup.procs`.
pub fn hold(root: &HostRoot) -> QuietHold {
    let mut notes = Vec::new();
    let latency = match hold_latency(root) {
        Ok(file) => Some(file),
        Err(error) => {
            notes.push(format!(
                "idle states are not held: /{LATENCY}: {error}. Run as root, or give this user's group write access"
            ));
            None
        }
    };
    let mut quiet = QuietHold { cpus: None, notes, _latency: latency, back: None };
    if let Some(cpus) = partition::cpus(root) {
        match join(root) {
            Ok(back) => {
                quiet.back = Some((root.clone(), back));
                quiet.cpus = Some(cpus);
            }
            Err(error) => quiet.notes.push(format!(
                "the isolated CPUs {cpus} can't be used: {error}. Run as root, or start this in the cgroup /{}",
                partition::V2
            )),
        }
    }
    quiet
}

/// The kernel allows no idle state that takes longer than this to wake from, in microseconds,
/// while the file is open: see its PM quality of service.
fn hold_latency(root: &HostRoot) -> io::Result<File> {
    let mut file = OpenOptions::new().write(true).open(root.path(LATENCY))?;
    file.write_all(&0_i32.to_le_bytes())?;
    Ok(file)
}

/// Moves this process; returns the file that moves it back.
fn join(root: &HostRoot) -> io::Result<String> {
    let own = root.try_read("proc/self/cgroup")?.unwrap_or_default();
    let (to, back) = if root.has(partition::V2) {
        let group = own.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or("");
        (partition::V2.to_owned(), format!("sys/fs/cgroup/{group}"))
    } else {
        let group =
            own.lines().find_map(|line| line.split_once(":cpuset:/")).map_or("", |(_, g)| g);
        (partition::V1.to_owned(), format!("sys/fs/cgroup/cpuset/{group}"))
    };
    let pid = std::process::id().to_string();
    match root.write(&format!("{to}/cgroup.procs"), &pid) {
        // A runner is not root, and a sandbox has nothing to write to; their host has somebody
        // who is, and moves whoever asks.
        Err(error) if is_walled(&error) && helper::is_there(root) => ask_to_enter(root)?,
        other => other?,
    }
    Ok(format!("{}/cgroup.procs", back.trim_end_matches('/')))
}

fn is_walled(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Asks the root helper to move this process, which it identifies by the connection.
fn ask_to_enter(root: &HostRoot) -> io::Result<()> {
    let answer = helper::ask(&root.path(helper::SOCKET), "enter").map_err(io::Error::other)?;
    if answer.code == 0 {
        return Ok(());
    }
    Err(io::Error::other(format!("the runner's helper refused: {}", answer.text.trim_end())))
}

impl Drop for QuietHold {
    fn drop(&mut self) {
        if let Some((root, file)) = self.back.take() {
            // If the group no longer exists, the process is not in it.
            let _ = root.write(&file, &std::process::id().to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TuneOptions, testing::TestMachine, tune};
    use std::{fs, io::Read as _};

    #[test]
    fn a_run_holds_latency_and_joins_the_isolated_cpus() {
        let machine = TestMachine::new("arm");
        fs::create_dir(machine.root.path("dev")).unwrap();
        machine.put(LATENCY, "");
        fs::create_dir_all(machine.root.path("proc/self")).unwrap();
        machine.put("proc/self/cgroup", "0::/user.slice");
        fs::create_dir(machine.root.path("sys/fs/cgroup/user.slice")).unwrap();
        machine.put("sys/fs/cgroup/user.slice/cgroup.procs", "");
        tune(&machine.root, &TuneOptions::new(&machine.root)).unwrap();
        let pid = std::process::id().to_string();
        let quiet = hold(&machine.root);
        assert_eq!(quiet.notes, [""; 0]);
        assert_eq!(quiet.cpus.as_ref().unwrap().to_string(), "4-7");
        assert_eq!(fs::read(machine.root.path(LATENCY)).unwrap()[..4], [0; 4]);
        let there = |group: &str| machine.root.read(&format!("sys/fs/cgroup/{group}/cgroup.procs"));
        assert_eq!(there("shakedown").as_deref(), Some(pid.as_str()));
        drop(quiet);
        assert_eq!(there("shakedown").as_deref(), Some(""));
        assert_eq!(there("user.slice").as_deref(), Some(pid.as_str()));
    }

    #[test]
    fn the_runners_helper_moves_who_asks_or_says_why_not() {
        let tree = tempfile::tempdir().unwrap();
        let root = HostRoot::at(tree.path());
        fs::create_dir_all(tree.path().join("run/shakedown")).unwrap();
        let listener =
            std::os::unix::net::UnixListener::bind(tree.path().join(helper::SOCKET)).unwrap();
        let helper = std::thread::spawn(move || {
            for answer in ["exit 0\n", "this host has no partition\nexit 4\n", "cut o"] {
                let (mut stream, mut asked) = (listener.accept().unwrap().0, String::new());
                stream.read_to_string(&mut asked).unwrap();
                assert_eq!(asked, "enter\n");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        ask_to_enter(&root).unwrap();
        let error = ask_to_enter(&root).unwrap_err().to_string();
        assert!(error.contains("no partition"), "{error}");
        ask_to_enter(&root).unwrap_err();
        helper.join().unwrap();
    }

    #[test]
    fn what_cant_be_held_is_told() {
        let machine = TestMachine::new("vm");
        let quiet = hold(&machine.root);
        assert_eq!(quiet.cpus, None);
        assert!(quiet.notes[0].contains("cpu_dma_latency"), "{:?}", quiet.notes);
    }
}
