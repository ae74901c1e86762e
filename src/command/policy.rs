//! `shakedown policy`.

use crate::{
    exit::Exit,
    output::{print, print_json},
    policies::Policies,
    project::ProjectRoot,
};
use anyhow::Result;
use serde_json::json;
use shakedown_gate::Policy;

/// Checks a policy and what is accepted beside it, and says what it allows.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    policies: Policies,
    /// Print only the folder of the policy's own driver; nothing if it has none
    #[arg(long, conflicts_with = "json")]
    own_driver: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Checks.
///
/// # Errors
/// What is wrong with the policy, with file and line.
pub fn run(args: Args) -> Result<Exit> {
    let policy = args.policies.load(&ProjectRoot::find()?)?;
    if args.json {
        print_json(&json!({
            "file": policy.file, "budget": policy.budget, "false_alarms": policy.false_alarms,
            "accepted": policy.accepted.len(), "own_driver": policy.own_driver,
        }))?;
    } else if args.own_driver {
        print(&policy.own_driver.map_or_else(String::new, |folder| format!("{folder}\n")))?;
    } else {
        print(&text(&policy))?;
    }
    Ok(Exit::Done)
}

fn text(policy: &Policy) -> String {
    let budget = &policy.budget;
    let driver = policy.own_driver.as_deref().map_or_else(
        || "the project's own".to_owned(),
        |folder| format!("{folder} of each revision, where it has that folder"),
    );
    format!(
        "{} is sound\nbudget    {} blocks of {} pairs, {} minutes\naccepted  {} regressions\ndriver    {driver}\n",
        shakedown_report::plain(&policy.file),
        budget.blocks,
        budget.pairs,
        budget.minutes,
        policy.accepted.len(),
    )
}
