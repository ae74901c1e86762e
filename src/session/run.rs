//! A run from names to a record.

use super::{
    SubjectBuilder,
    fallback::{self, Planned, Prepared},
    interruption::{InterruptionNotice, resume_line},
    parts::{maker, refuse_used, session_options},
};
use crate::{held_host, host_options::HostOptions, progress::RunProgress, project::ProjectRoot};
use anyhow::{Result, bail};
use shakedown_protocol::{Backfill, HostFacts, RunPlan, RunRecord, Subject};
use shakedown_schedule::{PlanOptions, Session, Suite};
use std::path::{Path, PathBuf};

/// What a run without subjects measures.
const USUAL: [&str; 2] = ["rustls", "openssl@3.5"];
/// Folder, below that of the run, for the in-tree benchmarks of subjects that were left out of it.
const APART: &str = "in-tree";

/// What to measure, and how.
#[derive(Debug, Default)]
pub struct RunOptions {
    /// Subjects; nothing: [`USUAL`].
    pub subjects: Vec<Subject>,
    /// Names under which the subjects are followed, where these are not the same.
    pub asked: Option<Vec<Subject>>,
    /// Suite, by name or as a TOML file.
    pub suite: String,
    /// Globs over scenario ids; nothing: all of the suite.
    pub only: Vec<String>,
    /// Folder for record and reports; the default is `runs/<id>`.
    pub out: Option<PathBuf>,
    /// Folder of a killed run, which is finished as it was planned.
    pub resume: Option<PathBuf>,
    /// Rounds; the default is the suite's.
    pub blocks: Option<u32>,
    /// Whether subjects of several stacks are not built as their stacks' reference builds.
    pub as_named: bool,
    /// Seed of the order; the default is random.
    pub seed: Option<u64>,
    /// Folder in the subjects' trees with a driver that takes the place of the project's.
    pub own_driver: Option<String>,
    /// The missed run that this one stands in for: then nothing is measured where a driver does
    /// not fit.
    pub backfill: Option<Backfill>,
    /// The command that finishes the run if it is killed, where it is not `shakedown run`.
    pub resume_line: Option<String>,
    /// How the host is used.
    pub host_options: HostOptions,
}

/// A run that ended, and its folder.
pub type MeasuredRun = (RunRecord, PathBuf);

/// Builds the subjects and measures them. A second run has the in-tree benchmarks of subjects
/// whose drivers do not fit.
///
/// # Errors
/// Bad input, a full disk, no subject that builds; trials that are lost are no errors.
pub fn measure(args: &RunOptions) -> Result<(MeasuredRun, Option<MeasuredRun>)> {
    let root = ProjectRoot::find()?;
    let host = args.host_options.observe()?;
    let resumed = args.resume.as_deref().map(shakedown_schedule::load_record).transpose()?;
    if let (Some(record), Some(folder)) = (&resumed, &args.resume)
        && maker(record) != "run"
    {
        bail!(
            "the record in {0} is of a comparison: finish it with `shakedown {1} --resume {0}`",
            folder.display(),
            maker(record)
        );
    }
    let asked = match (&resumed, &args.asked) {
        (Some(record), _) => record.subjects.iter().map(|entry| entry.asked.clone()).collect(),
        (None, Some(asked)) => asked.clone(),
        (None, None) => named(args)?,
    };
    let plan = match &resumed {
        Some(record) => record.plan.clone(),
        None => plan(args, &root)?,
    };
    let id = resumed.as_ref().map_or_else(shakedown_schedule::new_id, |record| record.id.clone());
    let out = args.resume.clone().or_else(|| args.out.clone());
    let out = out.unwrap_or_else(|| Path::new("runs").join(&id));
    let resuming = resumed.is_some();
    if !resuming {
        refuse_used(&out)?;
        refuse_used(&out.join(APART))?;
    }
    let strict = resuming || args.backfill.is_some();
    let wanted = |builder: &SubjectBuilder, asked: &[Subject]| match &resumed {
        // A record names what was built, so that a resumed run builds the same.
        Some(record) => record.subjects.iter().map(|e| e.artifact.subject.clone()).collect(),
        None if args.asked.is_some() => args.subjects.clone(),
        None if args.as_named => asked.to_vec(),
        None => builder.comparable(asked),
    };
    let resumed_driver = resumed.iter().flat_map(|record| &record.subjects);
    let own_driver = resumed_driver.filter_map(|entry| entry.artifact.own_driver.clone()).next();
    let own_driver = own_driver.or_else(|| args.own_driver.clone());
    let (prepared, apart) = fallback::each_or_in_tree(
        &root,
        Planned { plan, only: args.only.clone(), blocks: args.blocks, strict },
        &asked,
        &|scenarios| {
            let builder = SubjectBuilder::open(&root)?.with_own_driver(own_driver.clone());
            builder.for_scenarios(scenarios)
        },
        &wanted,
    )?;
    let measured = conduct(&root, args, (id, &out), prepared, host.clone(), resuming)?;
    let Some(apart) = apart else { return Ok((measured, None)) };
    let place = (shakedown_schedule::new_id(), &*out.join(APART));
    let apart = conduct(&root, args, place, apart, host, false)?;
    Ok((measured, Some(apart)))
}

fn named(args: &RunOptions) -> Result<Vec<Subject>> {
    if args.subjects.is_empty() {
        return Ok(USUAL.iter().map(|name| name.parse()).collect::<Result<_, _>>()?);
    }
    Ok(args.subjects.clone())
}

fn plan(args: &RunOptions, root: &ProjectRoot) -> Result<RunPlan> {
    let suite = Suite::load(&root.catalog().join("suites"), &args.suite)?;
    let only = args.only.clone();
    let plan = suite.plan(&PlanOptions { seed: args.seed, blocks: args.blocks, only })?;
    Ok(RunPlan { backfill: args.backfill.clone(), ..plan })
}

fn conduct(
    root: &ProjectRoot,
    args: &RunOptions,
    (id, out): (String, &Path),
    Prepared { plan, builder, subjects }: Prepared,
    host: HostFacts,
    resuming: bool,
) -> Result<MeasuredRun> {
    let options = session_options(&builder, root, &plan, &args.host_options)?;
    let session = Session {
        id,
        shakedown: env!("CARGO_PKG_VERSION").to_owned(),
        out: out.to_owned(),
        plan,
        subjects,
        host,
        calibration: None,
        pki: root.pki(),
        options,
    };
    let resume = || resume_line("run", out, &args.host_options.arguments());
    let resume = args.resume_line.clone().unwrap_or_else(resume);
    let _notice = InterruptionNotice::new(out, Some(&resume))?;
    let _quiet = held_host::hold();
    let mut progress = RunProgress::new();
    let measure = if resuming { shakedown_schedule::resume } else { shakedown_schedule::run };
    let record = measure(session, &mut progress)?;
    progress.finish();
    Ok((record, out.to_owned()))
}
