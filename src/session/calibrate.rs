//! Measures how much results of unchanged code differ on this host.

mod table;

pub use table::calibration_table;

use super::{
    SubjectBuilder,
    budget::budget,
    comparison::pair,
    interruption::InterruptionNotice,
    parts::{refuse_used, session_options},
};
use crate::{
    held_host,
    history::{AddedRecord, add_record},
    host_lock::take,
    host_options::HostOptions,
    output::say,
    policies::Policies,
    progress::RunProgress,
    project::ProjectRoot,
};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde::Serialize;
use shakedown_gate::{FamilyNoise, Policy};
use shakedown_host::{Assignment, HostRoot, osnoise::OsnoiseReport};
use shakedown_protocol::{ComparisonBudget, CountTiming, Meter, RunRecord, Subject};
use shakedown_schedule::{
    BackgroundLoad, BuiltSubject, PlanOptions, ScenarioMeter, Session, Suite,
};
use shakedown_store::Store;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// What to measure, and how.
#[derive(Debug)]
pub struct CalibrationOptions {
    /// Subject that is compared with itself.
    pub subject: Subject,
    /// Suite, by name or as a TOML file.
    pub suite: String,
    /// Globs over scenario ids; empty: the whole suite.
    pub only: Vec<String>,
    /// Blocks of each condition.
    pub blocks: u32,
    /// The conditions.
    pub conditions: Vec<CalibrationCondition>,
    /// Maximum spread of relinked builds on a fit host, in percent.
    pub limit: f64,
    /// The policies, for the budget and the smallest slowdown that is found.
    pub policies: Policies,
    /// Folder for records and report; the default is `runs/<id>`.
    pub out: Option<PathBuf>,
    /// Folder of the history; the relinked run is added to it.
    pub history: PathBuf,
    /// Seconds for each of the kernel's tracers; 0 skips them.
    pub osnoise: u64,
    /// How the host is used.
    pub host_options: HostOptions,
}

/// What both sides share, and what the rest of the machine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum CalibrationCondition {
    /// The same binary on both sides: shows the host alone
    OneBinary,
    /// The same binary on both sides, with counts beside the times: shows whether they disturb
    BesideCounts,
    /// Relinked builds: shows host and code layout
    Relinked,
    /// Relinked builds, with all other CPUs busy
    Loaded,
}

/// What one condition showed.
#[derive(Debug, Serialize)]
pub struct ConditionNoise {
    pub condition: CalibrationCondition,
    /// Folder name of its record.
    pub record: String,
    pub noise: Vec<FamilyNoise>,
}

/// All of it.
#[derive(Debug, Serialize)]
pub struct CalibrationResult {
    pub epoch: String,
    /// Whether the relinked run is within the limit; `None` if there was none.
    pub fit: Option<bool>,
    pub limit: f64,
    /// What the kernel saw on the benchmark CPUs, before anything ran there.
    pub kernel: Option<OsnoiseReport>,
    pub conditions: Vec<ConditionNoise>,
}

/// Measures each condition, adds the relinked run to the history, and writes `noise.json`. Returns
/// the result and the path of that file.
///
/// # Errors
/// Bad input, failed builds, a host that was disturbed throughout.
pub fn calibrate(args: &CalibrationOptions) -> Result<(CalibrationResult, PathBuf)> {
    if !(args.limit > 0.0 && args.limit.is_finite()) {
        bail!("--limit must be above 0: it is a share in percent");
    }
    let root = ProjectRoot::find()?;
    let policy = args.policies.load(&root)?;
    let out =
        args.out.clone().unwrap_or_else(|| Path::new("runs").join(shakedown_schedule::new_id()));
    let builder = SubjectBuilder::open(&root)?.with_own_driver(policy.own_driver.clone());
    let links = calibration_budget(&policy).links(args.blocks);
    let pair = pair(&builder, [args.subject.clone(), args.subject.clone()], links)?;
    let kernel = if args.osnoise > 0 { Some(kernel(args)?) } else { None };
    let mut conditions = Vec::new();
    let mut epoch = String::new();
    for &condition in &args.conditions {
        let name = condition.to_possible_value().map_or_else(String::new, |v| v.get_name().into());
        let folder = out.join(&name);
        refuse_used(&folder)?;
        say(format_args!("calibrating: {name}"));
        let record = measure(args, &root, &builder, &policy, condition, (&pair, &folder))?;
        if condition == CalibrationCondition::Relinked {
            keep(&args.history, &folder)?;
        }
        epoch.clone_from(&record.host.epoch.id);
        let noise = shakedown_gate::noise(&record, &policy)
            .with_context(|| format!("{name}: {}", folder.display()))?;
        conditions.push(ConditionNoise { condition, record: name, noise });
    }
    let limit = args.limit / 100.0;
    let fit = conditions.iter().find(|found| found.condition == CalibrationCondition::Relinked);
    let fit =
        fit.map(|found| found.noise.iter().filter(is_rate).all(|one| one.rms_effect <= limit));
    let calibrated = CalibrationResult { epoch, fit, limit, kernel, conditions };
    let path = out.join("noise.json");
    let json = serde_json::to_string_pretty(&calibrated)? + "\n";
    fs::write(&path, json).with_context(|| format!("can't write {}", path.display()))?;
    Ok((calibrated, path))
}

/// Runs the kernel's tracers. Like trials, they need exclusive use of the CPUs.
fn kernel(args: &CalibrationOptions) -> Result<OsnoiseReport> {
    let root = HostRoot::real();
    let _lock = take(!args.host_options.no_wait)?;
    let cpus = args
        .host_options
        .cpu
        .map_or_else(|| Assignment::of(&root).measured(), |cpu| [cpu].into_iter().collect());
    Ok(shakedown_host::osnoise::trace_noise(&root, &cpus, Duration::from_secs(args.osnoise)))
}

/// Measures all blocks of one condition.
fn measure(
    args: &CalibrationOptions,
    root: &ProjectRoot,
    builder: &SubjectBuilder,
    policy: &Policy,
    condition: CalibrationCondition,
    (pair, folder): (&[BuiltSubject], &Path),
) -> Result<RunRecord> {
    let suite = Suite::load(&root.catalog().join("suites"), &args.suite)?;
    let blocks = Some(args.blocks);
    let mut plan = suite.plan(&PlanOptions { seed: None, blocks, only: args.only.clone() })?;
    plan.budget = Some(calibration_budget(policy));
    // Counts are not noise, and peak memory is a count.
    let beside = condition == CalibrationCondition::BesideCounts;
    plan.meters.retain(|meter| *meter == Meter::Time || beside);
    plan.scenarios.retain(|scenario| !scenario.is_memory());
    let cells = |scenario| plan.meters.iter().map(move |meter| (scenario, *meter));
    let all: BTreeSet<ScenarioMeter> = plan.scenarios.iter().copied().flat_map(cells).collect();
    let mut subjects = pair.to_vec();
    if beside || condition == CalibrationCondition::OneBinary {
        let binary = subjects[0].binaries[..1].to_vec();
        for subject in &mut subjects {
            subject.binaries.clone_from(&binary);
            subject.entry.artifact.links = pair[0].entry.artifact.links[..1].to_vec();
        }
    }
    let mut options = session_options(builder, root, &plan, &args.host_options)?;
    options.counts = beside.then_some(CountTiming::BesideTimes);
    let session = Session {
        id: shakedown_schedule::new_id(),
        shakedown: env!("CARGO_PKG_VERSION").to_owned(),
        out: folder.to_owned(),
        plan,
        subjects,
        host: args.host_options.observe()?,
        calibration: None,
        pki: root.pki(),
        options,
    };
    let _notice = InterruptionNotice::new(folder, None)?;
    // First of all: what is started before would be moved along to the benchmark CPUs, onto the
    // trials' own.
    let _quiet = held_host::hold();
    let _load = match condition {
        CalibrationCondition::Loaded => Some(BackgroundLoad::start(args.host_options.cpu)?),
        CalibrationCondition::OneBinary
        | CalibrationCondition::BesideCounts
        | CalibrationCondition::Relinked => None,
    };
    let mut judge = |_: &RunRecord| all.clone();
    let mut progress = RunProgress::new();
    let record = shakedown_schedule::compare(session, None, &mut judge, &mut progress)?;
    progress.finish();
    Ok(record)
}

/// The budget of a policy's comparisons, with two pairs on each pair of links, so that the luck of
/// layouts can be told from other noise. All blocks are wanted, however long they take, and counts in each.
const fn calibration_budget(policy: &Policy) -> ComparisonBudget {
    let count_runs = u32::MAX;
    ComparisonBudget {
        pairs_per_link: 2,
        count_runs,
        minutes: u32::MAX / 60_000_000,
        ..budget(policy)
    }
}

/// Adds the run that the gate learns from to the history.
fn keep(history: &Path, folder: &Path) -> Result<()> {
    match add_record(&Store::open_or_create(history)?, folder)?.1 {
        AddedRecord::Stored(_) => Ok(()),
        AddedRecord::Refused(error) => Err(error.into()),
    }
}

/// The metrics that a gate fails by; latencies are only reported.
fn is_rate(one: &&FamilyNoise) -> bool {
    !one.metric.name().starts_with("latency")
}
