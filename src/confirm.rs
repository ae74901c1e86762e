//! A suspect of the history, measured again.

use crate::{
    clock::now_ms,
    history::{HistoryArgs, describe, find_suspect},
    host_options::HostOptions,
    policies::Policies,
    project::ProjectRoot,
    session::comparison::{self, ComparisonOptions, MeasuredComparison},
};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use shakedown_gate::{Comparison, Difference, Verdict};
use shakedown_protocol::{RunRecord, Subject, SubjectEntry, SubjectVersion};
use shakedown_report::{signed_percent, words};
use shakedown_store::{
    Document, RunName, Store,
    change::{self, Suspect, SuspectState, SuspectSummary, TrackedSuspect},
};
use std::path::PathBuf;

/// What to measure, and how.
#[derive(Debug)]
pub struct ConfirmOptions {
    /// The history.
    pub history: HistoryArgs,
    /// Id of the suspect.
    pub suspect: String,
    /// The last good revision, if its recorded source is gone.
    pub last_good: Option<Subject>,
    /// The first bad revision, if its recorded source is gone.
    pub first_bad: Option<Subject>,
    /// Suite, by name or as a TOML file; the default is that of the nightly run.
    pub suite: Option<String>,
    /// The policies.
    pub policies: Policies,
    /// Folder for record and reports; the default is `runs/<id>`.
    pub out: Option<PathBuf>,
    /// How the host is used.
    pub host_options: HostOptions,
}

/// What came of it, as `--json` prints it.
#[derive(Debug, Serialize)]
pub struct ConfirmResult {
    /// The suspect with every decision, this one included.
    pub suspect: SuspectSummary,
    /// Where it stands now.
    pub state: SuspectState,
    /// Name under which the run is in the history; `null` where nothing was measured.
    pub run: Option<String>,
    /// What the gate says, the better night's revision being its base; `null` likewise.
    pub comparison: Option<Comparison>,
    /// What else changed between the two nights than the subject's revision.
    pub between_nights: Vec<Difference>,
}

/// Measures the suspect again and writes down what that says.
///
/// # Errors
/// A suspect that is not known, nights that can't be built again, and those of `compare`.
pub fn confirm(args: &ConfirmOptions) -> Result<ConfirmResult> {
    let (store, index) = args.history.index()?;
    let known = find_suspect(&store, &args.suspect)?;
    let nights = Nights::read(&store, &known.suspect)?;
    let between = shakedown_gate::differences(&nights.good()?.artifact, &nights.bad()?.artifact);
    let (state, run, comparison) = match known.state {
        SuspectState::Suspect => measure(args, &store, &known, &nights)?,
        decided => (decided, None, None),
    };
    let known = find_suspect(&store, &args.suspect)?;
    Ok(ConfirmResult {
        suspect: describe(&index, known)?,
        state,
        run: run.map(|name| name.to_string()),
        comparison,
        between_nights: between,
    })
}

type ConfirmMeasurement = (SuspectState, Option<RunName>, Option<Comparison>);

fn measure(
    args: &ConfirmOptions,
    store: &Store,
    known: &TrackedSuspect,
    nights: &Nights,
) -> Result<ConfirmMeasurement> {
    let root = ProjectRoot::find()?;
    let mut policy = args.policies.load(&root)?;
    // What the nights were measured with.
    let own_driver = nights.bad()?.artifact.own_driver.clone();
    policy.own_driver = policy.own_driver.or(own_driver);
    let suspect = &known.suspect;
    let good = MeasuredNight::new(nights.good()?, args.last_good.as_ref())?;
    let bad = MeasuredNight::new(nights.bad()?, args.first_bad.as_ref())?;
    // The gate asks whether something got worse. Of a change for the better it is asked
    // backwards: with the later night as base.
    let (base, head) = if suspect.worse { (good, bad) } else { (bad, good) };
    let metric = suspect.series.metric.parse().context("the suspect's metric is not ours")?;
    let options = ComparisonOptions {
        suite: args.suite.clone().unwrap_or_else(|| nights.bad.plan.suite.clone()),
        only: vec![suspect.series.scenario.clone()],
        meters: vec![shakedown_summary::series::meter(metric)],
        out: args.out.clone(),
        history: Some(store.root().to_path_buf()),
        host_options: args.host_options.clone(),
        sources: [base.source, head.source],
        ..ComparisonOptions::default()
    };
    let pair = [base.subject, head.subject];
    let compared = comparison::measure(&root, pair, &options, &policy)?;
    let comparison = answer(&compared, suspect)?.clone();
    let record = serde_json::to_string(&compared.record)?;
    let run = store.add(&record, now_ms()?)?.name;
    let state = decision(comparison.verdict);
    let evidence = evidence(&run, &comparison, suspect, &compared.record);
    change::decide(store, &suspect.id, state, &evidence, now_ms()?)?;
    Ok((state, Some(run), Some(comparison)))
}

/// What a verdict makes of a suspect. The better night was base, so that only "regressed" says
/// that the change is there.
const fn decision(verdict: Verdict) -> SuspectState {
    match verdict {
        Verdict::Regressed => SuspectState::Confirmed,
        Verdict::Pass | Verdict::Improved => SuspectState::Dismissed,
        Verdict::Inconclusive | Verdict::Missing | Verdict::Broken => SuspectState::Suspect,
    }
}

/// What the gate says of the suspect's series.
fn answer<'a>(compared: &'a MeasuredComparison, suspect: &Suspect) -> Result<&'a Comparison> {
    let series = &suspect.series;
    let found = compared
        .judgement
        .comparisons
        .iter()
        .find(|found| found.side.name() == series.side && found.metric.name() == series.metric);
    found.with_context(|| {
        format!(
            "the run has no {} of side {}: choose a suite that measures it with --suite",
            series.metric, series.side
        )
    })
}

/// What a decision rests on, in one line.
fn evidence(run: &RunName, found: &Comparison, suspect: &Suspect, record: &RunRecord) -> String {
    let asked =
        if suspect.worse { "first bad against last good" } else { "last good against first bad" };
    let change = match (found.change, found.low, found.high) {
        (Some(change), Some(low), Some(high)) => {
            let [change, low, high] = [change, low, high].map(signed_percent);
            format!(" {change} [{low} to {high}]")
        }
        _ => String::new(),
    };
    let elsewhere =
        if record.host.epoch.id == suspect.epoch { "" } else { ", in another host epoch" };
    format!(
        "run {run}: {asked} is {}{change}, n = {} + {}{elsewhere}; {}",
        found.verdict.name(),
        found.base_trials,
        found.head_trials,
        words::why(found)
    )
}

/// The records of the nights on both sides of a change.
struct Nights {
    good: RunRecord,
    bad: RunRecord,
    subject: String,
}

impl Nights {
    fn read(store: &Store, suspect: &Suspect) -> Result<Self> {
        let read = |run: &str| -> Result<RunRecord> {
            match store.document(&run.parse()?)? {
                Document::Run(record) => Ok(*record),
                Document::Import(import) => bail!(
                    "{run} was imported from {}: what another tool built can't be measured again here",
                    import.from
                ),
            }
        };
        Ok(Self {
            good: read(&suspect.last_good_run)?,
            bad: read(&suspect.first_bad_run)?,
            subject: suspect.series.subject.clone(),
        })
    }

    fn good(&self) -> Result<&SubjectEntry> {
        entry(&self.good, &self.subject)
    }

    fn bad(&self) -> Result<&SubjectEntry> {
        entry(&self.bad, &self.subject)
    }
}

fn entry<'a>(record: &'a RunRecord, subject: &str) -> Result<&'a SubjectEntry> {
    let at = record.followed_names().iter().position(|name| name == subject);
    at.map(|at| &record.subjects[at])
        .with_context(|| format!("run {} has no subject `{subject}`", record.id))
}

/// One of the two revisions, on its way to being built again.
struct MeasuredNight {
    subject: Subject,
    /// SHA-256 that its source must have; `None` where it moves with the project.
    source: Option<String>,
}

impl MeasuredNight {
    /// What to build so that it is what was built that night, or what the user says it is.
    fn new(night: &SubjectEntry, named: Option<&Subject>) -> Result<Self> {
        let artifact = &night.artifact;
        let source = (artifact.source.kind != "driver").then(|| artifact.source.sha256.clone());
        let subject = match named {
            Some(named) => named.clone(),
            None => again(night)?,
        };
        Ok(Self { subject, source })
    }
}

/// The subject under a name that means the same code on any day.
fn again(night: &SubjectEntry) -> Result<Subject> {
    let source = &night.artifact.source;
    let mut subject = night.artifact.subject.clone();
    if source.kind == "path" {
        let kept = shakedown_builder::default_cache()?.join("sources").join(&source.sha256);
        if !kept.is_dir() {
            bail!(
                "the folder {} as it was that night (SHA-256 {}) is not in the build cache any more: \
                 name a copy with --last-good or --first-bad",
                source.origin,
                source.sha256
            );
        }
        subject.version = SubjectVersion::Path(kept.display().to_string());
    } else if let (SubjectVersion::Git { revision, .. }, Some(commit)) =
        (&mut subject.version, &source.revision)
    {
        revision.clone_from(commit);
    }
    Ok(subject)
}
