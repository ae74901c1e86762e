//! `shakedown gate`.

use crate::{exit::Exit, place::Root};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_gate::{
    Judgement, Policy,
    policy::{Date, Known},
};
use shakedown_protocol::Scenario;
use shakedown_report::Verdicts;
use shakedown_schedule::Suite;
use std::{
    collections::BTreeSet,
    fs,
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

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

/// By what is judged.
#[derive(Debug, clap::Args)]
pub struct Policies {
    /// The policy [default: thresholds/pr.toml of the project]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    policy: Option<PathBuf>,
    /// Known regressions that are accepted [default: thresholds/accepted.toml of the project]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    accepted: Option<PathBuf>,
}

impl Policies {
    /// Where they are: the policy, then what is accepted.
    pub fn paths(&self, root: &Root) -> [PathBuf; 2] {
        let folder = root.path().join("thresholds");
        let path = |given: &Option<PathBuf>, name: &str| {
            given.clone().unwrap_or_else(|| folder.join(name))
        };
        [path(&self.policy, "pr.toml"), path(&self.accepted, "accepted.toml")]
    }

    /// Reads and checks them.
    ///
    /// # Errors
    /// What is wrong with them, with file and line.
    pub fn load(&self, root: &Root) -> Result<Policy> {
        let read = |path: PathBuf| {
            let text = fs::read_to_string(&path);
            text.map(|text| (text, path.display().to_string()))
                .with_context(|| format!("can't read {}", path.display()))
        };
        let [policy, accepted] = self.paths(root);
        let (text, file) = read(policy)?;
        let (accepted, accepted_file) = read(accepted)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let today = Date::from_unix_ms(u64::try_from(now).unwrap_or(u64::MAX));
        let policy =
            Policy::parse(&text, &file)?.with_accepted(&accepted, &accepted_file, today)?;
        policy.check(&known(root)?)?;
        Ok(policy)
    }
}

/// Every scenario and stack that a policy may speak of.
fn known(root: &Root) -> Result<Known> {
    let folder = root.catalog().join("suites");
    let mut scenarios = BTreeSet::new();
    for name in Suite::names(&folder)? {
        scenarios.extend(Suite::load(&folder, &name)?.scenarios);
    }
    let catalog = shakedown_builder::Catalog::load(&root.catalog())?;
    Ok(Known {
        scenarios: scenarios.into_iter().collect(),
        stacks: catalog.stacks().map(|stack| stack.name.clone()).collect(),
    })
}

/// Judges.
///
/// # Errors
/// A record or a policy that can't be used.
pub fn run(args: Args) -> Result<Exit> {
    let root = Root::find()?;
    let record = super::report::read(&args.record)?;
    let policy = args.policies.load(&root)?;
    if let Some(scenario) = args.explain {
        super::print(&shakedown_gate::explain(&record, &policy, &scenario)?)?;
        return Ok(Exit::Done);
    }
    let judgement = shakedown_gate::judge(&record, &policy)?;
    show(&judgement, &Verdicts::new(&judgement, &record, None), args.json)
}

/// Prints a judgement and turns it into an exit code.
///
/// # Errors
/// When nobody reads it.
pub fn show(judgement: &Judgement, verdicts: &Verdicts, json: bool) -> Result<Exit> {
    if json {
        super::print_json(judgement)?;
    } else {
        super::print(&verdicts.text())?;
    }
    Ok(match judgement.exit_code {
        0 => Exit::Done,
        5 => Exit::Inconclusive,
        _ => Exit::Regressed,
    })
}
