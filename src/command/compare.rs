//! `shakedown compare`.

use super::{
    build::Bench,
    gate::{Policies, show},
    run::{enter, name_files, options, write_reports},
};
use crate::{exit::Exit, place::Root, progress::RunProgress, report};
use ::gate::Sequential;
use anyhow::{Context, Result};
use clap::ValueHint;
use protocol::Subject;
use schedule::{Pairing, PlanOptions, Session, Suite};
use std::path::{Path, PathBuf};

/// Builds base and head alike, measures them interleaved until every scenario is decided, and
/// says what regressed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is compared against, for example rustls@git:main or rustls@path:../base
    base: Subject,
    /// What is judged
    head: Subject,
    /// Which suite, by name or as a TOML file
    #[arg(long, short, default_value = "pr")]
    suite: String,
    /// Only the scenarios whose ids match (`*` matches anything); may be repeated
    #[arg(long, value_name = "GLOB")]
    only: Vec<String>,
    #[command(flatten)]
    policies: Policies,
    /// Where record and reports go; must not hold a record yet [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Seed of the order [default: random, and kept in the record]
    #[arg(long)]
    seed: Option<u64>,
    /// Which CPU to measure on [default: the last isolated one, or else the last one]
    #[arg(long)]
    cpu: Option<u32>,
    /// Fail when another run has this host, instead of waiting for it
    #[arg(long)]
    no_wait: bool,
    /// Print the judgement as JSON
    #[arg(long)]
    json: bool,
}

/// Disturbed quartets that may be repeated, in percent of a block's.
const REPEATS: u32 = 25;

/// Compares.
///
/// # Errors
/// Bad input, failed builds, a full disk.
pub fn run(args: Args) -> Result<Exit> {
    let root = Root::find()?;
    let suite = Suite::load(&root.catalog().join("suites"), &args.suite)?;
    let policy = args.policies.load(&root)?;
    let blocks = Some(policy.budget.blocks);
    let mut plan = suite.plan(&PlanOptions { seed: args.seed, blocks, only: args.only.clone() })?;
    plan.blocks = policy.budget.blocks;
    let id = schedule::new_id();
    let out = args.out.clone().unwrap_or_else(|| Path::new("runs").join(&id));
    super::run::refuse_used(&out)?;

    let bench = Bench::open(&root)?;
    let asked = [args.base.clone(), args.head.clone()];
    let resolved = bench.resolve(&asked)?;
    let [base, head] = resolved.as_slice() else { unreachable!("two were asked for") };
    let built = if base.subject.stack == head.subject.stack {
        let pair = bench.build_pair(base, head, policy.budget.blocks)?;
        vec![pair.base, pair.head]
    } else {
        vec![bench.build(base, policy.budget.blocks)?, bench.build(head, policy.budget.blocks)?]
    };
    let options = options(&bench, &root, &plan, args.cpu, args.no_wait)?;
    let session = Session {
        id,
        shakedown: env!("CARGO_PKG_VERSION").to_owned(),
        out: out.clone(),
        plan,
        contestants: enter(&asked, built)?,
        host: host::observe(&host::HostRoot::real())?,
        calibration: None,
        pki: root.pki(),
        options,
    };
    let pairing = Pairing {
        pairs: policy.budget.pairs,
        count_runs: policy.budget.count_runs,
        repeats: REPEATS,
        minutes: policy.budget.minutes,
    };
    let mut judge = Sequential::new(&policy, None);
    let mut open = |record: &protocol::RunRecord| judge.open(record);
    let mut progress = RunProgress::new();
    let record = schedule::compare(session, pairing, &mut open, &mut progress)?;
    progress.finish();
    let judgement = ::gate::judge(&record, &policy).context("the record can't be judged")?;
    let summary = ::gate::summary::summarize(&record);
    let files = write_reports(&report::Report::new(&record, &summary), &out)?;
    let exit = show(&judgement, args.json)?;
    name_files(&files);
    Ok(exit)
}
