//! A host's health as text for node_exporter's textfile collector.

use crate::{HostRoot, watch};
use protocol::{Flaw, HostFacts, KnobState, Metric, RunRecord};
use std::{
    fmt::Write as _,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

/// What is told beside the host itself.
#[derive(Debug, Default)]
pub struct Health<'a> {
    /// Now, in milliseconds since 1970 UTC.
    pub now_ms: u64,
    /// The last run of this host.
    pub last_run: Option<&'a RunRecord>,
    /// Folders whose disks must not fill up.
    pub disks: Vec<PathBuf>,
    /// Whether the host is tuned.
    pub tuned: bool,
}

/// The text. Formats: <https://prometheus.io/docs/instrumenting/exposition_formats/>.
pub fn metrics(root: &HostRoot, facts: &HostFacts, health: &Health<'_>) -> String {
    let mut text = Text::default();
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
    if let Some(run) = health.last_run {
        of_run(&mut text, run);
    }
    text.0
}

/// What the last run says of the host: over many runs, these are the trend of its noise.
fn of_run(text: &mut Text, run: &RunRecord) {
    if let Some(finish) = &run.finish {
        text.one("last_run_seconds", "When the last run ended", &[], seconds(finish.at_ms));
    }
    if !run.trials.is_empty() {
        let all = run.trials.len() as f64;
        text.head(
            "last_run_flawed_ratio",
            "Share of the last run's trials that the host disturbed",
        );
        for flaw in Flaw::ALL {
            let count = run.trials.iter().filter(|trial| trial.flaws.contains(flaw)).count();
            text.line("last_run_flawed_ratio", &[("flaw", &flaw.to_string())], count as f64 / all);
        }
    }
    let noise = run.calibration.iter().flat_map(|calibration| &calibration.noise);
    let mut spread: Vec<u32> = noise
        .filter(|noise| matches!(noise.metric, Metric::Handshakes | Metric::Throughput))
        .map(|noise| noise.sigma_ppm)
        .collect();
    spread.sort_unstable();
    if let Some(middle) = spread.get(spread.len() / 2) {
        let help =
            "Spread of unchanged code between builds, as a share; the median over the scenarios";
        text.one("noise_ratio", help, &[], f64::from(*middle) / 1e6);
    }
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
struct Text(String);

impl Text {
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
    use crate::{observe, testing::Machine};

    #[test]
    fn the_text_is_what_the_collector_reads() {
        let machine = Machine::new("hybrid");
        machine.put("proc/sys/kernel/hostname", "odd\"name\\");
        let facts = observe(&machine.root).unwrap();
        let health = Health { now_ms: 1_795_247_955_446, ..Health::default() };
        let text = metrics(&machine.root, &facts, &health);
        insta::assert_snapshot!(text);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (_, value) = line.rsplit_once(' ').unwrap();
            value.parse::<f64>().unwrap();
        }
        let health = Health { disks: vec![machine.root.path("")], tuned: true, ..health };
        let text = metrics(&machine.root, &facts, &health);
        assert!(text.contains("shakedown_host_tuned 1\n"), "{text}");
        assert!(text.contains("disk_free_bytes{folder=\"/"), "{text}");
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
