//! A comparison from two names to a verdict: what `compare` and every other subcommand that
//! measures base against head go through.

use super::{
    SubjectBuilder,
    budget::{budget, first_links},
    fallback::{self, Planned, Prepared},
    interruption::{InterruptionNotice, resume_line},
    parts::{enter, refuse_used, session_options, write_reports},
};
use crate::{
    held_host, history::noise, host_options::HostOptions, progress::RunProgress,
    project::ProjectRoot, record::write_judgement,
};
use anyhow::{Context, Result, bail, ensure};
use shakedown_gate::{InterimAnalysis, Judgement, Policy};
use shakedown_protocol::{Meter, RunRecord, Scenario, Subject, SubjectEntry};
use shakedown_report::{Report, Verdicts};
use shakedown_schedule::{BuiltSubject, LinkSupply, PlanOptions, Session, Suite};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

/// What to compare, and how.
#[derive(Debug, Clone, Default)]
pub struct ComparisonOptions {
    /// Suite, by name or as a TOML file.
    pub suite: String,
    /// Globs over scenario ids; nothing: all of the suite.
    pub only: Vec<String>,
    /// Only these of the suite's instruments; nothing: all of them.
    pub meters: Vec<Meter>,
    /// Folder for record and reports; the default is `runs/<id>`.
    pub out: Option<PathBuf>,
    /// Seed of the order; the default is random.
    pub seed: Option<u64>,
    /// Folder of the history that the host's noise is learned from; without one the gate says
    /// that it is uncalibrated.
    pub history: Option<PathBuf>,
    /// Whether base and head may be of two stacks.
    pub different_stacks: bool,
    /// How the host is used.
    pub host_options: HostOptions,
    /// Who finishes the comparison if it is killed.
    pub resumed_by: ResumedBy,
    /// Whether in-tree benchmarks may not take the place of a driver that does not fit.
    pub strict: bool,
    /// Checkouts of the project whose drivers base and head are measured with; the default is
    /// the project's own.
    pub drivers: [Option<PathBuf>; 2],
    /// SHA-256 that the sources of base and head must have, where that is known.
    pub sources: [Option<String>; 2],
}

/// Who finishes a comparison that was killed.
#[derive(Debug, Clone, Default)]
pub enum ResumedBy {
    /// Nobody.
    #[default]
    Nobody,
    /// `shakedown compare --resume`, with these arguments beside the folder and those of the host.
    Compare(Vec<String>),
    /// This command.
    Command(String),
}

/// What came of it.
#[derive(Debug)]
pub struct MeasuredComparison {
    /// Everything that was measured.
    pub record: RunRecord,
    /// What was decided.
    pub judgement: Judgement,
    /// The same in words.
    pub verdicts: Verdicts,
    /// The record, the judgement and the reports.
    pub files: Vec<PathBuf>,
}

/// Builds base and head alike, measures them interleaved until every question is decided,
/// judges, and writes `record.json`, `judgement.json`, `report.md` and `report.html`.
///
/// # Errors
/// Bad input, failed builds (naming the side), an unfit host, a full disk.
pub fn measure(
    root: &ProjectRoot,
    [base, head]: [Subject; 2],
    options: &ComparisonOptions,
    policy: &Policy,
) -> Result<MeasuredComparison> {
    if base.stack != head.stack && !options.different_stacks {
        bail!(
            "{} and {} are different stacks: `shakedown run` measures them side by side. To judge \
             one by the other all the same, add --different-stacks",
            base.stack,
            head.stack
        );
    }
    let suite = Suite::load(&root.catalog().join("suites"), &options.suite)?;
    let blocks = Some(policy.budget.blocks);
    let mut plan =
        suite.plan(&PlanOptions { seed: options.seed, blocks, only: options.only.clone() })?;
    plan.budget = Some(budget(policy));
    if !options.meters.is_empty() {
        plan.meters.retain(|meter| options.meters.contains(meter));
        plan.only_meters.clone_from(&options.meters);
    }
    if plan.meters.is_empty() {
        let wanted: Vec<String> =
            options.meters.iter().map(|meter| format!("{meter:?}").to_lowercase()).collect();
        bail!(
            "suite {} does not measure with {}: choose another one",
            plan.suite,
            wanted.join(", ")
        );
    }
    let id = shakedown_schedule::new_id();
    let out = options.out.clone().unwrap_or_else(|| Path::new("runs").join(&id));
    refuse_used(&out)?;
    let host = options.host_options.observe()?;
    let calibration = match &options.history {
        Some(folder) => noise::of_host(folder, &host.epoch.id, &policy.budget)?,
        None => None,
    };
    let begun = Instant::now();
    let asked = [base, head];
    let Prepared { plan, builder, subjects } = fallback::both_or_in_tree(
        root,
        Planned { plan, only: options.only.clone(), blocks, strict: options.strict },
        &asked,
        &|scenarios| open(root, options, policy, scenarios),
        &|builder| pair(builder, asked.clone(), first_links(policy)),
    )?;
    check_sources(subjects.iter().map(|subject| &subject.entry), &options.sources)?;
    let built = begun.elapsed();
    let session_options = session_options(&builder, root, &plan, &options.host_options)?;
    let shakedown = env!("CARGO_PKG_VERSION").to_owned();
    let pki = root.pki();
    let session = Session {
        id,
        shakedown,
        out,
        plan,
        subjects,
        host,
        calibration,
        pki,
        options: session_options,
    };
    conduct(session, &builder, policy, options, Some(built.as_secs()), shakedown_schedule::compare)
}

/// What builds base and head: with the drivers that policy and options name.
fn open(
    root: &ProjectRoot,
    options: &ComparisonOptions,
    policy: &Policy,
    scenarios: &[Scenario],
) -> Result<SubjectBuilder> {
    let builder = SubjectBuilder::open(root)?.with_drivers(&options.drivers)?;
    builder.with_own_driver(policy.own_driver.clone()).for_scenarios(scenarios)
}

/// Refuses sources that are not the wanted ones.
///
/// # Errors
/// Names the first one that is another.
pub fn check_sources<'a>(
    built: impl IntoIterator<Item = &'a SubjectEntry>,
    wanted: &[Option<String>; 2],
) -> Result<()> {
    for (subject, wanted) in built.into_iter().zip(wanted) {
        let found = &subject.artifact.source.sha256;
        if let Some(wanted) = wanted.as_ref().filter(|wanted| *wanted != found) {
            bail!(
                "the source of {} has SHA-256 {found} instead of {wanted}: it is not what was measured \
                 before",
                subject.asked
            );
        }
    }
    Ok(())
}

/// Finishes the comparison in `out` that was killed, within the budget that it was begun with. The policy
/// must be the one that it was begun with, as it decides which trial comes next.
///
/// # Errors
/// As [`measure`]; also for a record of anything else.
pub fn resume(
    root: &ProjectRoot,
    out: &Path,
    options: &ComparisonOptions,
    policy: &Policy,
) -> Result<MeasuredComparison> {
    let record = shakedown_schedule::load_record(out)?;
    ensure!(
        record.plan.paired != Some(false),
        "the record in {0} is of a plain run: finish it with `shakedown run --resume {0}`",
        out.display()
    );
    let asked: Vec<Subject> = record.subjects.iter().map(|entry| entry.asked.clone()).collect();
    let asked: [Subject; 2] = asked.try_into().map_err(|all: Vec<Subject>| {
        anyhow::anyhow!(
            "the record in {} has {} subjects and is no comparison: finish it with `shakedown run --resume`",
            out.display(),
            all.len()
        )
    })?;
    let host = options.host_options.observe()?;
    let builder = open(root, options, policy, &record.plan.scenarios)?;
    // As many as the record names.
    let links = record.subjects.iter().map(|entry| entry.artifact.links.len()).max();
    let subjects = pair(&builder, asked, links.unwrap_or(1) as u32)?;
    let session_options = session_options(&builder, root, &record.plan, &options.host_options)?;
    let session = Session {
        id: record.id,
        shakedown: record.shakedown,
        out: out.to_owned(),
        plan: record.plan,
        subjects,
        host,
        calibration: record.calibration,
        pki: root.pki(),
        options: session_options,
    };
    conduct(session, &builder, policy, options, None, shakedown_schedule::resume_comparison)
}

/// Builds both alike; different stacks share nothing, and are built as they are.
///
/// # Errors
/// Unknown subjects and failed builds.
pub fn pair(
    builder: &SubjectBuilder,
    asked: [Subject; 2],
    links: u32,
) -> Result<Vec<BuiltSubject>> {
    let resolved = builder.resolve(&asked)?;
    let [base, head] = resolved.as_slice() else { unreachable!("two were asked for") };
    let built = if base.subject.stack == head.subject.stack {
        let pair = builder.build_pair(base, head, links)?;
        vec![pair.base, pair.head]
    } else {
        builder.build(&resolved, links)?
    };
    enter(&asked, built)
}

type Conduct = fn(
    Session,
    Option<&dyn LinkSupply>,
    &mut dyn shakedown_schedule::StoppingRule,
    &mut dyn shakedown_schedule::Observer,
) -> Result<RunRecord, shakedown_schedule::ScheduleError>;

fn conduct(
    session: Session,
    builder: &SubjectBuilder,
    policy: &Policy,
    options: &ComparisonOptions,
    built_s: Option<u64>,
    conduct: Conduct,
) -> Result<MeasuredComparison> {
    let out = session.out.clone();
    let mut judge = InterimAnalysis::new(policy);
    let mut open = |record: &RunRecord| judge.open(record);
    let resume = match &options.resumed_by {
        ResumedBy::Nobody => None,
        ResumedBy::Compare(more) => {
            let arguments = [options.host_options.arguments(), more.clone()].concat();
            Some(resume_line("compare", &out, &arguments))
        }
        ResumedBy::Command(line) => Some(line.clone()),
    };
    let _notice = InterruptionNotice::new(&out, resume.as_deref())?;
    let _quiet = held_host::hold();
    let mut progress = RunProgress::new();
    let record = conduct(session, Some(builder), &mut open, &mut progress)?;
    progress.finish();
    let judgement = shakedown_gate::judge(&record, policy).context("the record can't be judged")?;
    let summary = shakedown_summary::summarize(&record);
    let verdicts = Verdicts::new(&judgement, &record, built_s);
    let report = Report::new(&record, &summary).with_verdict(verdicts);
    let mut files = write_reports(&report, &out)?;
    let verdicts = report.verdict.context("the report was given its verdict above")?;
    let path = out.join("judgement.json");
    write_judgement(&path, &judgement)?;
    files.insert(1, path);
    Ok(MeasuredComparison { record, judgement, verdicts, files })
}
