//! What is measured when the driver does not fit a revision: the benchmark program in the
//! revision's own tree, for every subject of the run.

use super::SubjectBuilder;
use crate::project::ProjectRoot;
use anyhow::Result;
use shakedown_builder::BuildError;
use shakedown_protocol::{RunPlan, Scenario};
use shakedown_schedule::{BuiltSubject, PlanOptions, Suite};

/// The suite of in-tree benchmarks.
const SUITE: &str = "intree";

/// A plan, and what a plan in its place needs to know.
pub struct Planned {
    /// What was asked for.
    pub plan: RunPlan,
    /// Rounds that were asked for, instead of the suite's.
    pub blocks: Option<u32>,
    /// Whether a record exists that must be finished as it was planned.
    pub resuming: bool,
}

/// Builds the subjects of a plan. If a driver does not fit one of them, builds the in-tree
/// benchmark of all of them, with a plan in the place of the one asked for; all, for numbers of
/// two harnesses can't be compared.
///
/// # Errors
/// Failed builds; if both ways fail, the error of the driver.
pub fn or_in_tree(
    root: &ProjectRoot,
    planned: Planned,
    open: &dyn Fn(&[Scenario]) -> Result<SubjectBuilder>,
    build: &dyn Fn(&SubjectBuilder) -> Result<Vec<BuiltSubject>>,
) -> Result<(RunPlan, SubjectBuilder, Vec<BuiltSubject>)> {
    let plan = planned.plan;
    let builder = open(&plan.scenarios)?;
    let error = match build(&builder) {
        Ok(subjects) => return Ok((plan, builder, subjects)),
        Err(error) if planned.resuming || !misfit(&error) => return Err(error),
        Err(error) => error,
    };
    let suite = Suite::load(&root.catalog().join("suites"), SUITE)?;
    let options = PlanOptions { seed: Some(plan.seed), blocks: planned.blocks, only: Vec::new() };
    let instead = suite.plan(&options)?;
    eprintln!(
        "{error:#}\nMeasuring every subject with its in-tree benchmark instead (suite {SUITE}): no wire facts, \
         no counts, no choice of group, and not comparable with numbers of our drivers"
    );
    let builder = open(&instead.scenarios)?;
    match build(&builder) {
        Ok(subjects) => Ok((instead, builder, subjects)),
        // The first error is the one to act on, and decides the exit code.
        Err(second) => {
            eprintln!("The in-tree benchmarks can't be measured either: {second:#}");
            Err(error)
        }
    }
}

/// Whether the driver is to blame for a failed build, and not the library.
fn misfit(error: &anyhow::Error) -> bool {
    let build = error.chain().find_map(|cause| cause.downcast_ref::<BuildError>());
    matches!(build, Some(BuildError::Incompatible { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_builder::Incompatibility;

    #[test]
    fn only_a_driver_that_does_not_fit_falls_back() {
        let why = Box::new(Incompatibility::Compile { error: "E0599".to_owned() });
        let subject = "rustls@git:x".to_owned();
        let log = "x.log".into();
        let misfits = BuildError::Incompatible { subject, revision: None, why, log };
        assert!(misfit(&anyhow::Error::from(misfits).context("base")));
        let network = BuildError::Network { what: "x".to_owned(), tail: String::new() };
        assert!(!misfit(&network.into()));
        assert!(!misfit(&anyhow::anyhow!("no such suite")));
    }
}
