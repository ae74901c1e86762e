//! What is measured when a driver does not fit a revision: the benchmark program in the
//! revision's own tree.

use super::{SubjectBuilder, parts::enter};
use crate::output::say;
use crate::project::ProjectRoot;
use anyhow::Result;
use shakedown_builder::{BuildError, Incompatibility};
use shakedown_protocol::{Fallback, Incompatible, Misfit, RunPlan, Scenario, Subject};
use shakedown_schedule::{BuiltSubject, PlanOptions, Suite};

/// The suite of in-tree benchmarks.
const SUITE: &str = "intree";
/// Characters that are kept of an error.
const ERROR: usize = 400;

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

/// Builds each subject of a run. If drivers do not fit some of them, builds the in-tree benchmark
/// of all. Where not every subject has one, those that fit are measured as planned, and the in-tree
/// benchmarks of the others apart from them, in a run of their own. `wanted` tells what is built
/// for what was asked for.
///
/// # Errors
/// Failed builds; if nothing can be measured, the error of the first driver.
pub fn each_or_in_tree(
    root: &ProjectRoot,
    mut planned: Planned,
    asked: &[Subject],
    open: Open<'_>,
    wanted: &dyn Fn(&SubjectBuilder, &[Subject]) -> Vec<Subject>,
) -> Result<(Prepared, Option<Prepared>)> {
    let builder = open(&planned.plan.scenarios)?;
    let (mut fit, mut built, mut misfits, mut errors) = (vec![], vec![], vec![], vec![]);
    let resolved = builder.resolve(&wanted(&builder, asked))?;
    for (one, asked) in builder.build_each(&resolved)?.into_iter().zip(asked) {
        match one {
            Ok(one) => {
                fit.push(asked.clone());
                built.push(one);
            }
            Err(error) => {
                let error = anyhow::Error::from(error);
                match incompatible(&error, std::slice::from_ref(asked)) {
                    Some(incompatible) if !planned.strict => misfits.push(incompatible),
                    _ => return Err(error),
                }
                errors.push(error);
            }
        }
    }
    if misfits.is_empty() {
        let subjects = enter(&fit, built)?;
        return Ok((Prepared { plan: planned.plan, builder, subjects }, None));
    }
    errors.iter().for_each(|error| say(format_args!("{error:#}")));
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
    match in_tree(asked) {
        Ok(all) => {
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
    let subjects = enter(&fit, built)?;
    Ok((Prepared { plan: planned.plan, builder, subjects }, apart))
}

/// What does not fit, if the driver is to blame for a failed build and not the library.
fn incompatible(error: &anyhow::Error, asked: &[Subject]) -> Option<Incompatible> {
    let build = error.chain().find_map(|cause| cause.downcast_ref::<BuildError>());
    let Some(BuildError::Incompatible { subject, revision, why, .. }) = build else { return None };
    let resolved: Option<Subject> = subject.parse().ok();
    let named = match asked {
        [only] => Some(only.clone()),
        several => several.iter().find(|one| one.to_string() == *subject).cloned(),
    };
    let subject = named.or_else(|| resolved.clone())?;
    Some(Incompatible {
        resolved: resolved.unwrap_or_else(|| subject.clone()),
        subject,
        revision: revision.clone(),
        misfit: misfit(why),
        error: why.first_error().chars().take(ERROR).collect(),
    })
}

fn misfit(why: &Incompatibility) -> Misfit {
    match why {
        Incompatibility::Surface { surface, .. } => Misfit::Surface(surface.clone()),
        Incompatibility::Compile { .. } => Misfit::Compile,
        Incompatibility::Facts { scenario, .. } => {
            scenario.parse().map_or(Misfit::Compile, Misfit::Facts)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(why: Incompatibility) -> anyhow::Error {
        let subject = "rustls@git:0123456789abcdef0123456789abcdef01234567+ring".to_owned();
        let revision = Some("0123456789abcdef0123456789abcdef01234567".to_owned());
        let build =
            BuildError::Incompatible { subject, revision, why: Box::new(why), log: "x".into() };
        anyhow::Error::from(build).context("base")
    }

    #[test]
    fn only_a_driver_that_does_not_fit_falls_back() {
        let asked: [Subject; 1] = ["rustls@git:HEAD+ring".parse().unwrap()];
        let surface = Incompatibility::Surface {
            surface: "io".to_owned(),
            fits: Vec::new(),
            error: format!("error[E0599]: {}\n --> x.rs", "é".repeat(500)),
        };
        let found = incompatible(&error(surface), &asked).unwrap();
        assert_eq!(found.subject, asked[0]);
        assert!(found.resolved.to_string().contains("0123456789abcdef"), "{}", found.resolved);
        assert_eq!(found.misfit, Misfit::Surface("io".to_owned()));
        assert_eq!(found.error.chars().count(), ERROR);
        let compile = Incompatibility::Compile { error: "E0599".to_owned() };
        assert_eq!(incompatible(&error(compile), &asked).unwrap().misfit, Misfit::Compile);
        let network = BuildError::Network { what: "x".to_owned(), tail: String::new() };
        assert_eq!(incompatible(&network.into(), &asked), None);
        assert_eq!(incompatible(&anyhow::anyhow!("no such suite"), &asked), None);
    }

    #[test]
    fn of_two_subjects_the_one_that_was_built_is_named() {
        let facts = || Incompatibility::Facts {
            scenario: "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256".to_owned(),
            error: "no group".to_owned(),
        };
        let commit = "rustls@git:0123456789abcdef0123456789abcdef01234567+ring";
        let head: Subject = "rustls@git:HEAD".parse().unwrap();
        let asked = [head.clone(), commit.parse().unwrap()];
        let found = incompatible(&error(facts()), &asked).unwrap();
        assert_eq!(found.subject, asked[1]);
        assert!(matches!(found.misfit, Misfit::Facts(_)));
        let found = incompatible(&error(facts()), &[head.clone(), head]).unwrap();
        assert_eq!(found.subject.to_string(), commit);
    }
}
