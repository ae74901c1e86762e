//! `shakedown study`.

use crate::{
    exit::Exit,
    host_options::HostOptions,
    output::{name_files, print, print_json},
    project::ProjectRoot,
    study::{StudyOptions, conduct, known},
};
use anyhow::Result;
use clap::ValueHint;
use serde::Serialize;
use shakedown_report::{Screen, columns, study_text};
use shakedown_study::{Study, StudyMode};
use std::{collections::BTreeSet, path::PathBuf};

/// Measures a published claim again: published against measured, side by side, and a verdict on each
/// claim by its interval. Without --full it takes seconds, shows that it works, and decides exact counts
/// only. Writes verdicts.md and verdicts.json, and a folder with record and reports for each run.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Study to measure; `list` shows all of them [default: list]
    #[arg(value_name = "NAME")]
    study: Option<String>,
    /// Measure long enough to decide
    #[arg(long, conflicts_with = "resume")]
    full: bool,
    /// Folder for records and verdicts; must not contain a study [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Finish the interrupted study in this folder, or judge a finished one again
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "out")]
    resume: Option<PathBuf>,
    /// Judge the records in this folder, one folder for each run of the study, and measure nothing
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "study", conflicts_with_all = ["out", "resume"])]
    judge: Option<PathBuf>,
    #[command(flatten)]
    host_options: HostOptions,
    /// Print the verdicts as JSON instead of the tables
    #[arg(long)]
    json: bool,
}

/// Measures and judges, or lists.
///
/// # Errors
/// Bad input, failed builds, a full disk. A refuted claim is no error.
pub fn run(args: Args) -> Result<Exit> {
    let listed = args.study.as_deref().map_or(args.resume.is_none(), |name| name == "list");
    if listed {
        return list(args.json);
    }
    let options = StudyOptions {
        name: args.study,
        mode: if args.full { StudyMode::Full } else { StudyMode::Tiny },
        out: args.out,
        resume: args.resume,
        judge: args.judge,
        host_options: args.host_options,
    };
    let (judgement, files) = conduct(&options)?;
    if args.json {
        print_json(&judgement)?;
    } else {
        print(&study_text(&judgement, Screen::stdout()))?;
    }
    name_files(&files);
    Ok(Exit::Done)
}

/// A study as `list` shows it.
#[derive(Debug, Serialize)]
struct ListedStudy {
    study: String,
    claims: usize,
    question: String,
    runs: Vec<String>,
    subjects: BTreeSet<String>,
}

impl ListedStudy {
    fn new(study: Study) -> Self {
        let subjects = study.runs.iter().flat_map(|run| &run.subjects).map(ToString::to_string);
        Self {
            subjects: subjects.collect(),
            runs: study.runs.into_iter().map(|run| run.id).collect(),
            study: study.name,
            claims: study.claims.len(),
            question: study.question,
        }
    }
}

fn list(json: bool) -> Result<Exit> {
    let studies = known(&ProjectRoot::find()?)?;
    let listed: Vec<ListedStudy> = studies.into_iter().map(ListedStudy::new).collect();
    if json {
        print_json(&listed)?;
        return Ok(Exit::Done);
    }
    let row = |one: ListedStudy| vec![one.study, one.claims.to_string(), one.question];
    let rows: Vec<Vec<String>> = listed.into_iter().map(row).collect();
    print(&columns(&["study", "claims", "question"], 3, &rows))?;
    Ok(Exit::Done)
}
