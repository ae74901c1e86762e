//! `shakedown gate`.

use crate::{
    exit::Exit, output::print, policies::Policies, project::ProjectRoot, record::read,
    verdict::show,
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_protocol::Scenario;
use shakedown_report::Verdicts;
use std::path::PathBuf;

/// Judges again what was measured. The same record and policy give the same verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A record.json of a comparison, or the folder that it is in
    #[arg(value_hint = ValueHint::AnyPath)]
    record: PathBuf,
    #[command(flatten)]
    policies: Policies,
    /// Show every number from the samples to the verdict of this scenario
    #[arg(long, value_name = "SCENARIO")]
    explain: Option<Scenario>,
    /// Print the judgement as JSON
    #[arg(long)]
    json: bool,
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
        print(&shakedown_gate::explain(&record, &policy, &scenario)?)?;
        return Ok(Exit::Done);
    }
    let judgement = shakedown_gate::judge(&record, &policy)?;
    show(&judgement, &Verdicts::new(&judgement, &record, None), args.json)
}
