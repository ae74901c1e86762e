//! `shakedown compare`.

use crate::{
    exit::Exit,
    host_options::HostOptions,
    output::name_files,
    policies::Policies,
    project::ProjectRoot,
    session::comparison::{self, ComparisonOptions},
    verdict::show,
};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_protocol::Subject;
use std::path::PathBuf;

/// Builds base and head alike, measures them interleaved until every scenario is decided, and
/// says what regressed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown compare rustls@git:main rustls@git:HEAD
  shakedown compare rustls@path:../base rustls@path:../head --only 'handshake-*/tls1.3/**'
  shakedown compare rustls@0.23.46 rustls@0.23.46 --suite pr     an A/A: nothing should be found")]
pub struct Args {
    /// What is compared against, for example rustls@git:main or rustls@path:../base
    #[arg(required_unless_present = "resume")]
    base: Option<Subject>,
    /// What is judged
    #[arg(required_unless_present = "resume")]
    head: Option<Subject>,
    /// Which suite, by name or as a TOML file
    #[arg(long, short, default_value = "pr", conflicts_with = "resume")]
    suite: String,
    /// Only the scenarios whose ids match (`*` matches anything); may be repeated
    #[arg(long, value_name = "GLOB", conflicts_with = "resume")]
    only: Vec<String>,
    #[command(flatten)]
    policies: Policies,
    /// Where record and reports go; must not hold a record yet [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Finish the killed comparison in this folder, with the policy that it began with
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["out", "base", "seed"])]
    resume: Option<PathBuf>,
    /// History whose A/A runs tell the noise of this host, or what `history noise` wrote of it
    #[arg(
        long,
        value_name = "DIR|FILE",
        env = "SHAKEDOWN_HISTORY",
        default_value = "shakedown-history",
        value_hint = ValueHint::AnyPath
    )]
    history: PathBuf,
    /// Seed of the order [default: random, and kept in the record]
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    host_options: HostOptions,
    /// Measure base with the drivers of this checkout of shakedown [default: those of this one]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    base_drivers: Option<PathBuf>,
    /// Measure head with the drivers of this checkout: with the same subject as base and head,
    /// what is compared is the harness, and nothing should be found
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    head_drivers: Option<PathBuf>,
    /// Allow base and head to be of two stacks; each is then built as it is named
    #[arg(long, conflicts_with = "resume")]
    different_stacks: bool,
    /// Print the judgement as JSON
    #[arg(long)]
    json: bool,
}

/// Compares.
///
/// # Errors
/// Bad input, failed builds, a full disk.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let policy = args.policies.load(&root)?;
    let mut resume = args.policies.arguments();
    for (name, path) in
        [("--base-drivers", &args.base_drivers), ("--head-drivers", &args.head_drivers)]
    {
        let given = path.iter().map(|path| path.display().to_string());
        resume.extend(given.flat_map(|path| [name.to_owned(), path]));
    }
    let options = ComparisonOptions {
        suite: args.suite,
        only: args.only,
        meters: Vec::new(),
        out: args.out,
        seed: args.seed,
        history: Some(args.history),
        host_options: args.host_options,
        drivers: [args.base_drivers, args.head_drivers],
        sources: [None, None],
        different_stacks: args.different_stacks,
        resume: Some(resume),
    };
    let compared = match &args.resume {
        Some(folder) => comparison::resume(&root, folder, &options, &policy)?,
        None => {
            let pair = [args.base, args.head].map(|side| side.context("base and head are needed"));
            let [base, head] = pair;
            comparison::measure(&root, [base?, head?], &options, &policy)?
        }
    };
    let exit = show(&compared.judgement, &compared.verdicts, args.json)?;
    name_files(&compared.files);
    Ok(exit)
}
