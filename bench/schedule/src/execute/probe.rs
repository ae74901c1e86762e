//! What the host shows of itself before and after a trial.

use shakedown_protocol::counters;
use std::{fs, path::PathBuf};

/// The files of a host, below a root that tests move.
#[derive(Debug, Clone)]
pub(crate) struct HostFiles {
    root: PathBuf,
    /// Microseconds that one tick of `/proc/stat` lasts.
    tick_us: u64,
}

/// Counters at one moment; `None` where the host does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ProcessCounters {
    /// PSI "some" totals in microseconds.
    pub pressure_cpu_us: Option<u64>,
    pub pressure_memory_us: Option<u64>,
    pub pressure_io_us: Option<u64>,
    /// Stolen from the trial's CPUs, summed, in microseconds.
    pub steal_us: Option<u64>,
    /// Throttle events of the trial's CPUs, summed.
    pub throttles: Option<u64>,
    /// Frequency of the first of them, in kHz.
    pub khz: Option<u64>,
}

impl HostFiles {
    /// This machine.
    pub fn here() -> Self {
        // SAFETY: no memory is passed.
        let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        let ticks = u64::try_from(ticks).ok().filter(|ticks| *ticks > 0).unwrap_or(100);
        Self { root: PathBuf::from("/"), tick_us: 1_000_000 / ticks }
    }

    /// Another tree, with 100 ticks a second.
    #[cfg(test)]
    pub fn below(root: &std::path::Path) -> Self {
        Self { root: root.to_owned(), tick_us: 10_000 }
    }

    /// Reads the counters that belong to `cpus`.
    pub fn read(&self, cpus: &[u32]) -> ProcessCounters {
        ProcessCounters {
            pressure_cpu_us: self.pressure("cpu"),
            pressure_memory_us: self.pressure("memory"),
            pressure_io_us: self.pressure("io"),
            steal_us: self.steal(cpus),
            throttles: cpus.iter().map(|cpu| self.throttles(*cpu)).sum(),
            khz: cpus.first().and_then(|cpu| {
                self.number(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq"))
            }),
        }
        .without_cpus_if(cpus.is_empty())
    }

    /// How often a process moved between CPUs. Its zombie still tells.
    pub fn migrations(&self, pid: u32) -> Option<u64> {
        let text = fs::read_to_string(self.root.join(format!("proc/{pid}/sched"))).ok()?;
        let line = text.lines().find(|line| line.starts_with("se.nr_migrations"))?;
        line.rsplit(':').next()?.trim().parse().ok()
    }

    /// How long a process was ready to run but did not, in microseconds. Its zombie still tells.
    pub fn ready_us(&self, pid: u32) -> Option<u64> {
        // Time on the CPU, time ready, times scheduled: see the kernel's sched-stats.
        let text = fs::read_to_string(self.root.join(format!("proc/{pid}/schedstat"))).ok()?;
        let nanoseconds: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
        Some(nanoseconds / 1000)
    }

    /// CPUs that are kept free of other work, by the boot line or by cgroups.
    pub fn isolated(&self) -> Vec<u32> {
        let mut found = Vec::new();
        for file in ["sys/devices/system/cpu/isolated", "sys/fs/cgroup/cpuset.cpus.isolated"] {
            let text = fs::read_to_string(self.root.join(file)).unwrap_or_default();
            found.extend(cpu_list(text.trim()));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The CPUs that share a core with this one, itself included; empty where the host does not tell.
    pub fn same_core(&self, cpu: u32) -> Vec<u32> {
        let file = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let text = fs::read_to_string(self.root.join(file)).unwrap_or_default();
        cpu_list(text.trim())
    }

    fn pressure(&self, what: &str) -> Option<u64> {
        let text = fs::read_to_string(self.root.join("proc/pressure").join(what)).ok()?;
        counters::pressure_us(&text)
    }

    fn steal(&self, cpus: &[u32]) -> Option<u64> {
        let text = fs::read_to_string(self.root.join("proc/stat")).ok()?;
        let stolen = |cpu: &u32| Some(counters::ticks(&text, Some(*cpu))?.stolen);
        let ticks: Option<u64> = cpus.iter().map(stolen).sum();
        ticks.map(|ticks| ticks * self.tick_us)
    }

    fn throttles(&self, cpu: u32) -> Option<u64> {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle");
        let core = self.number(&format!("{folder}/core_throttle_count"))?;
        let package = self.number(&format!("{folder}/package_throttle_count")).unwrap_or(0);
        Some(core + package)
    }

    fn number(&self, path: &str) -> Option<u64> {
        fs::read_to_string(self.root.join(path)).ok()?.trim().parse().ok()
    }
}

impl ProcessCounters {
    /// An empty sum is not a count of zero.
    fn without_cpus_if(self, none: bool) -> Self {
        if none { Self { steal_us: None, throttles: None, ..self } } else { self }
    }
}

/// Reads a list such as `1,3-5`; what is no number is left out.
pub(crate) fn cpu_list(text: &str) -> Vec<u32> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>())
            && last < 4096
        {
            cpus.extend(first..=last);
        }
    }
    cpus
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let some = "some avg10=0.00 avg60=0.01 avg300=0.27 total=13273087\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
        write("proc/pressure/cpu", some);
        write(
            "proc/stat",
            "cpu  1 2 3 4 5 6 7 30 0 0\ncpu1 1 2 3 4 5 6 7 8 0 0\ncpu10 1 2 3 4 5 6 7 22 0 0\n",
        );
        let cpu = "sys/devices/system/cpu/cpu10";
        write(&format!("{cpu}/thermal_throttle/core_throttle_count"), "3\n");
        write(&format!("{cpu}/thermal_throttle/package_throttle_count"), "4\n");
        write(&format!("{cpu}/cpufreq/scaling_cur_freq"), "3400000\n");
        write(&format!("{cpu}/topology/thread_siblings_list"), "4,10\n");
        write("sys/devices/system/cpu/isolated", "2-3,7\n");
        write("proc/9/sched", "driver (9, #threads: 1)\n---\nse.nr_migrations   :      4\n");
        write("proc/9/schedstat", "1315436 45000 1\n");
        root
    }

    #[test]
    fn what_is_there_is_read_and_what_is_not_is_none() {
        let root = tree();
        let host = HostFiles::below(root.path());
        let expected = ProcessCounters {
            pressure_cpu_us: Some(13_273_087),
            pressure_memory_us: None,
            pressure_io_us: None,
            steal_us: Some(220_000),
            throttles: Some(7),
            khz: Some(3_400_000),
        };
        assert_eq!(host.read(&[10]), expected);
        assert_eq!(host.read(&[1, 10]).steal_us, Some(300_000));
        assert_eq!(host.read(&[1, 10]).throttles, None, "cpu1 does not tell");
        assert_eq!(host.read(&[11]).steal_us, None);
        assert_eq!(host.read(&[]).steal_us, None);
        assert_eq!(host.isolated(), [2, 3, 7]);
        assert_eq!((host.same_core(10), host.same_core(1)), (vec![4, 10], vec![]));
        assert_eq!((host.migrations(9), host.migrations(8)), (Some(4), None));
        assert_eq!((host.ready_us(9), host.ready_us(8)), (Some(45), None));
    }

    #[test]
    fn lists_of_cpus() {
        assert_eq!(cpu_list("0-2,5"), [0, 1, 2, 5]);
        assert_eq!(cpu_list(""), [0; 0]);
        assert_eq!(cpu_list("x,3,4-x,9-99999999"), [3]);
    }
}
