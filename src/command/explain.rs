//! `shakedown explain`.

use crate::{
    exit::Exit,
    explain::{ExplainOptions, explain_comparison},
    output::{name_files, print, print_json},
    policies::Policies,
    project::ProjectRoot,
    record::{judgement_beside, read, write_explanation},
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_protocol::Scenario;
use std::path::PathBuf;

/// Names the functions and allocation sites behind what a comparison found. Profiles base and head of
/// each scenario that changed, with valgrind's tools callgrind and DHAT, and writes explanation.json
/// beside the record; reports made after that show it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The record.json of a comparison, or its folder
    #[arg(value_hint = ValueHint::AnyPath)]
    record: PathBuf,
    /// Explain only this scenario, even if it did not change; may be repeated
    #[arg(long, value_name = "SCENARIO")]
    only: Vec<Scenario>,
    /// Profile at most this many scenarios, those with the largest changes; each takes about 10 seconds
    #[arg(long, value_name = "N", default_value_t = 8)]
    most: usize,
    #[command(flatten)]
    policies: Policies,
    /// Print the explanation as JSON
    #[arg(long)]
    json: bool,
}

/// Explains.
///
/// # Errors
/// A record that is no comparison, or subjects that can't be built again.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let record = read(&args.record)?;
    let judgement = match judgement_beside(&args.record, &record) {
        Some(judgement) => judgement,
        None => shakedown_gate::judge(&record, &args.policies.load(&root)?)?,
    };
    let options = ExplainOptions { most: args.most, all: !args.only.is_empty(), only: args.only };
    let explanation = explain_comparison(&root, &args.record, &record, &judgement, &options)?;
    if args.json {
        print_json(&explanation)?;
    } else {
        print(&shakedown_report::explanation_text(&shakedown_report::Why::new(&explanation)))?;
    }
    let folder = if args.record.is_dir() { Some(&*args.record) } else { args.record.parent() };
    if let Some(folder) = folder {
        name_files(&write_explanation(folder, &explanation)?);
    }
    Ok(Exit::Done)
}
