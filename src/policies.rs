//! The policies by which a command judges.

use crate::{clock::today, project::ProjectRoot};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_gate::{Policy, policy::KnownNames};
use shakedown_schedule::Suite;
use std::{collections::BTreeSet, fs, path::PathBuf};

/// The policies of a judgement.
#[derive(Debug, clap::Args)]
pub struct Policies {
    /// The policy [default: thresholds/pr.toml of the project]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    policy: Option<PathBuf>,
    /// Accepted regressions [default: thresholds/accepted.toml of the project]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    accepted: Option<PathBuf>,
}

impl Policies {
    /// The same policies, as arguments.
    pub fn arguments(&self) -> Vec<String> {
        let given = [("--policy", &self.policy), ("--accepted", &self.accepted)];
        let given = given.into_iter().filter_map(|(name, path)| path.as_ref().map(|p| (name, p)));
        given.flat_map(|(name, path)| [name.to_owned(), path.display().to_string()]).collect()
    }

    /// Their files: the policy, then the accepted regressions.
    pub fn paths(&self, root: &ProjectRoot) -> [PathBuf; 2] {
        let folder = root.path().join("thresholds");
        let path = |given: &Option<PathBuf>, name: &str| {
            given.clone().unwrap_or_else(|| folder.join(name))
        };
        [path(&self.policy, "pr.toml"), path(&self.accepted, "accepted.toml")]
    }

    /// Reads and checks the files.
    ///
    /// # Errors
    /// Names file and line of a mistake.
    pub fn load(&self, root: &ProjectRoot) -> Result<Policy> {
        let read = |path: PathBuf| {
            let text = fs::read_to_string(&path);
            text.map(|text| (text, path.display().to_string()))
                .with_context(|| format!("can't read {}", path.display()))
        };
        let [policy, accepted] = self.paths(root);
        let (text, file) = read(policy)?;
        let (accepted, accepted_file) = read(accepted)?;
        let policy =
            Policy::parse(&text, &file)?.with_accepted(&accepted, &accepted_file, today()?)?;
        policy.check(&known(root)?)?;
        Ok(policy)
    }
}

/// Every scenario and stack that a policy can name.
fn known(root: &ProjectRoot) -> Result<KnownNames> {
    let folder = root.catalog().join("suites");
    let mut scenarios = BTreeSet::new();
    for name in Suite::names(&folder)? {
        scenarios.extend(Suite::load(&folder, &name)?.scenarios);
    }
    let catalog = shakedown_builder::Catalog::load(&root.catalog())?;
    Ok(KnownNames {
        scenarios: scenarios.into_iter().collect(),
        stacks: catalog.stacks().map(|stack| stack.name.clone()).collect(),
    })
}
