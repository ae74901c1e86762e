//! `shakedown compare`.

use crate::{
    exit::Exit,
    explain::explain_measured,
    history::noise::HostNoiseArgs,
    host_options::HostOptions,
    output::{name_files, print, say},
    policies::Policies,
    project::ProjectRoot,
    session::comparison::{self, ComparisonOptions, ResumedBy},
    verdict::show,
};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_protocol::{Meter, Subject};
use shakedown_report::explanation_text;
use std::path::PathBuf;

/// Builds base and head in the same way, measures them interleaved until every scenario is
/// decided, and reports what regressed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown compare rustls@git:main rustls@git:HEAD
  shakedown compare rustls@path:../base rustls@path:../head --only 'handshake-*/tls1.3/**'
  shakedown compare rustls@0.23.46 rustls@0.23.46 --suite pr     an A/A: nothing should be found")]
pub struct Args {
    /// Subject to compare against, for example rustls@git:main or rustls@path:../base
    #[arg(required_unless_present = "resume")]
    base: Option<Subject>,
    /// Subject to judge
    #[arg(required_unless_present = "resume")]
    head: Option<Subject>,
    /// Suite, by name or as a TOML file. With @sha256: and at least 12 digits of a digest behind it, a
    /// file with another digest is refused
    #[arg(long, short, default_value = "pr", conflicts_with = "resume")]
    suite: String,
    /// Measure only scenarios whose ids match (`*` matches anything); may be repeated
    #[arg(long, value_name = "GLOB", conflicts_with = "resume")]
    only: Vec<String>,
    /// Measure only with this instrument of the suite: time, heap or instructions; may be repeated
    #[arg(long, value_name = "METER", value_parser = meter, conflicts_with = "resume")]
    meter: Vec<Meter>,
    #[command(flatten)]
    policies: Policies,
    /// Folder for the record and the reports; must not contain a record [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Finish the interrupted comparison in this folder, with the policy it started with
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["out", "base", "seed"])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    noise: HostNoiseArgs,
    /// Seed of the order [default: random, saved in the record]
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    host_options: HostOptions,
    /// Measure base with the drivers of this checkout of shakedown [default: this checkout]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    base_drivers: Option<PathBuf>,
    /// Measure head with the drivers of this checkout. With the same subject as base and head, this
    /// compares two harnesses, and should find nothing
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    head_drivers: Option<PathBuf>,
    /// Use the driver in this folder of a subject's tree, if there is one, in place of `[driver] path` of
    /// the policy
    #[arg(long, value_name = "FOLDER", conflicts_with = "resume")]
    own_driver: Option<String>,
    /// Refuse to measure if base's source has another SHA-256
    #[arg(long, value_name = "SHA256", conflicts_with = "resume")]
    base_source: Option<String>,
    /// Refuse to measure if head's source has another SHA-256
    #[arg(long, value_name = "SHA256", conflicts_with = "resume")]
    head_source: Option<String>,
    /// Allow base and head to be of two stacks; each is then built as it is named
    #[arg(long, conflicts_with = "resume")]
    different_stacks: bool,
    /// Don't profile what changed; by default the functions and allocation sites behind the largest
    /// changes are named, as by `shakedown explain`
    #[arg(long)]
    no_explain: bool,
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
    let mut policy = args.policies.load(&root)?;
    policy.own_driver = args.own_driver.or(policy.own_driver);
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
        meters: args.meter,
        out: args.out,
        seed: args.seed,
        history: Some(args.noise.history),
        host_options: args.host_options,
        drivers: [args.base_drivers, args.head_drivers],
        sources: [args.base_source, args.head_source],
        different_stacks: args.different_stacks,
        resumed_by: ResumedBy::Compare(resume),
        strict: false,
    };
    let compared = match &args.resume {
        Some(folder) => comparison::resume(&root, folder, &options, &policy)?,
        None => {
            let pair = [args.base, args.head].map(|side| side.context("base and head are needed"));
            let [base, head] = pair;
            comparison::measure(&root, [base?, head?], &options, &policy)?
        }
    };
    let mut files = compared.files.clone();
    let path = files.first().context("a comparison has a record")?;
    let exit = show(path, &compared.judgement, &compared.verdicts, args.json)?;
    if !args.no_explain {
        match explain_measured(&root, compared) {
            Ok(Some((why, written))) => {
                if !args.json {
                    print(&format!("\nWhy\n{}", explanation_text(&why)))?;
                }
                files.extend(written);
            }
            Ok(None) => {}
            // The verdict stands without its cause.
            Err(error) => say(format_args!("warning: not explained: {error:#}")),
        }
    }
    name_files(&files);
    Ok(exit)
}

fn meter(name: &str) -> Result<Meter, String> {
    let found = Meter::ALL.into_iter().find(|meter| meter.name() == name);
    found.ok_or_else(|| "time, heap or instructions".to_owned())
}
