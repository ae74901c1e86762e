//! A host's health as text for node_exporter's textfile collector.

use crate::{
    HostRoot,
    health::{self, RunHealth},
    watch,
};
use shakedown_protocol::{HostFacts, KnobState};
use std::{
    fmt::Write as _,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

/// What the metrics show beside the host's knobs.
#[derive(Debug, Default)]
pub struct HostHealth {
    /// Now, in milliseconds since 1970 UTC.
    pub now_ms: u64,
    /// Runs of this host, the last one last.
    pub runs: Vec<RunHealth>,
    /// Folders whose disks must not fill up.
    pub disks: Vec<PathBuf>,
    /// Whether the host is tuned.
    pub tuned: bool,
    /// Whether the runner's service is at work, where somebody looked.
    pub runner_up: Option<bool>,
    /// Whether somebody has the host, where somebody looked.
    pub busy: Option<bool>,
    /// Runs of workflows that wait, where somebody asked.
    pub queued: Option<u64>,
}

/// The text. Formats: <https://prometheus.io/docs/instrumenting/exposition_formats/>.
pub fn metrics(root: &HostRoot, facts: &HostFacts, health: &HostHealth) -> String {
    let mut text = MetricsText::default();
    let info = [("host", &facts.name), ("epoch", &facts.epoch.id), ("kernel", &facts.kernel)];
    text.one("info", "What the host is", &info, 1.0);
    text.one(
        "seen_seconds",
        "When this was written, in seconds since 1970",
        &[],
        seconds(health.now_ms),
    );
    text.one("fit", "Whether the host is fit for numbers", &[], f64::from(facts.fit));
    text.one("tuned", "Whether its knobs are set", &[], f64::from(health.tuned));
    text.head("knob_differs", "Whether a knob is other than wanted");
    for knob in &facts.knobs {
        if matches!(knob.state, KnobState::Ok | KnobState::Differs) {
            let differs = f64::from(knob.state == KnobState::Differs);
            text.line("knob_differs", &[("knob", &knob.name)], differs);
        }
    }
    text.head("disk_free_bytes", "Room on a disk");
    for folder in &health.disks {
        if let Some(free) = free(folder) {
            let folder = folder.display().to_string();
            text.line("disk_free_bytes", &[("folder", &folder)], free);
        }
    }
    if let Some(errors) = crate::probes::memory_errors(root) {
        text.one("memory_errors_total", "Memory errors since the boot", &[], errors as f64);
    }
    if let Some(heat) = watch::hottest(root) {
        text.one("temperature_celsius", "The hottest sensor", &[], heat as f64 / 1000.0);
    }
    let told = |told: Option<bool>| told.map(f64::from);
    let others = [
        ("runner_up", "Whether the runner's service is at work", told(health.runner_up)),
        ("busy", "Whether somebody measures", told(health.busy)),
        ("queued_runs", "Runs of workflows that wait", health.queued.map(|runs| runs as f64)),
    ];
    for (name, help, value) in others {
        if let Some(value) = value {
            text.one(name, help, &[], value);
        }
    }
    of_runs(&mut text, &health.runs);
    text.0
}

/// What the runs say of the host.
fn of_runs(text: &mut MetricsText, runs: &[RunHealth]) {
    let Some(last) = runs.last() else { return };
    text.one("last_run_seconds", "When the last run ended", &[], seconds(last.at_ms));
    if last.trials > 0 {
        let help = "Share of the last run's trials that the host disturbed";
        text.head("last_run_flawed_ratio", help);
        for (flaw, share) in &last.flawed {
            text.line("last_run_flawed_ratio", &[("flaw", flaw)], *share);
        }
    }
    let numbers = [
        (
            "last_run_spread_ratio",
            "Coefficient of variation of the trials of one subject in the last run: the median over the scenarios",
            last.spread,
        ),
        (
            "spread_trend_ratio",
            "Spread of the last third of the runs over that of those before",
            health::trend(runs),
        ),
        (
            "noise_ratio",
            "Spread of unchanged code between builds, as a share; the median over the scenarios",
            last.noise,
        ),
    ];
    for (name, help, number) in numbers {
        if let Some(number) = number {
            text.one(name, help, &[], number);
        }
    }
}

/// Whether somebody has a file locked, as `/proc/locks` tells; asking the lock itself would
/// hold it for a moment.
pub fn is_locked(root: &HostRoot, lock: &Path) -> Option<bool> {
    use std::os::unix::fs::MetadataExt;
    let locks = root.read("proc/locks")?;
    // Nobody ever took it.
    let Ok(about) = fs::metadata(lock) else { return Some(false) };
    let inode = format!(":{}", about.ino());
    // `1: FLOCK  ADVISORY  WRITE 812 00:19:1234 0 EOF`; who waits for it has `->` in front.
    let held = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        words.next() == Some("FLOCK")
            && words.nth(3).is_some_and(|setting| setting.ends_with(&inode))
    };
    Some(locks.lines().any(held))
}

fn seconds(ms: u64) -> f64 {
    (ms / 1000) as f64
}

/// Bytes that an unprivileged user may still write.
fn free(folder: &Path) -> Option<f64> {
    let stat = nix::sys::statvfs::statvfs(folder).ok()?;
    Some(stat.blocks_available() as f64 * stat.fragment_size() as f64)
}

#[derive(Default)]
struct MetricsText(String);

impl MetricsText {
    fn head(&mut self, name: &str, help: &str) {
        let _ = writeln!(
            self.0,
            "# HELP shakedown_host_{name} {help}.\n# TYPE shakedown_host_{name} gauge"
        );
    }

    fn line(&mut self, name: &str, labels: &[(&str, &String)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(key, text)| format!("{key}=\"{}\"", escaped(text))).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "shakedown_host_{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, help: &str, labels: &[(&str, &String)], value: f64) {
        self.head(name, help);
        self.line(name, labels, value);
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Writes the text at once: the collector sees the old one or the new one, never a part.
///
/// # Errors
/// What the system says.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    // The collector reads `*.prom`, and this has another ending.
    let beside = path.with_extension(format!("{}.writing", std::process::id()));
    let written = fs::File::create(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{observe, testing::TestMachine};

    #[test]
    fn the_text_is_what_the_collector_reads() {
        let machine = TestMachine::new("hybrid");
        machine.put("proc/sys/kernel/hostname", "odd\"name\\");
        let facts = observe(&machine.root).unwrap();
        let health = HostHealth { now_ms: 1_795_247_955_446, ..HostHealth::default() };
        let text = metrics(&machine.root, &facts, &health);
        insta::assert_snapshot!(text);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (_, value) = line.rsplit_once(' ').unwrap();
            value.parse::<f64>().unwrap();
        }
        let health = HostHealth { disks: vec![machine.root.path("")], tuned: true, ..health };
        let text = metrics(&machine.root, &facts, &health);
        assert!(text.contains("shakedown_host_tuned 1\n"), "{text}");
        assert!(text.contains("disk_free_bytes{folder=\"/"), "{text}");
    }

    #[test]
    fn the_runner_the_queue_and_the_runs_are_told_where_they_are_known() {
        let machine = TestMachine::new("arm");
        let facts = observe(&machine.root).unwrap();
        let run = |spread| RunHealth {
            at_ms: 1_795_247_955_446,
            trials: 4,
            flawed: [("stolen".to_owned(), 0.25)].into(),
            spread: Some(spread),
            noise: Some(0.003),
        };
        let health = HostHealth {
            runs: [0.01, 0.01, 0.01, 0.01, 0.02, 0.02].map(run).into(),
            runner_up: Some(true),
            busy: Some(false),
            queued: Some(3),
            ..HostHealth::default()
        };
        let text = metrics(&machine.root, &facts, &health);
        for line in [
            "runner_up 1",
            "busy 0",
            "queued_runs 3",
            "last_run_seconds 1795247955",
            "last_run_flawed_ratio{flaw=\"stolen\"} 0.25",
            "last_run_spread_ratio 0.02",
            "spread_trend_ratio 2",
            "noise_ratio 0.003",
        ] {
            assert!(text.contains(&format!("\nshakedown_host_{line}\n")), "{line}: {text}");
        }
    }

    #[test]
    fn a_lock_is_seen_without_being_taken() {
        let root = HostRoot::real();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        assert_eq!(is_locked(&root, &path), Some(false));
        let file = fs::File::create(&path).unwrap();
        assert_eq!(is_locked(&root, &path), Some(false));
        file.lock().unwrap();
        assert_eq!(is_locked(&root, &path), Some(true));
        file.unlock().unwrap();
        assert_eq!(is_locked(&root, &path), Some(false));
    }

    #[test]
    fn it_is_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shakedown.prom");
        write(&path, "a 1\n").unwrap();
        write(&path, "a 2\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a 2\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write(&folder.path().join("none/x.prom"), "").is_err());
    }
}
