//! `shakedown build`.

use crate::{
    exit::Exit,
    output::{print, print_json},
    project::ProjectRoot,
    session::SubjectBuilder,
};
use anyhow::Result;
use serde::Serialize;
use shakedown_protocol::Subject;
use std::path::PathBuf;

/// Builds the drivers of subjects from source and prints where they are. What was built
/// before, from the same source with the same flags and compiler, comes from the cache.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to build: stack[@version][+variant...]
    #[arg(required = true)]
    subjects: Vec<Subject>,
    /// Link each driver so many times, with its sections in another order each time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    links: u32,
    /// Print artifacts and paths as JSON
    #[arg(long)]
    json: bool,
}

/// One line of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    asked: &'a Subject,
    cached: bool,
    binaries: &'a [PathBuf],
    artifact: &'a shakedown_protocol::Artifact,
}

/// Builds.
///
/// # Errors
/// Unknown subjects and failed builds.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let bench = SubjectBuilder::open(&root)?;
    let resolved = bench.resolve(&args.subjects)?;
    let lines = bench.build(&resolved, args.links)?;
    if args.json {
        let lines: Vec<Line<'_>> = lines
            .iter()
            .zip(&args.subjects)
            .map(|(built, asked)| Line {
                asked,
                cached: built.cached,
                binaries: &built.binaries,
                artifact: &built.artifact,
            })
            .collect();
        print_json(&lines)?;
    } else {
        for built in &lines {
            for binary in &built.binaries {
                print(&format!("{}\t{}\n", built.artifact.subject, binary.display()))?;
            }
        }
    }
    Ok(Exit::Done)
}
