//! Everything about a machine, at one time.

use crate::{HostError, HostRoot, cpu, epoch, knobs, system};
use protocol::{HostFacts, KnobState};

/// Observes a machine.
///
/// It is `fit` when it is no guest and no knob differs from what a quiet host has.
///
/// # Errors
/// If `/proc` is missing; knobs that can't be read are said to be so.
pub fn observe(root: &HostRoot) -> Result<HostFacts, HostError> {
    let cpu = cpu::cpu(root)?;
    let kernel = system::kernel(root)?;
    let memory_kib = system::memory_kib(root)?;
    let virtualization = system::virtualization(root);
    let knobs = knobs::knobs(root);
    let boot = root.read("proc/cmdline").unwrap_or_default();
    let quiet = knobs.iter().all(|knob| knob.state != KnobState::Differs);
    Ok(HostFacts {
        name: root.read("proc/sys/kernel/hostname").unwrap_or_default(),
        epoch: epoch::epoch(&cpu, &kernel, memory_kib, &boot, &knobs),
        fit: quiet && virtualization == "none",
        cpu,
        kernel,
        system: system::distribution(root),
        virtualization,
        memory_kib,
        knobs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes;
    use std::{fmt::Write, fs, path::Path};

    /// Writes files of a host: `path` and text.
    fn tree(folder: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}\n")).unwrap();
        }
    }

    const COMMON: &[(&str, &str)] = &[
        ("proc/sys/kernel/osrelease", "6.12.0-1-amd64"),
        ("proc/sys/kernel/hostname", "bench-1"),
        ("proc/meminfo", "MemTotal:       65843200 kB\nMemFree: 1 kB"),
        ("proc/cmdline", "BOOT_IMAGE=/vmlinuz root=UUID=1 ro nosmt quiet"),
        ("proc/swaps", "Filename Type Size Used Priority"),
        ("proc/1/comm", "systemd"),
        ("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1"),
        ("etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\""),
        ("sys/devices/system/cpu/online", "0-3"),
    ];

    /// An Intel server as it should be.
    fn intel(folder: &Path) {
        tree(folder, COMMON);
        tree(
            folder,
            &[
                (
                    "proc/cpuinfo",
                    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 167\nmodel name\t: Intel(R) Xeon(R) E-2386G CPU @ 3.50GHz\nstepping\t: 1\nmicrocode\t: 0x5d\nflags\t\t: fpu aes avx2 adx vaes avx512f",
                ),
                ("sys/devices/system/cpu/smt/control", "off"),
                ("sys/devices/system/cpu/smt/active", "0"),
                ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance"),
                ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance"),
                ("sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", "3500000"),
                ("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "3500000"),
                ("sys/devices/system/cpu/intel_pstate/no_turbo", "1"),
                ("sys/fs/cgroup/cpuset.cpus.isolated", "2-3"),
                ("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]"),
                ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc"),
                ("proc/sys/kernel/perf_event_paranoid", "-1"),
            ],
        );
    }

    /// A guest without frequency control and with everything left as it came.
    fn guest(folder: &Path) {
        tree(folder, COMMON);
        tree(
            folder,
            &[
                (
                    "proc/cpuinfo",
                    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\nstepping\t: 1\nflags\t\t: aes avx2 sha_ni hypervisor",
                ),
                ("sys/class/dmi/id/sys_vendor", "QEMU"),
                ("sys/devices/system/cpu/smt/control", "notsupported"),
                ("sys/devices/system/cpu/isolated", ""),
                ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never"),
                ("sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock"),
                ("proc/sys/kernel/perf_event_paranoid", "2"),
                ("proc/77/comm", "cron"),
                ("proc/swaps", "Filename Type Size Used Priority\n/dev/vda2 partition 1 0 -2"),
            ],
        );
    }

    fn told(folder: &Path) -> String {
        let facts = observe(&HostRoot::at(folder)).unwrap();
        let mut text = format!(
            "{} {} {} {} fit={}\n{:?}\n",
            facts.cpu.model, facts.kernel, facts.system, facts.virtualization, facts.fit, facts.cpu
        );
        for knob in &facts.knobs {
            let found = knob.found.as_deref().unwrap_or("-");
            let wanted = knob.wanted.as_deref().unwrap_or("-");
            let _ =
                writeln!(text, "{:<18} {:<10} {found} (wanted {wanted})", knob.name, knob.state);
        }
        text
    }

    #[test]
    fn a_tuned_server_is_fit() {
        let folder = tempfile::tempdir().unwrap();
        intel(folder.path());
        insta::assert_snapshot!(told(folder.path()));
    }

    #[test]
    fn a_guest_is_not_and_says_why() {
        let folder = tempfile::tempdir().unwrap();
        guest(folder.path());
        insta::assert_snapshot!(told(folder.path()));
    }

    #[test]
    fn an_epoch_changes_with_a_setting_but_not_with_the_load() {
        let folder = tempfile::tempdir().unwrap();
        intel(folder.path());
        let root = HostRoot::at(folder.path());
        let before = observe(&root).unwrap().epoch;
        tree(
            folder.path(),
            &[("proc/pressure/cpu", "some avg10=55.00 total=1"), ("proc/9/comm", "cron")],
        );
        assert_eq!(observe(&root).unwrap().epoch, before);
        tree(folder.path(), &[("sys/devices/system/cpu/intel_pstate/no_turbo", "0")]);
        let after = observe(&root).unwrap().epoch;
        assert_ne!(after.id, before.id);
        assert_eq!(changes(&before, &after), ["knob turbo: off became on"]);
    }

    #[test]
    fn a_machine_without_proc_is_an_error_and_this_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let error = observe(&HostRoot::at(folder.path())).unwrap_err();
        assert!(error.to_string().contains("/proc"), "{error}");
        let facts = observe(&HostRoot::real()).unwrap();
        assert!(facts.cpu.online > 0 && facts.memory_kib > 0, "{facts:?}");
        assert_eq!(facts.epoch.id.len(), 16);
    }
}
