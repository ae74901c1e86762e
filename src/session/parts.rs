//! The parts of a session: its folder, its options, what takes part, its reports.

use super::SubjectBuilder;
use crate::{host_options::HostOptions, project::ProjectRoot};
use anyhow::{Context, Result, bail};
use shakedown_builder::BuiltArtifact;
use shakedown_protocol::{Meter, RunPlan, RunRecord, Subject, SubjectEntry};
use shakedown_report::{PageFormat, Report};
use shakedown_schedule::{BuiltSubject, SessionOptions};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Refuses a folder that holds a run, before anything is built for it.
///
/// # Errors
/// If it does.
pub fn refuse_used(out: &Path) -> Result<()> {
    if !shakedown_schedule::record_path(out).exists() {
        return Ok(());
    }
    let record = shakedown_schedule::load_record(out);
    let out = out.display();
    match record {
        Ok(record) if record.finish.is_some() => {
            bail!("{out} holds a finished run already: choose another folder with --out")
        }
        Ok(record) => bail!(
            "{out} holds a run already: finish it with `shakedown {} --resume {out}`, or choose another folder with --out",
            maker(&record)
        ),
        Err(_) => bail!(
            "{out} holds a record already, which can't be read: choose another folder with --out"
        ),
    }
}

/// The subcommand that made a record, and finishes it.
pub fn maker(record: &RunRecord) -> &'static str {
    if record.is_paired() { "compare" } else { "run" }
}

/// How a plan is carried out on this host.
///
/// # Errors
/// If a meter that is needed does not build.
pub fn session_options(
    builder: &SubjectBuilder,
    root: &ProjectRoot,
    plan: &RunPlan,
    host_options: &HostOptions,
) -> Result<SessionOptions> {
    let meter = |meter: Meter, folder: &str| {
        let wanted = plan.meters.contains(&meter);
        wanted.then(|| builder.preloaded_meter(root, folder)).transpose()
    };
    Ok(SessionOptions {
        cpu: host_options.cpu,
        counts: host_options.counts,
        no_wait: host_options.no_wait,
        // Tests have locks of their own.
        lock: std::env::var_os("SHAKEDOWN_LOCK").map(PathBuf::from),
        heap_meter: meter(Meter::Heap, "heap")?,
        lock_meter: meter(Meter::Locks, "locks")?,
        ..SessionOptions::default()
    })
}

/// What was built, as the record names it.
///
/// # Errors
/// If a driver does not say what it is.
pub fn enter(asked: &[Subject], built: Vec<BuiltArtifact>) -> Result<Vec<BuiltSubject>> {
    let mut subjects = Vec::new();
    let mut seen = BTreeMap::<String, u32>::new();
    for (built, asked) in built.into_iter().zip(asked) {
        let binary = built.binaries.first().context("the build gave no binary")?;
        let driver = shakedown_schedule::describe(binary, &built.artifact.run_environment)?;
        // The same subject twice is an A/A comparison: a number distinguishes the two.
        let count = seen.entry(built.artifact.subject.to_string()).or_default();
        *count += 1;
        let name = match count {
            1 => built.artifact.subject.to_string(),
            again => format!("{}#{again}", built.artifact.subject),
        };
        let entry = SubjectEntry { name, asked: asked.clone(), artifact: built.artifact, driver };
        subjects.push(BuiltSubject { entry, binaries: built.binaries });
    }
    Ok(subjects)
}

/// Writes the reports beside the record and returns all files of the run.
///
/// # Errors
/// If the folder can't be written to.
pub fn write_reports(report: &Report, out: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![shakedown_schedule::record_path(out)];
    for (format, name) in [(PageFormat::Markdown, "report.md"), (PageFormat::Html, "report.html")] {
        let path = out.join(name);
        fs::write(&path, report.render(format)?)
            .with_context(|| format!("can't write {}", path.display()))?;
        files.push(path);
    }
    Ok(files)
}
