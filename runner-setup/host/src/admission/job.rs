//! Identifies a job by the environment and the event that the runner passes to a hook.

use serde_json::Value;
use std::{collections::BTreeMap, fs, io, path::Path, path::PathBuf};

/// Maximum size of an event file.
const LONGEST_EVENT: u64 = 32 << 20;

/// Events that only users with write permission can cause, and that run code of the repository itself.
const OWN_EVENTS: [&str; 9] = [
    "push",
    "schedule",
    "workflow_dispatch",
    "repository_dispatch",
    "merge_group",
    "release",
    "create",
    "deployment",
    "registry_package",
];

/// A job that wants to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerJob {
    /// `OWNER/NAME` of the repository whose workflow it is.
    pub repository: String,
    /// Name of the event that started it.
    pub event: String,
    /// Whose code it was started for.
    pub origin: Origin,
    /// Whether its workflow file is that of the repository's default branch, as it is for comments
    /// and for what follows another workflow. A pull request brings its own.
    pub default_workflow: bool,
    /// Workflow, job and run, for people.
    pub title: String,
}

/// Whose code a job was started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The repository's own.
    SameRepository,
    /// That of a fork.
    Fork(String),
    /// The event does not say; it may be a fork's.
    Unknown,
}

/// Why a job can't be identified. Such a job is refused.
#[derive(Debug, thiserror::Error)]
pub enum RunnerJobError {
    /// A variable is missing.
    #[error("the environment has no {0}: this is not the hook of a GitHub Actions runner")]
    Variable(&'static str),
    /// The event can't be read.
    #[error("can't read the event {}: {source}", path.display())]
    Event {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The event is malformed.
    #[error("the event {} is not what GitHub sends: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Environment and event contradict each other.
    #[error("the environment says repository {environment:?}, the event {event:?}")]
    Contradiction {
        /// From `GITHUB_REPOSITORY`.
        environment: String,
        /// From the event.
        event: String,
    },
}

impl RunnerJob {
    /// Reads the environment of a hook, and the event that it names.
    ///
    /// # Errors
    /// If something is missing or contradictory.
    pub fn from_environment(variables: &BTreeMap<String, String>) -> Result<Self, RunnerJobError> {
        let need = |name| {
            variables
                .get(name)
                .filter(|v| !v.is_empty())
                .ok_or(RunnerJobError::Variable(name))
                .cloned()
        };
        let (repository, event) = (need("GITHUB_REPOSITORY")?, need("GITHUB_EVENT_NAME")?);
        let path = PathBuf::from(need("GITHUB_EVENT_PATH")?);
        let payload = read(&path)?;
        if let Some(told) = text(&payload, "/repository/full_name") {
            if !told.eq_ignore_ascii_case(&repository) {
                let (environment, event) = (repository, told.to_owned());
                return Err(RunnerJobError::Contradiction { environment, event });
            }
        } else if event != "schedule" {
            // An event of a schedule may have nothing but the schedule.
            let why = "it names no repository".to_owned();
            return Err(RunnerJobError::Malformed { path, why });
        }
        let origin = origin(&event, &repository, &payload);
        let reference = variables.get("GITHUB_WORKFLOW_REF").map_or("", String::as_str);
        let default_workflow = is_default_workflow(reference, &repository, &payload);
        let shown = |name: &str| variables.get(name).map_or("?", String::as_str);
        let title = format!(
            "{repository}, workflow {}, job {}, run {}",
            shown("GITHUB_WORKFLOW"),
            shown("GITHUB_JOB"),
            shown("GITHUB_RUN_ID"),
        );
        // The title goes into logs and into the lock's note.
        let title = title.chars().filter(|c| !c.is_control()).take(300).collect();
        Ok(Self { repository, event, origin, default_workflow, title })
    }
}

fn read(path: &Path) -> Result<Value, RunnerJobError> {
    use io::Read;
    let failed = |source| RunnerJobError::Event { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(LONGEST_EVENT).read_to_end(&mut bytes).map_err(failed)?;
    serde_json::from_slice(&bytes).map_err(|error| RunnerJobError::Malformed {
        path: path.to_owned(),
        why: error.to_string(),
    })
}

fn text<'a>(payload: &'a Value, pointer: &str) -> Option<&'a str> {
    payload.pointer(pointer).and_then(Value::as_str)
}

/// Whether `reference`, `OWNER/NAME/.github/workflows/FILE@refs/...`, is a file of the default branch.
fn is_default_workflow(reference: &str, repository: &str, payload: &Value) -> bool {
    let Some(branch) = text(payload, "/repository/default_branch") else { return false };
    let Some((file, from)) = reference.split_once('@') else { return false };
    let name = file.split_once("/.github/workflows/").map(|(name, _)| name);
    name.is_some_and(|name| name.eq_ignore_ascii_case(repository))
        && from.strip_prefix("refs/heads/") == Some(branch)
}

/// Code counts as the repository's own only if the event proves it.
fn origin(event: &str, repository: &str, payload: &Value) -> Origin {
    let head = if payload.get("pull_request").is_some_and(Value::is_object) {
        "/pull_request/head/repo"
    } else if payload.get("workflow_run").is_some_and(Value::is_object) {
        "/workflow_run/head_repository"
    } else if OWN_EVENTS.contains(&event) {
        return Origin::SameRepository;
    } else {
        return Origin::Unknown;
    };
    match text(payload, &format!("{head}/full_name")) {
        Some(name) if name.eq_ignore_ascii_case(repository) => Origin::SameRepository,
        Some(name) => Origin::Fork(name.to_owned()),
        None => Origin::Fork("a repository that is gone".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn origin_of(event: &str, payload: &Value) -> Origin {
        origin(event, "o/n", payload)
    }

    #[test]
    fn a_pull_request_is_told_by_its_head() {
        let pr = |name: Value| json!({"pull_request": {"head": {"repo": name}}});
        assert_eq!(
            origin_of("pull_request", &pr(json!({"full_name": "O/n"}))),
            Origin::SameRepository
        );
        let fork = Origin::Fork("x/n".to_owned());
        assert_eq!(origin_of("pull_request", &pr(json!({"full_name": "x/n"}))), fork);
        assert_eq!(origin_of("pull_request_target", &pr(json!({"full_name": "x/n"}))), fork);
        let gone = origin_of("pull_request", &pr(Value::Null));
        assert!(matches!(gone, Origin::Fork(_)), "{gone:?}");
    }

    #[test]
    fn the_workflow_is_the_default_branchs_only_if_its_reference_says_so() {
        let payload = json!({"repository": {"default_branch": "main"}});
        let is = |reference: &str| is_default_workflow(reference, "o/n", &payload);
        assert!(is("o/n/.github/workflows/pr-measure.yml@refs/heads/main"));
        for other in [
            "",
            "o/n/.github/workflows/pr-measure.yml",
            "o/n/.github/workflows/pr-measure.yml@refs/pull/12/merge",
            "o/n/.github/workflows/pr-measure.yml@refs/heads/main2",
            "o/n/.github/workflows/pr-measure.yml@refs/heads/x@refs/heads/main",
            "x/n/.github/workflows/pr-measure.yml@refs/heads/main",
            "x/o/n/.github/workflows/pr-measure.yml@refs/heads/main",
        ] {
            assert!(!is(other), "{other}");
        }
        assert!(!is_default_workflow("o/n/.github/workflows/a.yml@refs/heads/", "o/n", &json!({})));
    }

    #[test]
    fn what_follows_another_workflow_is_told_by_that_ones_head() {
        let run = json!({"workflow_run": {"head_repository": {"full_name": "x/n"}}});
        assert_eq!(origin_of("workflow_run", &run), Origin::Fork("x/n".to_owned()));
    }

    #[test]
    fn what_the_event_does_not_tell_is_not_guessed() {
        let comment = json!({"issue": {"pull_request": {"url": "u"}}, "comment": {}});
        assert_eq!(origin_of("issue_comment", &comment), Origin::Unknown);
        assert_eq!(origin_of("check_suite", &json!({})), Origin::Unknown);
        assert_eq!(origin_of("pull_request", &json!({})), Origin::Unknown);
        assert_eq!(origin_of("push", &json!({})), Origin::SameRepository);
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_fork_the_repository(name in "[a-z]{1,9}/[a-z]{1,9}") {
            prop_assume!(!name.eq_ignore_ascii_case("o/n"));
            let payload = json!({"pull_request": {"head": {"repo": {"full_name": name}}}});
            for event in OWN_EVENTS {
                prop_assert_eq!(origin_of(event, &payload), Origin::Fork(name.clone()));
            }
        }

        #[test]
        fn any_bytes_as_an_event_are_an_error_or_a_job(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), bytes).unwrap();
            let variables = [
                ("GITHUB_REPOSITORY", "o/n"),
                ("GITHUB_EVENT_NAME", "push"),
                ("GITHUB_EVENT_PATH", file.path().to_str().unwrap()),
            ];
            let variables = variables.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
            prop_assert!(RunnerJob::from_environment(&variables).is_err());
        }
    }
}
