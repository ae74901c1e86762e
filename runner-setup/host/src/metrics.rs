//! A host's health as text for node_exporter's textfile collector.

use crate::{
    HostRoot, RunnerAge, RunnerVersion,
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
    if let Some(age) = crate::RunnerAge::of(root, health.now_ms) {
        of_runner(&mut text, &age, health.now_ms);
    }
    of_runs(&mut text, &health.runs);
    text.0
}

/// The age of the GitHub Actions runner.
fn of_runner(text: &mut MetricsText, age: &RunnerAge, now_ms: u64) {
    let name = |version: Option<RunnerVersion>| {
        version.map_or_else(|| "unknown".to_owned(), |version| version.to_string())
    };
    let (version, newest) = (name(age.version), name(age.newest));
    let labels = [("version", &version), ("newest", &newest)];
    text.one("runner_info", "The GitHub Actions runner", &labels, 1.0);
    if let Some(checked) = age.checked_ms {
        let help = "When somebody last looked for a newer runner, in seconds since 1970";
        text.one("runner_checked_seconds", help, &[], seconds(checked));
    }
    if let Some(at) = age.refused_from_ms {
        let left = (at as f64 - now_ms as f64) / 1000.0;
        let help = "Seconds until GitHub gives the runner no more jobs";
        text.one("runner_refused_in_seconds", help, &[], left);
    }
    let help = "Whether the runner is too old, soon will be, or nobody has looked for too long";
    text.one("runner_old", help, &[], f64::from(age.is_alarm()));
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
mod tests;
