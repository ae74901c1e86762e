//! `shakedown profile`.

use crate::{
    exit::Exit, explain::profile_sides, output::print, project::ProjectRoot,
    session::SubjectBuilder,
};
use anyhow::{Context, Result};
use shakedown_protocol::{Scenario, Subject};
use shakedown_schedule::{PlanOptions, ProfiledScenario, Suite};

/// Shows where one scenario of one subject spends its instructions: the functions of the client and of
/// the server, with their own instructions and with what they call. Counted by callgrind.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Subject to profile: stack[@version][+variant...]
    subject: Subject,
    /// Scenario, by its id
    scenario: Scenario,
    /// Show this many functions of each side
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
}

/// Profiles.
///
/// # Errors
/// A subject that does not build, or a scenario that it does not do.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let builder = SubjectBuilder::open(&root)?;
    let subjects = builder.resolve(&[args.subject])?;
    let built = builder.build(&subjects, 1)?;
    let built = built.first().context("there is nothing to profile")?;
    let binary = built.binaries.first().context("the build gave no binary")?;
    // Operations, tickets and time limit as suite `pr` has them.
    let suite = Suite::load(&root.catalog().join("suites"), "pr")?;
    let plan = suite.plan(&PlanOptions::default())?;
    let sides = profile_sides(ProfiledScenario {
        binary,
        environment: &built.artifact.run_environment,
        pki: &root.pki(),
        plan: &plan,
        scenario: &args.scenario,
    })?;
    let name = built.artifact.subject.to_string();
    print(&shakedown_report::profile_text(&name, &args.scenario, &sides, args.most))?;
    Ok(Exit::Done)
}
