//! `shakedown gate`.

use crate::{
    exit::Exit,
    output::print,
    policies::Policies,
    project::ProjectRoot,
    record::{read, write_judgement},
    verdict::show,
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_protocol::Scenario;
use shakedown_report::Verdicts;
use std::path::PathBuf;

/// Judges a saved comparison again. The same record and policy give the same verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The record.json of a comparison, or its folder
    #[arg(value_hint = ValueHint::AnyPath)]
    record: PathBuf,
    #[command(flatten)]
    policies: Policies,
    /// Show every step from the samples to the verdict of this scenario
    #[arg(long, value_name = "SCENARIO")]
    explain: Option<Scenario>,
    /// Print the judgement as JSON
    #[arg(long)]
    json: bool,
    /// Also write the judgement to this file, as JSON: `shakedown github` reads it with --judgement
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "explain")]
    out: Option<PathBuf>,
}

/// Judges.
///
/// # Errors
/// A record or a policy that can't be used.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let record = read(&args.record)?;
    let policy = args.policies.load(&root)?;
    if let Some(scenario) = args.explain {
        print(&shakedown_report::explain(&record, &policy, &scenario)?)?;
        return Ok(Exit::Done);
    }
    let judgement = shakedown_gate::judge(&record, &policy)?;
    if let Some(path) = &args.out {
        write_judgement(path, &judgement)?;
    }
    let verdicts = Verdicts::new(&judgement, &record, None);
    show(&args.record, &judgement, &verdicts, args.json)
}
