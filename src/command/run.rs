//! `shakedown run`.

use crate::{
    exit::Exit,
    host_options::HostOptions,
    output::{name_files, print, print_json},
    record::page_beside,
    session::{
        run::{MeasuredRun, RunOptions, measure},
        write_reports,
    },
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_protocol::Subject;
use shakedown_report::{Report, Screen};
use std::path::PathBuf;

/// Builds the subjects, measures them side by side in interleaved blocks, prints a table and
/// writes record.json, report.md and report.html. If the driver does not fit a subject, the
/// benchmark program in the subject's own tree measures it. A subject that does not build is left
/// out and named in the report; the exit code is then 3.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Subjects to measure: stack[@version][+variant...]; the first is the baseline of the others
    /// [default: rustls openssl@3.5]
    subjects: Vec<Subject>,
    /// Suite, by name or as a TOML file. With @sha256: and at least 12 digits of a digest behind it, a
    /// file with another digest is refused
    #[arg(long, short, default_value = "quick", conflicts_with = "resume")]
    suite: String,
    /// Measure only scenarios whose ids match (`*` matches anything); may be repeated
    #[arg(long, value_name = "GLOB", conflicts_with = "resume")]
    only: Vec<String>,
    /// Folder for the record and the reports; must not contain a record [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Finish the interrupted run in this folder, as planned
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["out", "subjects"])]
    resume: Option<PathBuf>,
    /// Number of blocks [default: the suite's]
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    blocks: Option<u32>,
    /// Build each subject as named. By default, subjects of several stacks are built as their
    /// stacks' reference builds, which `shakedown catalog list` shows
    #[arg(long, conflicts_with = "resume")]
    as_named: bool,
    /// Use the driver in this folder of a subject's tree, if there is one, like `[driver] path` of a
    /// policy
    #[arg(long, value_name = "FOLDER", conflicts_with = "resume")]
    own_driver: Option<String>,
    /// Seed of the order within blocks [default: random, saved in the record]
    #[arg(long, conflicts_with = "resume")]
    seed: Option<u64>,
    #[command(flatten)]
    host_options: HostOptions,
    /// Print the summary as JSON instead of the table
    #[arg(long)]
    json: bool,
}

/// Measures.
///
/// # Errors
/// Bad input, a full disk, no subject that builds; trials that are lost are no errors.
pub fn run(args: Args) -> Result<Exit> {
    let options = RunOptions {
        subjects: args.subjects,
        suite: args.suite,
        only: args.only,
        out: args.out,
        resume: args.resume,
        blocks: args.blocks,
        as_named: args.as_named,
        own_driver: args.own_driver,
        seed: args.seed,
        host_options: args.host_options,
        ..RunOptions::default()
    };
    let (measured, apart) = measure(&options)?;
    show(&[Some(measured), apart].into_iter().flatten().collect::<Vec<_>>(), args.json)
}

/// Prints the results and writes the reports beside each record.
fn show(all: &[MeasuredRun], json: bool) -> Result<Exit> {
    let (mut rows, mut files) = (Vec::new(), Vec::new());
    for (record, out) in all {
        let summary = shakedown_summary::summarize(record);
        let report = Report::new(record, &summary);
        files.extend(write_reports(&report, out)?);
        if !json {
            print(&report.text(Screen::stdout(), &page_beside(out)))?;
        }
        rows.extend(summary.rows);
    }
    if json {
        print_json(&rows)?;
    }
    name_files(&files);
    let whole = all.iter().all(|(record, _)| record.plan.not_built.is_empty());
    Ok(if whole { Exit::Done } else { Exit::Build })
}
