//! The whole check: comparison, history, evidence folder.

use super::{against, past};
use crate::{
    clock::now_ms,
    host_options::HostOptions,
    policies::Policies,
    project::ProjectRoot,
    record::read,
    session::comparison::{self, ComparisonOptions},
};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use shakedown_gate::{Judgement, Policy};
use shakedown_protocol::{RunRecord, Subject};
use shakedown_report::{
    plain,
    signoff::{Blocker, Evidence, policies, write},
    words,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Options of a check.
#[derive(Debug)]
pub struct SignoffOptions {
    /// The release candidate.
    pub candidate: Subject,
    /// The last release.
    pub baseline: Subject,
    /// An existing comparison; the default is to measure one.
    pub record: Option<PathBuf>,
    /// Suite to measure, by name or as a TOML file.
    pub suite: String,
    /// How the host is used.
    pub host_options: HostOptions,
    /// The policies.
    pub policies: Policies,
    /// Folder of the history.
    pub history: PathBuf,
    /// Folder to write.
    pub out: PathBuf,
}

/// The result of a check, as `--json` prints it.
#[derive(Debug, Serialize)]
pub struct SignoffResult {
    candidate: Subject,
    baseline: Subject,
    ready: bool,
    headline: String,
    /// Reasons against the release.
    pub against: Vec<Blocker>,
    folder: PathBuf,
}

/// Compares the candidate with the last release, checks the history, and writes the folder.
///
/// # Errors
/// Bad input, failed builds, a full disk.
pub fn signoff(options: &SignoffOptions) -> Result<SignoffResult> {
    let SignoffOptions { candidate, baseline, out, .. } = options;
    let root = ProjectRoot::find()?;
    let policy = options.policies.load(&root)?;
    let [policy_path, accepted_path] = options.policies.paths(&root);
    let policies = policies(&[("policy.toml", policy_path), ("accepted.toml", accepted_path)])?;
    create(out)?;
    let (record, judgement) = compared(&root, options, &policy)?;
    let past = past(&options.history, &record, candidate, &policy)?;
    let against = against(&record, &judgement, [baseline, candidate], &past);
    let evidence = Evidence {
        baseline,
        candidate,
        record: &record,
        judgement: &judgement,
        past: &past,
        against: &against,
        policies: &policies,
        now_ms: now_ms()?,
    };
    write(out, &evidence)?;
    Ok(SignoffResult {
        candidate: candidate.clone(),
        baseline: baseline.clone(),
        ready: against.is_empty(),
        headline: words::headline(&judgement.counts),
        against,
        folder: out.clone(),
    })
}

/// Creates the folder, which must be empty.
fn create(out: &Path) -> Result<()> {
    fs::create_dir_all(out).with_context(|| format!("can't create {}", out.display()))?;
    if fs::read_dir(out)?.next().is_some() {
        bail!("{} is not empty: name another folder", out.display());
    }
    Ok(())
}

/// The comparison with the last release: the given one, or a new one.
fn compared(
    root: &ProjectRoot,
    options: &SignoffOptions,
    policy: &Policy,
) -> Result<(RunRecord, Judgement)> {
    if let Some(path) = &options.record {
        let record = read(path)?;
        let judgement = shakedown_gate::judge(&record, policy)?;
        return Ok((record, judgement));
    }
    let comparison = ComparisonOptions {
        suite: options.suite.clone(),
        out: Some(options.out.clone()),
        history: Some(options.history.clone()),
        host_options: options.host_options.clone(),
        ..ComparisonOptions::default()
    };
    let pair = [options.baseline.clone(), options.candidate.clone()];
    let compared = comparison::measure(root, pair, &comparison, policy)?;
    Ok((compared.record, compared.judgement))
}

/// The result for people.
///
/// # Errors
/// None in practice: serializing a name.
pub fn text(result: &SignoffResult) -> Result<String> {
    let mut text = format!("{}\n", result.headline);
    for reason in &result.against {
        let kind = serde_json::to_value(reason.kind)?;
        text += &format!("{}: {}\n", kind.as_str().unwrap_or_default(), plain(&reason.what));
    }
    if result.ready {
        text += "no reason against this release\n";
    }
    text += &format!("{}\n", result.folder.join("signoff.html").display());
    Ok(text)
}
