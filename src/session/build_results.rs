//! What became of the builds of a run's subjects: built, did not build, or the driver does not fit.

use anyhow::{Error, Result};
use shakedown_builder::{BuildError, BuiltArtifact, Incompatibility};
use shakedown_protocol::{FailedBuild, Incompatible, Misfit, Subject};
use shakedown_report::{plain, start};

/// Characters that are kept of an error, or of a line of a log.
const ERROR: usize = 400;
/// Last lines that are kept of a log.
const LINES: usize = 12;

/// What became of each.
#[derive(Debug, Default)]
pub struct BuildResults {
    /// The subjects that were built, as asked for.
    pub fit: Vec<Subject>,
    /// What was built for them.
    pub built: Vec<BuiltArtifact>,
    /// The subjects that their drivers do not fit.
    pub misfits: Vec<Incompatible>,
    /// The subjects that did not build, each once.
    pub failed: Vec<FailedBuild>,
    /// The errors of these two, in the order of the subjects.
    pub errors: Vec<Error>,
}

impl BuildResults {
    /// Sorts the results of building what was `asked` for.
    ///
    /// # Errors
    /// The first failed build where all must be built (`strict`), or one that says nothing of its subject.
    pub fn sorted(
        results: Vec<Result<BuiltArtifact, BuildError>>,
        asked: &[Subject],
        strict: bool,
    ) -> Result<Self> {
        let mut all = Self::default();
        for (one, asked) in results.into_iter().zip(asked) {
            let error = match one {
                Ok(one) => {
                    all.fit.push(asked.clone());
                    all.built.push(one);
                    continue;
                }
                Err(error) => error,
            };
            let failed = failed_build(&error, asked);
            let error = Error::from(error);
            match (incompatible(&error, std::slice::from_ref(asked)), failed) {
                _ if strict => return Err(error),
                (Some(misfit), _) => all.misfits.push(misfit),
                (None, Some(_)) if all.failed.iter().any(|one| one.subject == *asked) => continue,
                (None, Some(failed)) => all.failed.push(failed),
                (None, None) => return Err(error),
            }
            all.errors.push(error);
        }
        Ok(all)
    }
}

/// What the record says of a failed build; nothing if the machine is to blame, on which no other would
/// fare better.
fn failed_build(error: &BuildError, asked: &Subject) -> Option<FailedBuild> {
    let (what, tail) = match error {
        BuildError::DiskFull { .. } | BuildError::Io { .. } => return None,
        BuildError::Failed { step, tail, .. } => (format!("step {step} failed"), &**tail),
        BuildError::Network { what, tail } => (format!("can't fetch {what}"), &**tail),
        other => (other.to_string(), ""),
    };
    let text = |text: &str| start(&plain(text), ERROR);
    let lines: Vec<String> =
        tail.lines().map(text).filter(|line| !line.trim().is_empty()).collect();
    Some(FailedBuild {
        subject: asked.clone(),
        error: text(&what),
        last_lines: lines[lines.len().saturating_sub(LINES)..].to_vec(),
        log: error.log().map(|path| path.display().to_string()),
    })
}

/// What does not fit, if the driver is to blame for a failed build and not the library.
pub fn incompatible(error: &anyhow::Error, asked: &[Subject]) -> Option<Incompatible> {
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

    /// A machine whose disk is full builds nothing else, and a run that is finished as it was planned has all
    /// of its subjects.
    #[test]
    fn a_failed_build_costs_its_own_subject() {
        let asked: Vec<Subject> =
            ["openssl@3.5.5", "rustls", "openssl@3.5.5"].map(|name| name.parse().unwrap()).into();
        let failed = || BuildError::Failed {
            subject: "openssl@3.5.5".to_owned(),
            step: "make".to_owned(),
            log: "/logs/x.log".into(),
            tail: (0..30).map(|n| format!("line {n}\u{1b}[0m\n\n")).collect(),
        };
        let network = || BuildError::Network { what: "x".to_owned(), tail: String::new() };
        let results = || vec![Err(failed()), Err(network()), Err(failed())];
        let found = BuildResults::sorted(results(), &asked, false).unwrap();
        let [openssl, rustls] = &found.failed[..] else { panic!("{found:?}") };
        assert_eq!((&openssl.subject, &*openssl.error), (&asked[0], "step make failed"));
        assert_eq!(openssl.log.as_deref(), Some("/logs/x.log"));
        assert_eq!(openssl.last_lines.len(), LINES);
        assert!(openssl.last_lines[LINES - 1].starts_with("line 29"), "{openssl:?}");
        assert!(!openssl.last_lines[0].contains('\u{1b}'));
        assert_eq!((&*rustls.error, &rustls.log), ("can't fetch x", &None));
        assert_eq!(found.errors.len(), 2);
        assert!(BuildResults::sorted(results(), &asked, true).is_err());
        let full = BuildError::DiskFull { folder: "/".into(), free_mib: 0, wanted_mib: 1 };
        assert!(BuildResults::sorted(vec![Err(full)], &asked, false).is_err());
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
