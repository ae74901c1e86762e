//! `shakedown signoff`.

use crate::{
    clock::now_ms,
    exit::Exit,
    history,
    host_options::HostOptions,
    output::{print, print_json},
    policies::Policies,
    project::ProjectRoot,
    record::read,
    session::comparison::{self, ComparisonOptions},
    signoff::{against, exit, past},
};
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use shakedown_gate::{Judgement, Policy};
use shakedown_protocol::{RunRecord, Subject};
use shakedown_report::{
    plain,
    signoff::{Against, Evidence, Kind},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Checks a release candidate: against the last release, and against the history. Leaves one
/// folder with the verdict and everything that it rests on.
///
/// Fails where a scenario regressed without an accepted entry (1), where a suspect of the
/// history is open or evidence is missing (5), and where the host was unfit (4). Every reason is
/// named.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown signoff --candidate rustls@git:v0.24.0-rc.1 --baseline rustls@0.23 --out signoff
  shakedown signoff --candidate openssl@4.0.4 --baseline openssl@4.0.3 --record run/ --out signoff
  (cd signoff && sha256sum -c SHA256SUMS)")]
pub struct Args {
    /// What shall be released
    #[arg(long, value_name = "SUBJECT")]
    candidate: Subject,
    /// The last release
    #[arg(long, value_name = "SUBJECT")]
    baseline: Subject,
    /// A comparison that was measured already, baseline first: a record.json or its folder
    /// [default: measured now]
    #[arg(long, value_name = "RECORD", value_hint = ValueHint::AnyPath, conflicts_with = "HostOptions")]
    record: Option<PathBuf>,
    /// Which suite to measure, by name or as a TOML file
    #[arg(long, short, default_value = "pr", conflicts_with = "record")]
    suite: String,
    #[command(flatten)]
    host_options: HostOptions,
    #[command(flatten)]
    policies: Policies,
    #[command(flatten)]
    history: history::HistoryArgs,
    /// Folder for everything; must be empty or not be there
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Checks the candidate.
///
/// # Errors
/// Bad input, failed builds, a full disk.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let policy = args.policies.load(&root)?;
    let [policy_path, accepted_path] = args.policies.paths(&root);
    let policies = shakedown_report::signoff::policies(&[
        ("policy.toml", policy_path),
        ("accepted.toml", accepted_path),
    ])?;
    make(&args.out)?;
    let (record, judgement) = compared(&root, &args, &policy)?;
    let past = past(&args.history.folder, &record, &args.candidate, &policy)?;
    let asked = [&args.baseline, &args.candidate];
    let against = against(&record, &judgement, asked, &past);
    let evidence = Evidence {
        baseline: &args.baseline,
        candidate: &args.candidate,
        record: &record,
        judgement: &judgement,
        past: &past,
        against: &against,
        policies: &policies,
        now_ms: now_ms()?,
    };
    shakedown_report::signoff::write(&args.out, &evidence)?;
    tell(&args, &judgement, &against)?;
    // The gravest reason decides the code; all of them are told.
    let has = |kind: Kind| against.iter().any(|one| one.kind == kind);
    let order = [Kind::Regressed, Kind::Host, Kind::Suspect, Kind::Inconclusive, Kind::Evidence];
    Ok(order.into_iter().find(|kind| has(*kind)).map_or(Exit::Done, exit))
}

/// The folder, which must not hold anything yet.
fn make(out: &Path) -> Result<()> {
    fs::create_dir_all(out).with_context(|| format!("can't make {}", out.display()))?;
    if fs::read_dir(out)?.next().is_some() {
        bail!("{} is not empty: name another folder", out.display());
    }
    Ok(())
}

/// The comparison with the last release: the one given, or a new one.
fn compared(root: &ProjectRoot, args: &Args, policy: &Policy) -> Result<(RunRecord, Judgement)> {
    if let Some(path) = &args.record {
        let record = read(path)?;
        let judgement = shakedown_gate::judge(&record, policy)?;
        return Ok((record, judgement));
    }
    let options = ComparisonOptions {
        suite: args.suite.clone(),
        out: Some(args.out.clone()),
        history: Some(args.history.folder.clone()),
        host_options: args.host_options.clone(),
        ..ComparisonOptions::default()
    };
    let pair = [args.baseline.clone(), args.candidate.clone()];
    let compared = comparison::measure(root, pair, &options, policy)?;
    Ok((compared.record, compared.judgement))
}

fn tell(args: &Args, judgement: &Judgement, against: &[Against]) -> Result<()> {
    if args.json {
        return print_json(&serde_json::json!({
            "candidate": args.candidate,
            "baseline": args.baseline,
            "ready": against.is_empty(),
            "headline": judgement.headline,
            "against": against,
            "folder": args.out,
        }));
    }
    let mut text = format!("{}\n", judgement.headline);
    for one in against {
        let kind = serde_json::to_value(one.kind)?;
        let kind = kind.as_str().unwrap_or_default().to_owned();
        text.push_str(&format!("{kind}: {}\n", plain(&one.what)));
    }
    if against.is_empty() {
        text.push_str("nothing stands against this release\n");
    }
    text.push_str(&format!("{}\n", args.out.join("signoff.html").display()));
    print(&text)
}
