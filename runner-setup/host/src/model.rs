//! How the kernel answers when something is written to it, for captured trees: it moves
//! brackets, takes CPUs offline, refuses what it can't do, and changes one file when another is
//! written. `.model/refuse` in the tree lists what it refuses, `ERRNO path` a line.

use crate::{Cpus, Form, HostRoot, place::canonical};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

const CPU: &str = "sys/devices/system/cpu";
const EPERM: i32 = 1;
const EIO: i32 = 5;
const EBUSY: i32 = 16;
const EINVAL: i32 = 22;

/// Replaces a file's text, at once: a reader sees the old one or the new one.
pub(crate) fn put(root: &HostRoot, path: &str, text: &str) -> io::Result<()> {
    let path = root.path(path);
    let beside = path.with_extension("writing");
    fs::write(&beside, format!("{text}\n"))?;
    fs::rename(&beside, &path)
}

fn errno(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

pub(crate) fn write(root: &HostRoot, path: &str, text: &str) -> io::Result<()> {
    refused(root, path).map_or(Ok(()), |number| Err(errno(number)))?;
    let Some(before) = root.try_read(path)? else { return Err(errno(2)) };
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "control" if folder.ends_with("/smt") => smt(root, text),
        "scaling_governor" => governor(root, folder, text),
        "energy_performance_preference" => {
            let held =
                root.read(&format!("{folder}/scaling_governor")).as_deref() == Some("performance");
            if held && text != "performance" { Err(errno(EBUSY)) } else { put(root, path, text) }
        }
        "boost" if folder.ends_with("/cpufreq") => boost(root, path, text),
        "smp_affinity_list" => interrupt(root, folder, text),
        "cpumask" | "default_smp_affinity" | "smp_affinity" => {
            let cpus = Cpus::from_mask(text)
                .filter(|cpus| !cpus.is_empty())
                .ok_or_else(|| errno(EINVAL))?;
            put(root, path, &cpus.to_mask())
        }
        "cpuset.cpus.partition" => partition(root, folder, text),
        "cgroup.subtree_control" => controllers(root, path, &before, text),
        "cgroup.procs" => move_process(root, path, text),
        "tasks" => Ok(()),
        _ if before.contains('[') => choose(root, path, &before, text),
        _ => put(root, path, text),
    }
}

fn refused(root: &HostRoot, path: &str) -> Option<i32> {
    let list = root.read(".model/refuse")?;
    list.lines().find_map(|line| {
        let (name, refused) = line.split_once(' ')?;
        (refused == path).then(|| if name == "EPERM" { EPERM } else { EIO })
    })
}

fn choose(root: &HostRoot, path: &str, before: &str, text: &str) -> io::Result<()> {
    let words: Vec<String> =
        before.replace(['[', ']'], "").split_whitespace().map(str::to_owned).collect();
    if !words.iter().any(|word| word == text) {
        return Err(errno(EINVAL));
    }
    let mark = |word: &String| if word == text { format!("[{word}]") } else { word.clone() };
    put(root, path, &words.iter().map(mark).collect::<Vec<_>>().join(" "))
}

/// Takes all threads but the first of each core away, or brings them back.
fn smt(root: &HostRoot, text: &str) -> io::Result<()> {
    let control = format!("{CPU}/smt/control");
    let stash = root.path(".model/offline");
    let online = crate::assign::online(root);
    if text == "off" {
        let second = online.iter().filter(|cpu| {
            let siblings = root.read(&siblings_file(*cpu));
            siblings.is_some_and(|list| Cpus::lenient(&list).iter().next() != Some(*cpu))
        });
        let second: Cpus = second.collect();
        for cpu in second.iter() {
            let list = root.read(&siblings_file(cpu)).unwrap_or_default();
            if let Some(first) = Cpus::lenient(&list).iter().next() {
                put(root, &siblings_file(first), &first.to_string())?;
            }
            hide(root, cpu, &stash)?;
        }
        let left = online.without(&second);
        put(root, &format!("{CPU}/online"), &left.to_string())?;
        leave_cpus(root, &left)?;
    } else if stash.exists() {
        let hidden: Cpus = names(&stash)?.iter().filter_map(|name| name.parse().ok()).collect();
        for cpu in hidden.iter() {
            show(root, cpu, &stash)?;
            let list = root.read(&siblings_file(cpu)).unwrap_or_default();
            if let Some(first) = Cpus::lenient(&list).iter().next() {
                put(root, &siblings_file(first), &list)?;
            }
        }
        fs::remove_dir(&stash)?;
        // The folder stays where the tree came with it.
        let _ = fs::remove_dir(root.path(".model"));
        put(
            root,
            &format!("{CPU}/online"),
            &online.iter().chain(hidden.iter()).collect::<Cpus>().to_string(),
        )?;
    }
    put(root, &format!("{CPU}/smt/active"), if text == "on" { "1" } else { "0" })?;
    put(root, &control, text)
}

/// An interrupt whose CPUs have all gone may go anywhere.
fn leave_cpus(root: &HostRoot, left: &Cpus) -> io::Result<()> {
    for (path, _) in root.matching("proc/irq/*/smp_affinity_list") {
        let cpus = Cpus::lenient(&root.read(&path).unwrap_or_default());
        if cpus.and(left).is_empty() {
            put(root, &path, &left.to_string())?;
        }
    }
    Ok(())
}

fn siblings_file(cpu: u32) -> String {
    format!("{CPU}/cpu{cpu}/topology/thread_siblings_list")
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

/// The folders that go away with a CPU, and their names in the stash.
fn parts(root: &HostRoot, cpu: u32) -> [(PathBuf, &'static str); 2] {
    [
        (root.path(&format!("{CPU}/cpufreq/policy{cpu}")), "policy"),
        (root.path(&format!("{CPU}/cpu{cpu}")), "cpu"),
    ]
}

fn hide(root: &HostRoot, cpu: u32, stash: &Path) -> io::Result<()> {
    let folder = stash.join(cpu.to_string());
    fs::create_dir_all(&folder)?;
    for (path, name) in parts(root, cpu).into_iter().filter(|(path, _)| path.exists()) {
        fs::rename(path, folder.join(name))?;
    }
    Ok(())
}

fn show(root: &HostRoot, cpu: u32, stash: &Path) -> io::Result<()> {
    let folder = stash.join(cpu.to_string());
    for (path, name) in parts(root, cpu) {
        let hidden = folder.join(name);
        if hidden.exists() {
            fs::rename(hidden, path)?;
        }
    }
    fs::remove_dir(folder)
}

/// The governor `performance` holds the preference, which comes back with the other one; and
/// writing it can switch turbo on again.
fn governor(root: &HostRoot, folder: &str, text: &str) -> io::Result<()> {
    let available = root.read(&format!("{folder}/scaling_available_governors"));
    if available.is_some_and(|list| !list.split_whitespace().any(|word| word == text)) {
        return Err(errno(EINVAL));
    }
    let preference = format!("{folder}/energy_performance_preference");
    let kept = format!("{folder}/.preference");
    if let Some(now) = root.read(&preference) {
        if text == "performance" && !root.has(&kept) {
            put(root, &kept, &now)?;
            put(root, &preference, "performance")?;
        } else if text != "performance" && root.has(&kept) {
            put(root, &preference, &root.read(&kept).unwrap_or_default())?;
            fs::remove_file(root.path(&kept))?;
        }
    }
    put(root, &format!("{folder}/scaling_governor"), text)?;
    let turbo = format!("{CPU}/intel_pstate/no_turbo");
    if root.has(&turbo) && refused(root, &turbo).is_none() {
        put(root, &turbo, "0")?;
    }
    Ok(())
}

/// The switch for all policies moves each of theirs, and the most that there is.
fn boost(root: &HostRoot, path: &str, text: &str) -> io::Result<()> {
    put(root, path, text)?;
    for (folder, number) in root.matching(&format!("{CPU}/cpufreq/policy*")) {
        if root.has(&format!("{folder}/boost")) {
            put(root, &format!("{folder}/boost"), text)?;
        }
        let kept = format!("{folder}/.most");
        let most = format!("{folder}/cpuinfo_max_freq");
        let nominal = number.and_then(|n| {
            root.read(&format!("{CPU}/cpu{n}/acpi_cppc/nominal_freq"))?.parse::<u64>().ok()
        });
        let (Some(nominal), Some(now)) = (nominal, root.read(&most)) else { continue };
        if text == "0" && !root.has(&kept) {
            put(root, &kept, &now)?;
            put(root, &most, &(nominal * 1000).to_string())?;
        } else if text == "1" && root.has(&kept) {
            put(root, &most, &root.read(&kept).unwrap_or_default())?;
            fs::remove_file(root.path(&kept))?;
        }
        put(root, &format!("{folder}/scaling_max_freq"), &root.read(&most).unwrap_or_default())?;
    }
    Ok(())
}

fn interrupt(root: &HostRoot, folder: &str, text: &str) -> io::Result<()> {
    let cpus: Cpus = text.parse().map_err(|_| errno(EINVAL))?;
    let cpus = cpus.and(&crate::assign::online(root));
    let Some(first) = cpus.iter().next() else { return Err(errno(EINVAL)) };
    put(root, &format!("{folder}/smp_affinity_list"), &canonical(Form::List, text))?;
    if root.has(&format!("{folder}/effective_affinity_list")) {
        put(root, &format!("{folder}/effective_affinity_list"), &first.to_string())?;
    }
    Ok(())
}

/// A process is in one group only.
fn move_process(root: &HostRoot, path: &str, pid: &str) -> io::Result<()> {
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

fn controllers(root: &HostRoot, path: &str, before: &str, text: &str) -> io::Result<()> {
    let name = &text[1..];
    let mut words: Vec<&str> = before.split_whitespace().filter(|word| *word != name).collect();
    if text.starts_with('+') {
        words.insert(0, name);
    }
    put(root, path, &words.join(" "))
}

fn partition(root: &HostRoot, folder: &str, text: &str) -> io::Result<()> {
    let file = format!("{folder}/cpuset.cpus.partition");
    let cpus = root.read(&format!("{folder}/cpuset.cpus")).unwrap_or_default();
    let usable = Cpus::lenient(&cpus).within(&crate::assign::online(root)) && !cpus.is_empty();
    let isolated = "sys/fs/cgroup/cpuset.cpus.isolated";
    match text {
        "isolated" if root.has(".model/no-isolated") => Err(errno(EINVAL)),
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

/// Puts the files into a new cgroup.
pub(crate) fn made_folder(root: &HostRoot, path: &str) -> io::Result<()> {
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
pub(crate) fn remove_folder(root: &HostRoot, path: &str) -> io::Result<()> {
    fs::remove_dir_all(root.path(path))?;
    let isolated = "sys/fs/cgroup/cpuset.cpus.isolated";
    if root.has(isolated) { put(root, isolated, "") } else { Ok(()) }
}
