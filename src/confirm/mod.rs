//! A suspect of the history, measured again.

mod nights;

use nights::{MeasuredNight, Nights};

use crate::{
    clock::now_ms,
    history::{HistoryArgs, describe, find_suspect},
    host_options::HostOptions,
    policies::Policies,
    project::ProjectRoot,
    record::read,
    session::comparison::{self, ComparisonOptions},
};
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use shakedown_gate::{Comparison, Difference, Judgement, Policy, Verdict};
use shakedown_protocol::{Meter, RunRecord, Subject};
use shakedown_report::{change_with_interval, words};
use shakedown_store::{
    RunName, Store,
    change::{self, Suspect, SuspectState, SuspectSummary, TrackedSuspect},
};
use std::path::{Path, PathBuf};

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
    /// A comparison that was made already with the arguments of [`arguments`]; nothing is measured.
    pub record: Option<PathBuf>,
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

/// What is compared with what.
struct ConfirmPlan {
    base: MeasuredNight,
    head: MeasuredNight,
    meter: Meter,
    suite: String,
    policy: Policy,
}

impl ConfirmPlan {
    fn new(
        args: &ConfirmOptions,
        root: &ProjectRoot,
        suspect: &Suspect,
        nights: &Nights,
    ) -> Result<Self> {
        let mut policy = args.policies.load(root)?;
        // What the nights were measured with.
        let own_driver = nights.bad()?.artifact.own_driver.clone();
        policy.own_driver = policy.own_driver.or(own_driver);
        let good = MeasuredNight::new(nights.good()?, args.last_good.as_ref())?;
        let bad = MeasuredNight::new(nights.bad()?, args.first_bad.as_ref())?;
        // The gate asks whether something got worse. Of a change for the better it is asked
        // backwards: with the later night as base.
        let (base, head) = if suspect.worse { (good, bad) } else { (bad, good) };
        let metric = suspect.series.metric.parse().context("the suspect's metric is not ours")?;
        let meter = shakedown_summary::series::meter(metric);
        let suite = args.suite.clone().unwrap_or_else(|| nights.bad.plan.suite.clone());
        Ok(Self { base, head, meter, suite, policy })
    }
}

/// The arguments with which `shakedown compare` measures the suspect where there is no history: base and
/// head, then options. A record of that can be given back as [`ConfirmOptions::record`].
///
/// # Errors
/// A suspect that is not known or decided already, and nights that can't be built again.
pub fn arguments(args: &ConfirmOptions) -> Result<Vec<String>> {
    let (store, _) = args.history.index()?;
    let known = find_suspect(&store, &args.suspect)?;
    let nights = Nights::read(&store, &known.suspect)?;
    if known.state != SuspectState::Suspect {
        bail!("suspect {} was decided already", args.suspect);
    }
    let suspect = &known.suspect;
    let plan = ConfirmPlan::new(args, &ProjectRoot::find()?, suspect, &nights)?;
    let mut all = vec![plan.base.subject.to_string(), plan.head.subject.to_string()];
    let mut add = |name: &str, value: &str| all.extend([name.to_owned(), value.to_owned()]);
    add("--suite", &plan.suite);
    add("--only", &suspect.series.scenario);
    add("--meter", plan.meter.name());
    if let Some(folder) = &plan.policy.own_driver {
        add("--own-driver", folder);
    }
    for (name, night) in [("--base-source", plan.base), ("--head-source", plan.head)] {
        night.source.iter().for_each(|sha256| add(name, sha256));
    }
    Ok(all)
}

fn measure(
    args: &ConfirmOptions,
    store: &Store,
    known: &TrackedSuspect,
    nights: &Nights,
) -> Result<ConfirmMeasurement> {
    let root = ProjectRoot::find()?;
    let suspect = &known.suspect;
    let ConfirmPlan { base, head, meter, suite, policy } =
        ConfirmPlan::new(args, &root, suspect, nights)?;
    let sources = [base.source, head.source];
    let (record, judgement) = match &args.record {
        Some(path) => given(path, &sources, &policy)?,
        None => {
            let options = ComparisonOptions {
                suite,
                only: vec![suspect.series.scenario.clone()],
                meters: vec![meter],
                out: args.out.clone(),
                history: Some(store.root().to_path_buf()),
                host_options: args.host_options.clone(),
                sources,
                ..ComparisonOptions::default()
            };
            let pair = [base.subject, head.subject];
            let compared = comparison::measure(&root, pair, &options, &policy)?;
            (compared.record, compared.judgement)
        }
    };
    let comparison = answer(&judgement, suspect)?.clone();
    let run = store.add(&serde_json::to_string(&record)?, now_ms()?)?.name;
    let state = decision(comparison.verdict);
    let evidence = evidence(&run, &comparison, suspect, &record);
    change::decide(store, &suspect.id, state, &evidence, now_ms()?)?;
    Ok((state, Some(run), Some(comparison)))
}

/// A comparison that was made elsewhere, judged here.
fn given(
    path: &Path,
    sources: &[Option<String>; 2],
    policy: &Policy,
) -> Result<(RunRecord, Judgement)> {
    let record = read(path)?;
    ensure!(record.finish.is_some(), "the comparison in {} was not finished", path.display());
    ensure!(record.subjects.len() == 2, "the record in {} is no comparison", path.display());
    comparison::check_sources(&record.subjects, sources)?;
    let judgement = shakedown_gate::judge(&record, policy)?;
    Ok((record, judgement))
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
fn answer<'a>(judgement: &'a Judgement, suspect: &Suspect) -> Result<&'a Comparison> {
    let series = &suspect.series;
    let found = judgement.comparisons.iter().find(|found| {
        found.scenario.to_string() == series.scenario
            && found.side.name() == series.side
            && found.metric.name() == series.metric
    });
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
            format!(" {}", change_with_interval([change, low, high]))
        }
        _ => String::new(),
    };
    let elsewhere =
        if record.host.epoch.id == suspect.epoch { "" } else { ", in another host epoch" };
    format!(
        "run {run}: {asked} is {}{change}, {} + {} processes{elsewhere}; {}",
        words::verdict(found.verdict),
        found.base_trials,
        found.head_trials,
        words::why(found)
    )
}
