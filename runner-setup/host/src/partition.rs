//! The cgroup that keeps everything else off the benchmark CPUs.

use crate::{CpuSet, HostRoot, topology, units};
use std::io;

/// With cgroup v2, right below the top: Linux before 6.7 isolates nowhere else.
pub(crate) const V2: &str = "sys/fs/cgroup/shakedown";
/// With cgroup v1: one group for the benchmarks, one for everything else.
pub(crate) const V1: &str = "sys/fs/cgroup/cpuset/shakedown";
const V1_REST: &str = "sys/fs/cgroup/cpuset/shakedown-rest";
const V1_TOP: &str = "sys/fs/cgroup/cpuset";
const TOP: &str = "sys/fs/cgroup";

/// What there is to isolate with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IsolationMethod {
    /// A partition of cgroup v2.
    Partition,
    /// Cpusets of cgroup v1.
    Cpusets,
    /// Nothing: processes are pinned, and others may come to their CPUs.
    Affinity,
}

/// What this machine has.
pub(crate) fn isolation_method(root: &HostRoot) -> IsolationMethod {
    let has_word = |path: &str, word: &str| {
        root.read(path).is_some_and(|text| text.split_whitespace().any(|w| w == word))
    };
    if has_word(&format!("{TOP}/cgroup.controllers"), "cpuset") {
        IsolationMethod::Partition
    } else if root.has(&format!("{V1_TOP}/cpuset.cpus")) {
        IsolationMethod::Cpusets
    } else {
        IsolationMethod::Affinity
    }
}

/// The text that stands for `cpus` being isolated by the best means there is.
pub(crate) fn wanted(root: &HostRoot, cpus: &CpuSet) -> Option<String> {
    match isolation_method(root) {
        IsolationMethod::Partition => Some(format!("isolated {cpus}")),
        IsolationMethod::Cpusets => Some(format!("cpuset {cpus}")),
        IsolationMethod::Affinity => None,
    }
}

/// The CPUs of our group, if it is there and works.
pub(crate) fn cpus(root: &HostRoot) -> Option<CpuSet> {
    let state = state(root).ok()??;
    let (kind, list) = state.rsplit_once(' ')?;
    matches!(kind, "isolated" | "cpuset")
        .then(|| CpuSet::parse_lossy(list))
        .filter(|c| !c.is_empty())
}

pub(crate) fn state(root: &HostRoot) -> io::Result<Option<String>> {
    for (folder, kind) in [(V2, None), (V1, Some("cpuset"))] {
        if root.has(folder) {
            let kind = match kind {
                Some(kind) => kind.to_owned(),
                None => root.try_read(&format!("{V2}/cpuset.cpus.partition"))?.unwrap_or_default(),
            };
            let kind = if kind == "root" { "isolated".to_owned() } else { kind };
            let list = root.try_read(&format!("{folder}/cpuset.cpus"))?.unwrap_or_default();
            return Ok(Some(format!("{kind} {}", CpuSet::parse_lossy(&list))));
        }
    }
    if root.has(V1_REST) {
        return Ok(Some("cpuset ".to_owned()));
    }
    Ok((isolation_method(root) != IsolationMethod::Affinity).then(|| "none".to_owned()))
}

/// Whether the group is on its way from nothing to isolated, or back.
pub(crate) fn is_half(now: &str) -> bool {
    let (kind, list) = now.rsplit_once(' ').unwrap_or((now, ""));
    matches!(kind, "" | "member") || kind.contains("invalid") || list.is_empty() && kind != "none"
}

/// Isolates, or takes the group away.
pub(crate) fn set(root: &HostRoot, text: &str) -> io::Result<()> {
    match text.split_once(' ') {
        Some(("isolated", list)) => isolate(root, list),
        Some(("cpuset", list)) => divide(root, list),
        _ => remove(root),
    }
}

fn isolate(root: &HostRoot, list: &str) -> io::Result<()> {
    let done = root.create_cgroup(V2).and_then(|()| {
        root.write(&format!("{V2}/cpuset.cpus"), list)?;
        // Linux before 6.1 knows `root` only: exclusive too, but balanced within, which does
        // not matter to what is pinned.
        become_partition(root, "isolated").or_else(|_| become_partition(root, "root"))
    });
    if done.is_err() {
        remove(root)?;
    }
    done
}

fn become_partition(root: &HostRoot, kind: &str) -> io::Result<()> {
    let file = format!("{V2}/cpuset.cpus.partition");
    root.write(&file, kind)?;
    // The kernel takes the word and says here whether it could do it.
    let found = root.try_read(&file)?.unwrap_or_default();
    if found == kind { Ok(()) } else { Err(io::Error::other(format!("the kernel says `{found}`"))) }
}

fn divide(root: &HostRoot, list: &str) -> io::Result<()> {
    let all = CpuSet::parse_lossy(&root.read(&format!("{V1_TOP}/cpuset.cpus")).unwrap_or_default());
    let rest = all.without(&CpuSet::parse_lossy(list)).to_string();
    let nodes = root.read(&format!("{V1_TOP}/cpuset.mems")).unwrap_or_default();
    for (folder, list) in [(V1_REST, rest.as_str()), (V1, list)] {
        root.create_cgroup(folder)?;
        root.write(&format!("{folder}/cpuset.mems"), &nodes)?;
        root.write(&format!("{folder}/cpuset.cpus"), list)?;
    }
    // A group that is balanced as a whole would carry the others along.
    root.write(&format!("{V1}/cpuset.sched_load_balance"), "0")?;
    move_tasks(root, V1_TOP, V1_REST)
}

/// Moves what can be moved; threads of the kernel that are bound to a CPU can't.
fn move_tasks(root: &HostRoot, from: &str, to: &str) -> io::Result<()> {
    let tasks = root.try_read(&format!("{from}/tasks"))?.unwrap_or_default();
    for task in tasks.lines() {
        match root.write(&format!("{to}/tasks"), task) {
            Err(error) if error.raw_os_error().is_none() => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn remove(root: &HostRoot) -> io::Result<()> {
    if root.has(V2) {
        // A process that was left there would keep the group.
        let left = root.try_read(&format!("{V2}/cgroup.procs"))?.unwrap_or_default();
        for process in left.lines() {
            root.write(&format!("{TOP}/cgroup.procs"), process)?;
        }
        root.remove_cgroup(V2)?;
    }
    for folder in [V1, V1_REST] {
        if root.has(folder) {
            move_tasks(root, folder, V1_TOP)?;
            root.remove_cgroup(folder)?;
        }
    }
    Ok(())
}

/// A unit of ours that needs the controller. systemd switches off what none of its units needs
/// whenever it starts one that needs something else, and our group goes with it: seen with
/// systemd 257 at the first `systemd-run`.
const HOLDER: &str = "shakedown-cpuset.service";
const HELD: &str = "run/systemd/transient/shakedown-cpuset.service";

/// Whether the groups at the top have cpusets, and systemd knows that they are wanted.
pub(crate) fn controller(root: &HostRoot) -> io::Result<Option<String>> {
    let Some(text) = root.try_read(&format!("{TOP}/cgroup.subtree_control"))? else {
        return Ok(None);
    };
    let on = text.split_whitespace().any(|word| word == "cpuset");
    let state = match (on, root.has(HELD)) {
        (true, true) => "held",
        (true, false) => "on",
        (false, true) => "held, but off",
        (false, false) => "off",
    };
    Ok(Some(state.to_owned()))
}

/// What a quiet host has there.
pub(crate) fn controller_wanted(root: &HostRoot) -> &'static str {
    if units::has_systemd(root) { "held" } else { "on" }
}

/// Whether the controller is on its way from off to held, or back.
pub(crate) fn is_controller_half(now: &str) -> bool {
    matches!(now, "on" | "held, but off")
}

pub(crate) fn set_controller(root: &HostRoot, text: &str) -> io::Result<()> {
    if text != "held" && root.has(HELD) {
        release(root)?;
    }
    let on = controller(root)?.is_some_and(|state| state == "on" || state == "held");
    if on != (text != "off") {
        let sign = if on { '-' } else { '+' };
        root.write(&format!("{TOP}/cgroup.subtree_control"), &format!("{sign}cpuset"))?;
    }
    if text == "held" && !root.has(HELD) {
        hold(root)?;
    }
    Ok(())
}

fn hold(root: &HostRoot) -> io::Result<()> {
    let cpus = format!("AllowedCPUs={}", topology::online(root));
    // Ends at once, and stays known: a unit of the top, so that no other group gets cpusets.
    root.call(
        "systemd-run",
        &[
            "--quiet",
            &format!("--unit={HOLDER}"),
            "--slice=-.slice",
            "--description=Keeps cpusets on for the benchmark CPUs",
            "--property=Type=oneshot",
            "--property=RemainAfterExit=yes",
            &format!("--property={cpus}"),
            "true",
        ],
    )
}

fn release(root: &HostRoot) -> io::Result<()> {
    root.call("systemctl", &["stop", HOLDER])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TuneOptions, restore, testing::TestMachine, tune};
    use std::fs;

    fn isolated(machine: &TestMachine) -> Option<String> {
        cpus(&machine.root).map(|cpus| cpus.to_string())
    }

    #[test]
    fn an_older_kernel_gets_the_partition_that_it_knows() {
        let machine = TestMachine::new("arm");
        fs::create_dir(machine.root.path(".simulation")).unwrap();
        machine.put(".simulation/no-isolated", "");
        let before = machine.files();
        let options =
            TuneOptions { journal: machine.journal.clone(), ..TuneOptions::new(&machine.root) };
        assert!(tune(&machine.root, &options).unwrap().is_complete());
        assert_eq!(
            machine.root.read(&format!("{V2}/cpuset.cpus.partition")).as_deref(),
            Some("root")
        );
        assert_eq!(isolated(&machine).as_deref(), Some("4-7"));
        assert_eq!(tune(&machine.root, &options).unwrap().changes, []);
        restore(&machine.root, &options).unwrap();
        assert!(machine.files() == before);
    }

    #[test]
    fn what_the_kernel_does_not_make_valid_is_taken_away_and_told() {
        let machine = TestMachine::new("arm");
        // Not a CPU that is online.
        let error = set(&machine.root, "isolated 70").unwrap_err();
        assert!(error.to_string().contains("invalid"), "{error}");
        assert_eq!(state(&machine.root).unwrap().as_deref(), Some("none"));
    }

    #[test]
    fn systemd_is_told_that_cpusets_are_wanted() {
        let machine = TestMachine::new("intel");
        let before = machine.files();
        let state = || controller(&machine.root).unwrap().unwrap();
        assert_eq!((state().as_str(), controller_wanted(&machine.root)), ("off", "held"));
        set_controller(&machine.root, "held").unwrap();
        assert_eq!(state(), "held");
        // What systemd did before it was told, or does all the same.
        machine.root.write(&format!("{TOP}/cgroup.subtree_control"), "-cpuset").unwrap();
        assert_eq!(state(), "held, but off");
        set_controller(&machine.root, "held").unwrap();
        assert_eq!(state(), "held");
        set_controller(&machine.root, "off").unwrap();
        assert_eq!(state(), "off");
        assert!(machine.files() == before);
        // Nobody to tell.
        fs::remove_dir_all(machine.root.path("run/systemd")).unwrap();
        assert_eq!(controller_wanted(&machine.root), "on");
    }

    #[test]
    fn each_means_is_told_apart() {
        assert_eq!(isolation_method(&TestMachine::new("intel").root), IsolationMethod::Partition);
        assert_eq!(isolation_method(&TestMachine::new("v1").root), IsolationMethod::Cpusets);
        let neither = TestMachine::new("v1");
        fs::remove_dir_all(neither.root.path(V1_TOP)).unwrap();
        assert_eq!(isolation_method(&neither.root), IsolationMethod::Affinity);
        let options =
            TuneOptions { journal: neither.journal.clone(), ..TuneOptions::new(&neither.root) };
        let report = tune(&neither.root, &options).unwrap();
        assert!(report.notes[0].contains("trials are pinned"), "{:?}", report.notes);
    }
}
