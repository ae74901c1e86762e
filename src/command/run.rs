//! `shakedown run`.

use super::build::Bench;
use crate::{exit::Exit, hosting::Hosting, place::Root, progress::RunProgress, quiet};
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use shakedown_builder::Built;
use shakedown_protocol::{Meter, Plan, RunRecord, Subject, SubjectEntry};
use shakedown_report as report;
use shakedown_report::Format;
use shakedown_schedule::{Contestant, Options, PlanOptions, Session, Suite};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What a run without subjects measures.
const USUAL: [&str; 2] = ["rustls", "openssl@3.5"];

/// Builds the subjects, measures them side by side in interleaved blocks, prints a table and
/// writes record.json, report.md and report.html.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to measure: stack[@version][+variant...]; the first is what the others are
    /// compared with [default: rustls openssl@3.5]
    subjects: Vec<Subject>,
    /// Which suite, by name or as a TOML file
    #[arg(long, short, default_value = "quick", conflicts_with = "resume")]
    suite: String,
    /// Only the scenarios whose ids match (`*` matches anything); may be repeated
    #[arg(long, value_name = "GLOB", conflicts_with = "resume")]
    only: Vec<String>,
    /// Where record and reports go; must not hold a record yet [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Finish the killed run in this folder, as it was planned
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["out", "subjects"])]
    resume: Option<PathBuf>,
    /// How many rounds, instead of the suite's number
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    blocks: Option<u32>,
    /// Seed of the order within rounds [default: random, and kept in the record]
    #[arg(long, conflicts_with = "resume")]
    seed: Option<u64>,
    #[command(flatten)]
    hosting: Hosting,
    /// Print the summary as JSON instead of the table
    #[arg(long)]
    json: bool,
}

/// Measures.
///
/// # Errors
/// Bad input, failed builds, a full disk; trials that are lost are no errors.
pub fn run(args: Args) -> Result<Exit> {
    let root = Root::find()?;
    let host = args.hosting.observe()?;
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
    let bench = Bench::open(&root)?;
    let contestants = contestants(&bench, &asked)?;
    let options = options(&bench, &root, &plan, &args.hosting)?;
    let session = Session {
        id,
        shakedown: env!("CARGO_PKG_VERSION").to_owned(),
        out: out.clone(),
        plan,
        contestants,
        host,
        calibration: None,
        pki: root.pki(),
        options,
    };
    let _quiet = quiet::hold();
    let mut progress = RunProgress::new();
    let record = match resumed {
        Some(_) => shakedown_schedule::resume(session, &mut progress)?,
        None => shakedown_schedule::run(session, &mut progress)?,
    };
    progress.finish();
    show(&record, &out, args.json)
}

/// Refuses a folder that holds a run, before anything is built for it.
///
/// # Errors
/// If it does.
pub fn refuse_used(out: &Path) -> Result<()> {
    if shakedown_schedule::record_path(out).exists() {
        bail!(
            "{} holds a run already: finish it with `shakedown run --resume {0}`, or choose another folder with --out",
            out.display()
        );
    }
    Ok(())
}

/// How a plan is carried out on this host.
///
/// # Errors
/// If the heap meter is needed and does not build.
pub fn options(bench: &Bench, root: &Root, plan: &Plan, hosting: &Hosting) -> Result<Options> {
    let counts = plan.meters.contains(&Meter::Heap);
    Ok(Options {
        cpu: hosting.cpu,
        no_wait: hosting.no_wait,
        // Tests have locks of their own.
        lock: std::env::var_os("SHAKEDOWN_LOCK").map(PathBuf::from),
        heap_meter: if counts { Some(bench.heap_meter(root)?) } else { None },
        ..Options::default()
    })
}

/// Builds the subjects and asks each driver what it is.
fn contestants(bench: &Bench, asked: &[Subject]) -> Result<Vec<Contestant>> {
    let resolved = bench.resolve(asked)?;
    let built = resolved.iter().map(|subject| bench.build(subject, 1));
    enter(asked, built.collect::<Result<_>>()?)
}

/// What was built, as the record names it.
///
/// # Errors
/// If a driver does not say what it is.
pub fn enter(asked: &[Subject], built: Vec<Built>) -> Result<Vec<Contestant>> {
    let mut contestants = Vec::new();
    let mut seen = BTreeMap::<String, u32>::new();
    for (built, asked) in built.into_iter().zip(asked) {
        let binary = built.binaries.first().context("the build gave no binary")?;
        let driver = shakedown_schedule::describe(binary)?;
        // The same subject twice is an A/A: allowed, and told apart by a number.
        let count = seen.entry(built.artifact.subject.to_string()).or_default();
        *count += 1;
        let name = match count {
            1 => built.artifact.subject.to_string(),
            again => format!("{}#{again}", built.artifact.subject),
        };
        let entry = SubjectEntry { name, asked: asked.clone(), artifact: built.artifact, driver };
        contestants.push(Contestant { entry, binaries: built.binaries });
    }
    Ok(contestants)
}

/// Prints the result and writes the reports beside the record.
fn show(record: &RunRecord, out: &Path, json: bool) -> Result<Exit> {
    let summary = shakedown_summary::summarize(record);
    let report = report::Report::new(record, &summary);
    let files = write_reports(&report, out)?;
    if json {
        super::print_json(&summary.rows)?;
    } else {
        super::print(&report::table(&report))?;
    }
    name_files(&files);
    Ok(Exit::Done)
}

/// Tells where everything is: the last thing that a run says.
pub fn name_files(files: &[PathBuf]) {
    files.iter().for_each(|file| eprintln!("{}", file.display()));
}

/// Writes the reports beside the record and returns all files of the run.
///
/// # Errors
/// If the folder can't be written to.
pub fn write_reports(report: &report::Report, out: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![shakedown_schedule::record_path(out)];
    for (format, name) in [(Format::Markdown, "report.md"), (Format::Html, "report.html")] {
        let path = out.join(name);
        fs::write(&path, report.render(format)?)
            .with_context(|| format!("can't write {}", path.display()))?;
        files.push(path);
    }
    Ok(files)
}
