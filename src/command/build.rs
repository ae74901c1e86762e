//! `shakedown build`.

use crate::{
    exit::Exit,
    output::{print, print_json},
    project::ProjectRoot,
    session::SubjectBuilder,
};
use anyhow::Result;
use serde::Serialize;
use shakedown_builder::BuildFacts;
use shakedown_protocol::Subject;
use std::path::PathBuf;

/// Builds the drivers of subjects from source and prints their paths. A build with the same source,
/// flags and compiler comes from the cache.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Subjects: stack[@version][+variant...]
    #[arg(required = true)]
    subjects: Vec<Subject>,
    /// Number of binaries per driver, each linked with another order of sections
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    links: u32,
    /// Only fetch sources and crates, so that these subjects can be built and measured without network
    /// (CARGO_NET_OFFLINE=true); compile nothing
    #[arg(long, conflicts_with_all = ["links", "json"])]
    fetch_only: bool,
    /// With --fetch-only: for the driver in this folder of a subject's tree, if there is one
    #[arg(long, value_name = "FOLDER", requires = "fetch_only")]
    own_driver: Option<String>,
    /// Print artifacts and paths as JSON, with the sizes of program and library and how long they took to
    /// compile (`facts`; null for what was built by an older version)
    #[arg(long)]
    json: bool,
}

/// One entry of `--json`.
#[derive(Serialize)]
struct BuiltSubjectLine<'a> {
    asked: &'a Subject,
    cached: bool,
    binaries: &'a [PathBuf],
    artifact: &'a shakedown_protocol::Artifact,
    facts: &'a Option<BuildFacts>,
}

/// Builds the subjects.
///
/// # Errors
/// Unknown subjects and failed builds.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let builder = SubjectBuilder::open(&root)?.with_own_driver(args.own_driver);
    if args.fetch_only {
        builder.fetch(&args.subjects)?;
        return Ok(Exit::Done);
    }
    let resolved = builder.resolve(&args.subjects)?;
    let lines = builder.build(&resolved, args.links)?;
    if args.json {
        let lines: Vec<BuiltSubjectLine<'_>> = lines
            .iter()
            .zip(&args.subjects)
            .map(|(built, asked)| BuiltSubjectLine {
                asked,
                cached: built.cached,
                binaries: &built.binaries,
                artifact: &built.artifact,
                facts: &built.facts,
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
