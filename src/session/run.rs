//! A run from names to a record.

use super::{
    SubjectBuilder,
    fallback::{self, Planned},
    parts::{refuse_used, session_options, subjects},
};
use crate::{held_host, host_options::HostOptions, progress::RunProgress, project::ProjectRoot};
use anyhow::Result;
use shakedown_protocol::{RunRecord, Subject};
use shakedown_schedule::{PlanOptions, Session, Suite};
use std::path::{Path, PathBuf};

/// What a run without subjects measures.
const USUAL: [&str; 2] = ["rustls", "openssl@3.5"];

/// What to measure, and how.
#[derive(Debug)]
pub struct RunOptions {
    /// Subjects; nothing: [`USUAL`].
    pub subjects: Vec<Subject>,
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
    /// How the host is used.
    pub host_options: HostOptions,
}

/// Builds the subjects and measures them; gives the record and its folder.
///
/// # Errors
/// Bad input, failed builds, a full disk; trials that are lost are no errors.
pub fn measure(args: RunOptions) -> Result<(RunRecord, PathBuf)> {
    let root = ProjectRoot::find()?;
    let host = args.host_options.observe()?;
    let resumed = args.resume.as_deref().map(shakedown_schedule::load_record).transpose()?;
    let asked = match &resumed {
        Some(record) => record.subjects.iter().map(|entry| entry.asked.clone()).collect(),
        None if args.subjects.is_empty() => {
            USUAL.iter().map(|name| name.parse()).collect::<Result<Vec<Subject>, _>>()?
        }
        None => args.subjects.clone(),
    };
    let plan = match &resumed {
        Some(record) => record.plan.clone(),
        None => {
            let suite = Suite::load(&root.catalog().join("suites"), &args.suite)?;
            let only = args.only.clone();
            suite.plan(&PlanOptions { seed: args.seed, blocks: args.blocks, only })?
        }
    };
    let id = resumed.as_ref().map_or_else(shakedown_schedule::new_id, |record| record.id.clone());
    let out = args.resume.clone().or_else(|| args.out.clone());
    let out = out.unwrap_or_else(|| Path::new("runs").join(&id));
    if resumed.is_none() {
        refuse_used(&out)?;
    }
    let resuming = resumed.is_some();
    let build = |builder: &SubjectBuilder| {
        // A record names what was built, so that a resumed run builds the same.
        let wanted = match &resumed {
            Some(record) => record.subjects.iter().map(|e| e.artifact.subject.clone()).collect(),
            None if args.as_named => asked.clone(),
            None => builder.comparable(&asked),
        };
        subjects(builder, &asked, &wanted)
    };
    let (plan, builder, subjects) = fallback::or_in_tree(
        &root,
        Planned { plan, blocks: args.blocks, resuming },
        &|scenarios| SubjectBuilder::open(&root)?.for_scenarios(scenarios),
        &build,
    )?;
    let options = session_options(&builder, &root, &plan, &args.host_options)?;
    let session = Session {
        id,
        shakedown: env!("CARGO_PKG_VERSION").to_owned(),
        out: out.clone(),
        plan,
        subjects,
        host,
        calibration: None,
        pki: root.pki(),
        options,
    };
    let _quiet = held_host::hold();
    let mut progress = RunProgress::new();
    let record = match resumed {
        Some(_) => shakedown_schedule::resume(session, &mut progress)?,
        None => shakedown_schedule::run(session, &mut progress)?,
    };
    progress.finish();
    Ok((record, out))
}
