//! What is measured when a driver does not fit a revision: the benchmark program in the
//! revision's own tree.

use super::{
    SubjectBuilder,
    build_results::{BuildResults, incompatible},
    parts::enter,
};
use crate::{output::say, project::ProjectRoot};
use anyhow::Result;
use shakedown_protocol::{Fallback, Incompatible, RunPlan, Scenario, Subject};
use shakedown_schedule::{BuiltSubject, PlanOptions, Suite};

/// The suite of in-tree benchmarks.
const SUITE: &str = "intree";

/// What an in-tree benchmark can't give, for people.
const LIMITS: &str =
    "no wire facts, no counts, no choice of group, and not comparable with numbers of our drivers";

/// A plan, and what a plan in its place needs to know.
pub struct Planned {
    /// What was asked for.
    pub plan: RunPlan,
    /// Globs over scenario ids that were asked for.
    pub only: Vec<String>,
    /// Rounds that were asked for, instead of the suite's.
    pub blocks: Option<u32>,
    /// Whether nothing else may be measured: a killed run is finished as it was planned.
    pub strict: bool,
}

impl Planned {
    /// The plan of in-tree benchmarks in the place of this one.
    fn in_tree(&self, root: &ProjectRoot, subjects: Vec<Incompatible>) -> Result<RunPlan> {
        let suite = Suite::load(&root.catalog().join("suites"), SUITE)?;
        let seed = Some(self.plan.seed);
        let mut plan = suite.plan(&PlanOptions { seed, blocks: self.blocks, only: Vec::new() })?;
        let (suite, only) = (self.plan.suite.clone(), self.only.clone());
        plan.budget = self.plan.budget;
        plan.fallback = Some(Fallback { suite, only, subjects });
        Ok(plan)
    }
}

/// A plan, and what it is carried out with.
pub struct Prepared {
    pub plan: RunPlan,
    pub builder: SubjectBuilder,
    pub subjects: Vec<BuiltSubject>,
}

/// Opens what builds the subjects of these scenarios.
type Open<'a> = &'a dyn Fn(&[Scenario]) -> Result<SubjectBuilder>;

/// Builds base and head. If a driver does not fit one of them, builds the in-tree benchmark of
/// both, with a plan in the place of the one asked for; numbers of two harnesses can't be compared.
///
/// # Errors
/// Failed builds; if both ways fail, the error of the driver.
pub fn both_or_in_tree(
    root: &ProjectRoot,
    planned: Planned,
    asked: &[Subject],
    open: Open<'_>,
    build: &dyn Fn(&SubjectBuilder) -> Result<Vec<BuiltSubject>>,
) -> Result<Prepared> {
    let builder = open(&planned.plan.scenarios)?;
    let error = match build(&builder) {
        Ok(subjects) => return Ok(Prepared { plan: planned.plan, builder, subjects }),
        Err(error) => error,
    };
    let incompatible = match incompatible(&error, asked) {
        Some(incompatible) if !planned.strict => incompatible,
        _ => return Err(error),
    };
    let plan = planned.in_tree(root, vec![incompatible])?;
    say(format_args!(
        "{error:#}\nMeasuring every subject with its in-tree benchmark instead (suite {SUITE}): {LIMITS}"
    ));
    let builder = open(&plan.scenarios)?;
    match build(&builder) {
        Ok(subjects) => Ok(Prepared { plan, builder, subjects }),
        // The first error is the one to act on, and decides the exit code.
        Err(second) => {
            say(format_args!("The in-tree benchmarks can't be measured either: {second:#}"));
            Err(error)
        }
    }
}

/// Builds each subject of a run. A subject that does not build is named in the plan, and the others
/// are measured without it. If drivers do not fit some of them, builds the in-tree benchmark
/// of all. Where not every subject has one, those that fit are measured as planned, and the in-tree
/// benchmarks of the others apart from them, in a run of their own. `wanted` tells what is built
/// for what was asked for.
///
/// # Errors
/// A full disk; if nothing can be measured, the first failed build.
pub fn each_or_in_tree(
    root: &ProjectRoot,
    mut planned: Planned,
    asked: &[Subject],
    open: Open<'_>,
    wanted: &dyn Fn(&SubjectBuilder, &[Subject]) -> Vec<Subject>,
) -> Result<(Prepared, Option<Prepared>)> {
    let builder = open(&planned.plan.scenarios)?;
    let resolved = builder.resolve(&wanted(&builder, asked))?;
    let results = builder.build_each(&resolved);
    let BuildResults { fit, built, misfits, failed, mut errors } =
        BuildResults::sorted(results, asked, planned.strict)?;
    if misfits.is_empty() && fit.is_empty() && !errors.is_empty() {
        return Err(errors.swap_remove(0));
    }
    errors.iter().for_each(|error| say(format_args!("{error:#}")));
    if !failed.is_empty() {
        let names: Vec<String> = failed.iter().map(|one| one.subject.to_string()).collect();
        say(format_args!("Measuring without {}: not built", names.join(", ")));
    }
    let asked: Vec<Subject> = {
        let is_built = |one: &&Subject| failed.iter().all(|failed| failed.subject != **one);
        asked.iter().filter(is_built).cloned().collect()
    };
    if misfits.is_empty() {
        planned.plan.not_built.extend(failed);
        let subjects = enter(&fit, built)?;
        return Ok((Prepared { plan: planned.plan, builder, subjects }, None));
    }
    let in_tree = |asked: &[Subject]| -> Result<Prepared> {
        let plan = planned.in_tree(root, misfits.clone())?;
        let builder = open(&plan.scenarios)?;
        let mut subjects = wanted(&builder, asked);
        // A branch may move on between the two builds.
        for (subject, asked) in subjects.iter_mut().zip(asked) {
            if let Some(misfit) = misfits.iter().find(|misfit| misfit.subject == *asked) {
                subject.version.clone_from(&misfit.resolved.version);
            }
        }
        let subjects = enter(asked, builder.build(&builder.resolve(&subjects)?, 1)?)?;
        Ok(Prepared { plan, builder, subjects })
    };
    match in_tree(&asked) {
        Ok(mut all) => {
            all.plan.not_built = failed;
            say(format_args!(
                "Measuring every subject with its in-tree benchmark instead (suite {SUITE}): {LIMITS}"
            ));
            return Ok((all, None));
        }
        Err(error) if fit.is_empty() => {
            say(format_args!("The in-tree benchmarks can't be measured either: {error:#}"));
            return Err(errors.swap_remove(0));
        }
        Err(_) => {}
    }
    let left: Vec<Subject> = misfits.iter().map(|misfit| misfit.subject.clone()).collect();
    let names = left.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let apart = match in_tree(&left) {
        Ok(apart) => {
            say(format_args!(
                "Measuring the in-tree benchmark of {names} apart from the others (suite {SUITE}): {LIMITS}"
            ));
            Some(apart)
        }
        Err(error) => {
            say(format_args!(
                "Measuring without {names}: the in-tree benchmark can't be measured either: {error:#}"
            ));
            None
        }
    };
    planned.plan.left_out = misfits;
    planned.plan.not_built.extend(failed);
    let subjects = enter(&fit, built)?;
    Ok((Prepared { plan: planned.plan, builder, subjects }, apart))
}
