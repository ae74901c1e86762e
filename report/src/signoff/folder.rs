//! The folder: everything that the verdict rests on, and a list of digests over it.

use super::{Blocker, StackHistory};
use crate::{
    model::Report,
    template::{PageFormat, environment},
    utc::utc,
    verdict::{Revision, Verdicts},
    words,
};
use anyhow::{Context, Result};
use minijinja::{context, value::Serde};
use serde::Serialize;
use sha2::{Digest, Sha256};
use shakedown_gate::Judgement;
use shakedown_protocol::{RunRecord, Subject};
use shakedown_summary::summarize;
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

/// The list of digests, as `sha256sum -c` reads it.
pub const SUMS: &str = "SHA256SUMS";

/// What the verdict rests on.
#[derive(Debug)]
pub struct Evidence<'a> {
    /// What was asked for.
    pub baseline: &'a Subject,
    /// What was asked for.
    pub candidate: &'a Subject,
    /// Everything that was measured.
    pub record: &'a RunRecord,
    /// What was decided about it.
    pub judgement: &'a Judgement,
    /// What the history says.
    pub past: &'a StackHistory,
    /// What stands against the candidate.
    pub against: &'a [Blocker],
    /// The policy, as read: name and text of each file.
    pub policies: &'a [(&'static str, String)],
    /// When this was made, in milliseconds since 1970 UTC.
    pub now_ms: u64,
}

#[derive(Serialize)]
struct Page<'a> {
    candidate: String,
    baseline: String,
    made: String,
    ready: bool,
    headline: String,
    against: &'a [Blocker],
    past: &'a StackHistory,
    accepted: Vec<&'a shakedown_gate::policy::Accepted>,
    host: &'a shakedown_protocol::HostFacts,
    subjects: &'a [shakedown_protocol::SubjectEntry],
    commits: Vec<Revision>,
    files: Vec<&'static str>,
}

/// Writes the folder, which is there and empty (or holds what measuring left).
///
/// # Errors
/// A full disk; a template with a mistake, which is a defect of ours.
pub fn write(folder: &Path, evidence: &Evidence<'_>) -> Result<()> {
    let Evidence { record, judgement, .. } = evidence;
    let verdicts = Verdicts::new(judgement, record, None);
    let report = Report::new(record, &summarize(record)).with_verdict(verdicts);
    let mut files: Vec<(&'static str, String)> = vec![
        ("report.md", report.render(PageFormat::Markdown)?),
        ("report.html", report.render(PageFormat::Html)?),
        ("record.json", json(record)?),
        ("judgement.json", json(judgement)?),
        ("host.json", json(&record.host)?),
        ("provenance.json", json(&record.subjects)?),
        ("history.json", json(evidence.past)?),
        ("against.json", json(&evidence.against)?),
    ];
    files.extend(evidence.policies.iter().cloned());
    let mut names: Vec<&'static str> = files.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    for (name, template) in [
        ("signoff.md", include_str!("signoff.md.j2")),
        ("signoff.html", include_str!("signoff.html.j2")),
    ] {
        files.push((name, page(evidence, &names, name, template)?));
    }
    for (name, text) in &files {
        put(folder, name, text)?;
    }
    // Last: a folder without it was not finished.
    put(folder, SUMS, &sums(folder)?)
}

/// A line for every file, whoever wrote it.
fn sums(folder: &Path) -> Result<String> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = read().with_context(|| format!("can't list {}", folder.display()))?;
    paths.sort();
    let mut sums = String::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let bytes = fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
        let digest: String =
            Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(sums, "{digest}  {name}");
    }
    Ok(sums)
}

fn put(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))
}

fn json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

fn page(
    evidence: &Evidence<'_>,
    files: &[&'static str],
    name: &'static str,
    template: &'static str,
) -> Result<String> {
    let mut environment = environment()?;
    environment.add_filter("number", crate::format::number);
    environment.add_filter("percent_change", crate::format::percent_change);
    environment.add_template(name, template)?;
    let found = &evidence.judgement.comparisons;
    let page = Page {
        candidate: evidence.candidate.to_string(),
        baseline: evidence.baseline.to_string(),
        made: utc(evidence.now_ms),
        ready: evidence.against.is_empty(),
        headline: words::headline(&evidence.judgement.counts),
        against: evidence.against,
        past: evidence.past,
        accepted: found.iter().filter_map(|found| found.accepted.as_ref()).collect(),
        host: &evidence.record.host,
        subjects: &evidence.record.subjects,
        commits: (0..2).map(|place| Revision::of(evidence.record, place, "")).collect(),
        files: files.to_vec(),
    };
    let text = environment.get_template(name)?.render(context! { page => Serde(&page) });
    text.with_context(|| format!("the template {name} does not fit its data"))
}

/// The texts of the policy, for the folder.
///
/// # Errors
/// If they can't be read.
pub fn policies(paths: &[(&'static str, PathBuf)]) -> Result<Vec<(&'static str, String)>> {
    let read = |(name, path): &(&'static str, PathBuf)| {
        let text = fs::read_to_string(path);
        Ok((*name, text.with_context(|| format!("can't read {}", path.display()))?))
    };
    paths.iter().map(read).collect()
}
