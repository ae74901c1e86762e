//! `shakedown host calibrate`: how much does unchanged code move on this host?

use super::{hold, osnoise};
use crate::{
    command::{
        build::Bench,
        gate::Policies,
        history::{self, now_ms},
        print, print_json, run,
    },
    comparison,
    exit::Exit,
    hosting::Hosting,
    place::Root,
    progress::RunProgress,
    quiet,
};
use anyhow::{Context, Result, bail};
use clap::{ValueEnum, ValueHint};
use serde::Serialize;
use shakedown_gate::{FamilyNoise, Policy};
use shakedown_host::{HostRoot, osnoise::Report};
use shakedown_protocol::{Meter, RunRecord, Subject};
use shakedown_report as report;
use shakedown_schedule::{Cell, Contestant, Load, PlanOptions, Session, Suite};
use shakedown_store::Store;
use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// Compares a subject with itself and says how far apart the two sides come out: with one
/// binary, with relinked ones, and with the other CPUs busy. The relinked run goes into the
/// history, where `shakedown compare` learns this host's noise from it; the gate needs five
/// blocks of a scenario to trust them, and thirty to know them well.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is measured against itself
    #[arg(default_value = "rustls")]
    subject: Subject,
    /// Which suite, by name or as a TOML file: the one whose runs shall be judged
    #[arg(long, short, default_value = "pr")]
    suite: String,
    /// Only the scenarios whose ids match (`*` matches anything); may be repeated
    #[arg(long, value_name = "GLOB")]
    only: Vec<String>,
    /// Blocks of each condition
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=60))]
    blocks: u32,
    /// Under which conditions
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Condition::value_variants().to_vec())]
    conditions: Vec<Condition>,
    /// Spread of relinked builds, in percent, above which the host is not fit
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    limit: f64,
    #[command(flatten)]
    policies: Policies,
    /// Where records and report go; must not hold a run yet [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    history: history::Place,
    /// Seconds for each of the kernel's tracers to tell what takes time from the benchmark CPUs;
    /// 0 leaves them out
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=3600))]
    osnoise: u64,
    #[command(flatten)]
    hosting: Hosting,
    /// Print the noise as JSON
    #[arg(long)]
    json: bool,
}

/// What is the same on both sides, and what the rest of the machine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum Condition {
    /// The very same binary on both sides: the host alone
    OneBinary,
    /// Relinked builds: the host and the luck of the layout
    Relinked,
    /// Relinked builds, with all other CPUs busy
    Loaded,
}

/// What one condition showed.
#[derive(Debug, Serialize)]
struct Found {
    condition: Condition,
    /// Folder name of its record.
    record: String,
    noise: Vec<FamilyNoise>,
}

/// All of it.
#[derive(Debug, Serialize)]
struct Calibrated {
    epoch: String,
    /// Whether the relinked run is within the limit; `None` if there was none.
    fit: Option<bool>,
    limit: f64,
    /// What the kernel saw on the benchmark CPUs, before anything ran there.
    kernel: Option<Report>,
    conditions: Vec<Found>,
}

/// Calibrates; exits with 4 when the host moves too much.
///
/// # Errors
/// Bad input, failed builds, a host that was disturbed all the time.
pub fn run(args: &Args) -> Result<Exit> {
    if !(args.limit > 0.0 && args.limit.is_finite()) {
        bail!("--limit must be above 0: it is a share in percent");
    }
    let root = Root::find()?;
    let policy = args.policies.load(&root)?;
    let out =
        args.out.clone().unwrap_or_else(|| Path::new("runs").join(shakedown_schedule::new_id()));
    let bench = Bench::open(&root)?;
    let pair = comparison::pair(&bench, [args.subject.clone(), args.subject.clone()], args.blocks)?;
    let kernel = if args.osnoise > 0 { Some(kernel(args)?) } else { None };
    let mut conditions = Vec::new();
    let mut epoch = String::new();
    for &condition in &args.conditions {
        let name = condition.to_possible_value().map_or_else(String::new, |v| v.get_name().into());
        let folder = out.join(&name);
        run::refuse_used(&folder)?;
        eprintln!("calibrating: {name}");
        let record = measure(args, &root, &bench, &policy, condition, (&pair, &folder))?;
        if condition == Condition::Relinked {
            keep(&args.history.folder, &folder)?;
        }
        epoch.clone_from(&record.host.epoch.id);
        let noise = shakedown_gate::noise(&record, &policy)
            .with_context(|| format!("{name}: {}", folder.display()))?;
        conditions.push(Found { condition, record: name, noise });
    }
    let limit = args.limit / 100.0;
    let fit = conditions.iter().find(|found| found.condition == Condition::Relinked);
    let fit = fit.map(|found| found.noise.iter().filter(is_rate).all(|one| one.spread <= limit));
    let calibrated = Calibrated { epoch, fit, limit, kernel, conditions };
    let path = out.join("noise.json");
    let json = serde_json::to_string_pretty(&calibrated)? + "\n";
    fs::write(&path, json).with_context(|| format!("can't write {}", path.display()))?;
    if args.json {
        print_json(&calibrated)?;
    } else {
        print(&text(&calibrated))?;
    }
    eprintln!("{}", path.display());
    Ok(if calibrated.fit == Some(false) { Exit::Host } else { Exit::Done })
}

/// What the kernel's tracers say; they need the CPUs for themselves, like every trial.
fn kernel(args: &Args) -> Result<Report> {
    let root = HostRoot::real();
    let _lock = hold::take(!args.hosting.no_wait)?;
    let cpus = args
        .hosting
        .cpu
        .map_or_else(|| osnoise::of_benchmarks(&root), |cpu| [cpu].into_iter().collect());
    Ok(shakedown_host::osnoise::ask(&root, &cpus, Duration::from_secs(args.osnoise)))
}

/// One condition: all its blocks, whatever they show.
fn measure(
    args: &Args,
    root: &Root,
    bench: &Bench,
    policy: &Policy,
    condition: Condition,
    (pair, folder): (&[Contestant], &Path),
) -> Result<RunRecord> {
    let suite = Suite::load(&root.catalog().join("suites"), &args.suite)?;
    let blocks = Some(args.blocks);
    let mut plan = suite.plan(&PlanOptions { seed: None, blocks, only: args.only.clone() })?;
    // Counts are not noise, and peak memory is a count.
    plan.meters = vec![Meter::Time];
    plan.scenarios
        .retain(|scenario| !matches!(scenario.kind, shakedown_protocol::Kind::Memory { .. }));
    let all: BTreeSet<Cell> = plan.scenarios.iter().map(|s| (*s, Meter::Time)).collect();
    let mut contestants = pair.to_vec();
    if condition == Condition::OneBinary {
        let binary = contestants[0].binaries[..1].to_vec();
        for contestant in &mut contestants {
            contestant.binaries.clone_from(&binary);
            contestant.entry.artifact.links = pair[0].entry.artifact.links[..1].to_vec();
        }
    }
    let options = run::options(bench, root, &plan, &args.hosting)?;
    let session = Session {
        id: shakedown_schedule::new_id(),
        shakedown: env!("CARGO_PKG_VERSION").to_owned(),
        out: folder.to_owned(),
        plan,
        contestants,
        host: args.hosting.observe()?,
        calibration: None,
        pki: root.pki(),
        options,
    };
    // First of all: what is started before would be moved along to the benchmark CPUs, onto the
    // trials' own.
    let _quiet = quiet::hold();
    let _load = match condition {
        Condition::Loaded => Some(Load::beside(args.hosting.cpu)?),
        Condition::OneBinary | Condition::Relinked => None,
    };
    let mut pairing = comparison::pairing(policy);
    // All blocks are wanted, however long they take.
    pairing.minutes = u32::MAX / 60_000_000;
    let mut judge = |_: &RunRecord| all.clone();
    let mut progress = RunProgress::new();
    let record = shakedown_schedule::compare(session, pairing, &mut judge, &mut progress)?;
    progress.finish();
    Ok(record)
}

/// Adds the run that the gate learns from to the history.
fn keep(history: &Path, folder: &Path) -> Result<()> {
    let path = shakedown_schedule::record_path(folder);
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    Store::open(history)?.add(&text, now_ms()?)?;
    Ok(())
}

/// The metrics that a gate fails by; latencies are only reported.
fn is_rate(one: &&FamilyNoise) -> bool {
    !one.metric.name().starts_with("latency")
}

fn text(calibrated: &Calibrated) -> String {
    let mut table = report::grid();
    let head = ["condition", "family", "side", "n", "spread", "noisiest", "drift", "found from"];
    table.set_header(head);
    let percent = |share: f64| format!("{:.2} %", share * 100.0);
    for found in &calibrated.conditions {
        for one in found.noise.iter().filter(is_rate) {
            table.add_row([
                found.record.clone(),
                one.family.clone(),
                one.side.to_string(),
                one.blocks.to_string(),
                percent(one.spread),
                percent(one.worst),
                format!("{:+.2} %", one.drift * 100.0),
                percent(one.smallest),
            ]);
        }
    }
    let mut text = format!("noise of host epoch {}\n{table}\n\n", calibrated.epoch);
    text.push_str(
        "spread: how far a block of unchanged code is off, root mean square over n blocks; drift: last third \
         against first; found from: the smallest slowdown that the policy finds nine times in ten\n",
    );
    if let Some(kernel) = &calibrated.kernel {
        let _ = writeln!(text, "\n{}", osnoise::text(kernel));
    }
    let limit = percent(calibrated.limit);
    let _ = match calibrated.fit {
        Some(true) => {
            writeln!(text, "fit: no family of relinked builds spreads by more than {limit}")
        }
        Some(false) => writeln!(text, "not fit: relinked builds spread by more than {limit}"),
        None => Ok(()),
    };
    text
}
