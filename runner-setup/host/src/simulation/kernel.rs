//! How the kernel answers when something is written to it: it moves brackets, takes CPUs offline,
//! refuses what it can't do, and changes one file when another is written. `.simulation/refuse` in
//! the tree lists what it refuses, `ERRNO path` a line.

use super::{EBUSY, EINVAL, EIO, ENOENT, EPERM, cgroup, errno, put};
use crate::{CpuSet, HostRoot, ValueFormat, swap, topology};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

const CPU: &str = "sys/devices/system/cpu";

pub(super) fn write(root: &HostRoot, path: &str, text: &str) -> io::Result<()> {
    refused(root, path).map_or(Ok(()), |number| Err(errno(number)))?;
    let Some(before) = root.try_read(path)? else { return Err(errno(ENOENT)) };
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
            let cpus = CpuSet::from_mask(text)
                .filter(|cpus| !cpus.is_empty())
                .ok_or_else(|| errno(EINVAL))?;
            put(root, path, &cpus.to_mask())
        }
        "cpuset.cpus.partition" => cgroup::set_partition(root, folder, text),
        "cgroup.subtree_control" => cgroup::set_controllers(root, path, &before, text),
        "cgroup.procs" => cgroup::move_process(root, path, text),
        "tasks" => Ok(()),
        _ if before.contains('[') => choose(root, path, &before, text),
        _ => put(root, path, text),
    }
}

fn refused(root: &HostRoot, path: &str) -> Option<i32> {
    let list = root.read(".simulation/refuse")?;
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
    let stash = root.path(".simulation/offline");
    let online = topology::online(root);
    if text == "off" {
        let second = online.iter().filter(|cpu| {
            let siblings = root.read(&siblings_file(*cpu));
            siblings.is_some_and(|list| CpuSet::parse_lossy(&list).iter().next() != Some(*cpu))
        });
        let second: CpuSet = second.collect();
        for cpu in second.iter() {
            let list = root.read(&siblings_file(cpu)).unwrap_or_default();
            if let Some(first) = CpuSet::parse_lossy(&list).iter().next() {
                put(root, &siblings_file(first), &first.to_string())?;
            }
            hide(root, cpu, &stash)?;
        }
        let left = online.without(&second);
        put(root, &format!("{CPU}/online"), &left.to_string())?;
        leave_cpus(root, &left)?;
    } else if stash.exists() {
        let hidden: CpuSet = names(&stash)?.iter().filter_map(|name| name.parse().ok()).collect();
        for cpu in hidden.iter() {
            show(root, cpu, &stash)?;
            let list = root.read(&siblings_file(cpu)).unwrap_or_default();
            if let Some(first) = CpuSet::parse_lossy(&list).iter().next() {
                put(root, &siblings_file(first), &list)?;
            }
        }
        fs::remove_dir(&stash)?;
        // The folder stays where the tree came with it.
        let _ = fs::remove_dir(root.path(".simulation"));
        put(
            root,
            &format!("{CPU}/online"),
            &online.iter().chain(hidden.iter()).collect::<CpuSet>().to_string(),
        )?;
    }
    put(root, &format!("{CPU}/smt/active"), if text == "on" { "1" } else { "0" })?;
    put(root, &control, text)
}

/// An interrupt whose CPUs have all gone may go anywhere.
fn leave_cpus(root: &HostRoot, left: &CpuSet) -> io::Result<()> {
    for (path, _) in root.matching("proc/irq/*/smp_affinity_list") {
        let cpus = CpuSet::parse_lossy(&root.read(&path).unwrap_or_default());
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
    let cpus: CpuSet = text.parse().map_err(|_| errno(EINVAL))?;
    let cpus = cpus.and(&topology::online(root));
    let Some(first) = cpus.iter().next() else { return Err(errno(EINVAL)) };
    put(root, &format!("{folder}/smp_affinity_list"), &ValueFormat::List.normalize(text))?;
    if root.has(&format!("{folder}/effective_affinity_list")) {
        put(root, &format!("{folder}/effective_affinity_list"), &first.to_string())?;
    }
    Ok(())
}

/// Adds a device to `/proc/swaps`. Without a priority the kernel gives the next lower one.
pub(super) fn swap_on(root: &HostRoot, device: &str, priority: Option<i32>) -> io::Result<()> {
    let text = root.try_read("proc/swaps")?.unwrap_or_default();
    let kind = if Path::new(device).starts_with("/dev") { "partition" } else { "file" };
    let line = format!("{device}\t{kind}\t8388604\t0\t{}", priority.unwrap_or(-2));
    let (header, others) = swap_lines(&text, device);
    let mut lines: Vec<&str> = others.chain([line.as_str()]).collect();
    lines.sort_unstable();
    put(root, "proc/swaps", &[&[header], lines.as_slice()].concat().join("\n"))
}

/// Takes a device out of `/proc/swaps`.
pub(super) fn swap_off(root: &HostRoot, device: &str) -> io::Result<()> {
    let text = root.try_read("proc/swaps")?.unwrap_or_default();
    if !swap::devices(root)?.unwrap_or_default().iter().any(|name| name == device) {
        return Err(errno(EINVAL));
    }
    let (header, others) = swap_lines(&text, device);
    put(root, "proc/swaps", &[header].into_iter().chain(others).collect::<Vec<_>>().join("\n"))
}

/// The header of `/proc/swaps`, and the lines of the other devices.
fn swap_lines<'a>(text: &'a str, device: &'a str) -> (&'a str, impl Iterator<Item = &'a str>) {
    let header = text.lines().next().unwrap_or_default();
    let is_other = move |line: &&str| line.split_whitespace().next() != Some(device);
    (header, text.lines().skip(1).filter(is_other))
}
