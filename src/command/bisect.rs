//! `shakedown bisect`.

use crate::{
    bisect::{BisectRecord, BisectRequest, BisectSession, bisect, text},
    exit::Exit,
    explain::explain_scenario,
    history::noise::HostNoiseArgs,
    host_options::HostOptions,
    output::{print, print_json, say},
    policies::Policies,
    project::ProjectRoot,
    session::{SubjectBuilder, resume_line},
};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_protocol::{Metric, Scenario, Side, Subject, SubjectVersion};
use shakedown_report::{explanation_text, plain};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Finds the commit, or the release, that changed a number: builds and measures few of those between
/// a good and a bad one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Counts are followed first, as they repeat; times where no count differs or one is asked for. A commit
that does not build is skipped. Exit code 0: each change is one commit; 5: some could only be told
within a range, good and bad do not differ, or the time was used up.

Examples:
  shakedown bisect rustls --good v/0.23.45 --bad main \\
      --scenario handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256
  shakedown bisect rustls+ring --good 1f3a --bad HEAD --repository ../rustls --side server \\
      --metric instructions --scenario handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256
  shakedown bisect rustls --releases --good 0.23.28 --bad 0.23.31 \\
      --scenario handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256")]
pub struct Args {
    /// Stack, with variants but without a version: rustls, rustls+ring
    #[arg(required_unless_present = "resume")]
    stack: Option<Subject>,
    /// Revision without the change: a commit, tag or branch
    #[arg(long, value_name = "REV", required_unless_present = "resume")]
    good: Option<String>,
    /// Revision with the change
    #[arg(long, value_name = "REV", required_unless_present = "resume")]
    bad: Option<String>,
    /// Scenario, by its id
    #[arg(long, value_name = "ID", required_unless_present = "resume")]
    scenario: Option<Scenario>,
    /// Side [default: the one that changed more]
    #[arg(long)]
    side: Option<Side>,
    /// Metric [default: a count that differs, else the rate]
    #[arg(long)]
    metric: Option<Metric>,
    /// Repository, instead of the catalog's
    #[arg(long, value_name = "URL|PATH", conflicts_with = "releases", value_hint = ValueHint::DirPath)]
    repository: Option<String>,
    /// Search the releases between two, without git
    #[arg(long)]
    releases: bool,
    /// Smallest change to look for, in percent [default: the policy's margin for a count, half of
    /// the whole change for a time]
    #[arg(long, value_name = "PERCENT")]
    least: Option<f64>,
    /// Measure until no more than N commits in a row are not measured, to find what was changed
    /// and changed back
    #[arg(long, value_name = "N")]
    stretch: Option<usize>,
    /// Suite that has the scenario and says how long it is measured
    #[arg(long, short, default_value = "pr")]
    suite: String,
    #[command(flatten)]
    policies: Policies,
    /// Folder for everything that is measured [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Go on with the bisection in this folder
    #[arg(
        long,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        conflicts_with_all = [
            "out", "stack", "good", "bad", "scenario", "side", "metric", "repository", "releases",
            "least", "stretch", "suite"
        ]
    )]
    resume: Option<PathBuf>,
    /// Begin to measure no other revision after this many minutes; go on another time with --resume
    #[arg(long, value_name = "N")]
    minutes: Option<u64>,
    /// Fetch sources and crates of all revisions, so that a bisection works without network; build and
    /// measure nothing
    #[arg(long, conflicts_with_all = ["resume", "json", "out", "minutes"])]
    fetch_only: bool,
    #[command(flatten)]
    noise: HostNoiseArgs,
    #[command(flatten)]
    host_options: HostOptions,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Bisects.
///
/// # Errors
/// Bad input, ends that do not build, a full disk.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    if args.fetch_only {
        request(&args)?.fetch(&SubjectBuilder::open(&root)?)?;
        return Ok(Exit::Done);
    }
    let policy = args.policies.load(&root)?;
    let out = args.resume.clone().or_else(|| args.out.clone());
    let out = out.unwrap_or_else(|| Path::new("runs").join(shakedown_schedule::new_id()));
    let begun = args.resume.as_deref().map(BisectRecord::load).transpose()?;
    let request = match &begun {
        Some(record) => record.request.clone(),
        None => request(&args)?,
    };
    let arguments = [args.host_options.arguments(), args.policies.arguments()].concat();
    let resume = resume_line("bisect", &out, &arguments);
    let session = BisectSession {
        policy: &policy,
        history: &args.noise.history,
        host_options: &args.host_options,
        out: &out,
        resume: &resume,
        end: args.minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes)),
    };
    let record = bisect(&root, request, begun, &session)?;
    if args.json {
        print_json(&record)?;
    } else {
        print(&text(&record))?;
    }
    explain_located(&root, &record, &out, args.json)?;
    let changes = record.findings.iter().flat_map(|findings| &findings.changes);
    let exact = record.findings.is_some()
        && changes.into_iter().all(shakedown_bisect::LocatedChange::is_exact);
    Ok(if exact { Exit::Done } else { Exit::Inconclusive })
}

/// Names the functions behind each change that was found, and leaves them beside its comparison.
fn explain_located(
    root: &ProjectRoot,
    found: &BisectRecord,
    out: &Path,
    quiet: bool,
) -> Result<()> {
    for located in &found.located {
        match explain_scenario(root, &out.join(&located.folder), found.request.scenario) {
            Ok(Some(why)) if !quiet => {
                let id = plain(&located.commit.id);
                print(&format!("\nWhy {id}\n{}", explanation_text(&why)))?;
            }
            Ok(_) => {}
            // What was found stands without its cause.
            Err(error) => say(format_args!("warning: not explained: {error:#}")),
        }
    }
    Ok(())
}

fn request(args: &Args) -> Result<BisectRequest> {
    let subject = args.stack.clone().context("the stack is needed")?;
    anyhow::ensure!(
        subject.version == SubjectVersion::Newest,
        "`{subject}` names a version: the revisions are those between --good and --bad"
    );
    let repository = args.repository.clone().map(|named| {
        let path = Path::new(&named).canonicalize().ok().filter(|path| path.is_dir());
        path.map_or(named, |path| path.display().to_string())
    });
    Ok(BisectRequest {
        subject,
        good: args.good.clone().context("--good is needed")?,
        bad: args.bad.clone().context("--bad is needed")?,
        repository,
        releases: args.releases,
        scenario: args.scenario.context("--scenario is needed")?,
        suite: args.suite.clone(),
        side: args.side,
        metric: args.metric,
        least: args.least.map(|percent| percent / 100.0),
        stretch: args.stretch,
    })
}
