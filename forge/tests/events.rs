//! Which pull request, who may ask, and the artifact: told by the forge, not by strangers.

mod common;

use common::{asked, with};
use serde_json::{Value, json};
use shakedown_forge::{
    artifact,
    authorize::{self, Authorization, AuthorizationRules},
    event::{self, ResolvedPullRequest},
    fake::{FakeForge, InjectedFault},
};
use std::{fs, io::Write, net::TcpListener, path::PathBuf, thread};

const SHA: &str = "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708";
const NEW: &str = "91aa0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089";
const BASE: &str = "00ff0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089";
/// Where the pull requests left the base branch, which is at [`BASE`] now.
const MERGE_BASE: &str = "44ee0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089";

fn pull(number: u64, repo: &str, branch: &str, sha: &str) -> Value {
    json!({
        "number": number,
        "state": "open",
        "head": {
            "sha": sha, "ref": branch,
            "repo": { "full_name": repo, "pushed_at": "2026-11-21T07:00:00Z" },
        },
        "base": { "sha": BASE, "ref": "main", "repo": { "full_name": "tls/lib" } },
    })
}

fn run(event: &str, repo: &str, branch: &str) -> Value {
    json!({
        "id": 7001, "run_attempt": 2, "event": event, "head_sha": SHA, "head_branch": branch,
        "head_repository": { "full_name": repo }, "path": ".github/workflows/pr-measure.yml",
        "conclusion": "success", "html_url": "https://ci.example/7001",
    })
}

struct World {
    fake: FakeForge,
    folder: tempfile::TempDir,
}

impl World {
    fn new(fixtures: &[(&str, Value)]) -> Self {
        let fake = FakeForge::start();
        for (path, value) in fixtures {
            fake.state().fixtures.insert(format!("/repos/tls/lib/{path}"), value.clone());
        }
        for head in [SHA, NEW] {
            let base = (MERGE_BASE.to_owned(), 3);
            fake.state().merge_bases.insert(format!("{BASE}...{head}"), base);
        }
        Self { fake, folder: tempfile::tempdir().unwrap() }
    }

    fn event(&self, value: &Value) -> PathBuf {
        let path = self.folder.path().join("event.json");
        fs::write(&path, value.to_string()).unwrap();
        path
    }

    fn resolve(
        &self,
        name: &str,
        value: &Value,
    ) -> Result<ResolvedPullRequest, shakedown_forge::ForgeError> {
        let path = self.event(value);
        let name = name.to_owned();
        with(&self.fake, |forge| event::resolve(forge, &name, &path, "pr-measure.yml"))
    }

    fn decide(&self, name: &str, value: &Value) -> Authorization {
        let path = self.event(value);
        let name = name.to_owned();
        with(&self.fake, |forge| {
            let suites = ["pr".to_owned(), "standard".to_owned()];
            let rules =
                AuthorizationRules { label: "bench", suite: "pr", suites: &suites, admin: false };
            authorize::decide(forge, &name, &path, &rules)
        })
        .unwrap()
    }
}

/// The event claims another commit and pull request: only its run's id counts.
fn finished() -> Value {
    let mut run = run("pull_request", "tls/lib", "other");
    run["head_sha"] = NEW.into();
    run["pull_requests"] = json!([{ "number": 666 }]);
    json!({ "action": "completed", "workflow_run": run })
}

#[test]
fn a_run_is_about_the_pull_request_of_its_branch_in_its_repository() {
    let pulls = json!([
        pull(10, "mallory/lib", "fix", SHA),
        pull(11, "tls/lib", "other", SHA),
        pull(12, "fork/lib", "fix", SHA),
        pull(13, "fork/lib", "fix", NEW),
    ]);
    let world = World::new(&[
        ("actions/runs/7001", run("pull_request", "fork/lib", "fix")),
        ("pulls", pulls),
    ]);
    let found = world.resolve("workflow_run", &finished()).unwrap();
    assert!(found.found && !found.stale && found.pull.fork);
    assert_eq!((found.pull.number, found.pull.head_sha.as_str()), (12, SHA));
    assert_eq!(found.pull.head_repo, "fork/lib");
    assert_eq!((found.pull.base_sha.as_str(), found.pull.behind_by), (MERGE_BASE, Some(3)));
    assert_eq!((found.run_id, found.run_attempt), (7001, 2));
    assert!(asked(&world.fake).iter().any(|line| line.contains("head=fork:fix")));
}

/// The workflow file of a fork's push is the fork's: its jobs can have any names and results.
#[test]
fn what_a_fork_started_itself_is_refused() {
    let jobs = json!({ "jobs": [{
        "name": format!("measure #12 at {SHA}"), "conclusion": "success",
        "labels": ["self-hosted", "bench"],
    }] });
    let of = |event: &str| {
        let mut run = run(event, "fork/lib", "fix");
        run["path"] = ".github/workflows/pr-measure.yml".into();
        let world = World::new(&[
            ("actions/runs/7001", run),
            ("actions/runs/7001/jobs", jobs.clone()),
            ("pulls", json!([pull(12, "fork/lib", "fix", SHA)])),
            ("pulls/12", pull(12, "fork/lib", "fix", SHA)),
        ]);
        world.resolve("workflow_run", &finished()).unwrap()
    };
    assert!(of("pull_request").refused);
    assert!(!of("issue_comment").refused, "that workflow is the default branch's");
}

#[test]
fn a_measurement_on_a_runner_of_somebody_else_is_not_reported() {
    let of = |labels: Value, conclusion: &str| {
        let job = json!({
            "name": format!("measure #12 at {SHA}"), "conclusion": conclusion, "labels": labels,
        });
        let world = World::new(&[
            ("actions/runs/7001", run("pull_request", "tls/lib", "fix")),
            ("actions/runs/7001/jobs", json!({ "jobs": [job] })),
            ("pulls", json!([pull(12, "tls/lib", "fix", SHA)])),
        ]);
        world.resolve("workflow_run", &finished())
    };
    let error = of(json!(["ubuntu-latest"]), "success").unwrap_err().to_string();
    assert!(error.contains("did not ask for a host of this repository"), "{error}");
    assert!(of(json!(["self-hosted", "bench"]), "success").unwrap().found);
    assert!(of(json!([]), "skipped").unwrap().refused);
    // Gitea says nothing of labels.
    assert!(of(json!(null), "success").unwrap().found);
}

#[test]
fn head_is_compared_with_the_merge_base() {
    let mut gitea = pull(12, "tls/lib", "fix", SHA);
    gitea["merge_base"] = NEW.into();
    for (pull, expected) in
        [(pull(12, "tls/lib", "fix", SHA), (MERGE_BASE, Some(3))), (gitea, (NEW, None))]
    {
        let world = World::new(&[("pulls/12", pull.clone())]);
        let event = json!({ "action": "opened", "pull_request": pull });
        let found = world.resolve("pull_request", &event).unwrap();
        assert_eq!((found.pull.base_sha.as_str(), found.pull.behind_by), expected);
    }

    let mut strange = pull(12, "tls/lib", "fix", SHA);
    strange["base"]["sha"] = "../../other".into();
    let unrelated = pull(12, "tls/lib", "fix", BASE);
    for (pull, why) in [(strange, "is not a commit"), (unrelated, "no commit in common")] {
        let world = World::new(&[("pulls/12", pull.clone())]);
        let event = json!({ "action": "opened", "pull_request": pull });
        let error = world.resolve("pull_request", &event).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_pull_request_that_moved_on_is_stale_and_what_was_measured_stays_named() {
    let world = World::new(&[
        ("actions/runs/7001", run("pull_request", "tls/lib", "fix")),
        ("pulls", json!([pull(12, "tls/lib", "fix", NEW)])),
    ]);
    let found = world.resolve("workflow_run", &finished()).unwrap();
    assert!(found.found && found.stale && !found.pull.fork);
    assert_eq!(found.pull.head_sha, SHA);
}

/// As Gitea tells a run: no branch, no repository, attempt 0.
#[test]
fn a_run_without_a_branch_is_about_the_pull_request_of_its_reference() {
    let run = |reference: &str| {
        json!({
            "id": 7001, "run_attempt": 0, "event": "pull_request_sync", "head_sha": SHA,
            "path": format!("pr-measure.yml@{reference}"), "conclusion": "success", "html_url": "",
        })
    };
    let world = World::new(&[
        ("actions/runs/7001", run("refs/pull/12/head")),
        ("pulls/12", pull(12, "fork/lib", "fix", NEW)),
    ]);
    let found = world.resolve("workflow_run", &finished()).unwrap();
    assert!(found.found && found.stale && found.pull.fork);
    assert_eq!((found.pull.number, found.pull.head_sha.as_str()), (12, SHA));

    let world = World::new(&[("actions/runs/7001", run("refs/heads/main"))]);
    assert!(!world.resolve("workflow_run", &finished()).unwrap().found);

    let mut closed = pull(12, "fork/lib", "fix", SHA);
    closed["state"] = "closed".into();
    let world =
        World::new(&[("actions/runs/7001", run("refs/pull/12/head")), ("pulls/12", closed)]);
    assert!(!world.resolve("workflow_run", &finished()).unwrap().found);
}

#[test]
fn runs_of_nobodys_branch_or_of_another_workflow_are_not_reported() {
    let world = World::new(&[
        ("actions/runs/7001", run("pull_request", "fork/lib", "fix")),
        ("pulls", json!([])),
    ]);
    let found = world.resolve("workflow_run", &finished()).unwrap();
    assert!(!found.found);
    assert_eq!(found.pull.number, 0);

    let mut other = run("pull_request", "tls/lib", "fix");
    other["path"] = ".github/workflows/evil.yml@refs/heads/pr-measure.yml".into();
    let world = World::new(&[("actions/runs/7001", other)]);
    let said = world.resolve("workflow_run", &finished()).unwrap_err().to_string();
    assert!(said.contains("evil.yml") && said.contains("nothing of it is reported"), "{said}");

    let said = World::new(&[]).resolve("workflow_run", &finished()).unwrap_err().to_string();
    assert!(said.contains("no workflow run 7001"), "{said}");
    let said = World::new(&[]).resolve("push", &json!({})).unwrap_err().to_string();
    assert!(said.contains("`push`"), "{said}");
}

#[test]
fn a_run_whose_first_job_said_no_measured_nothing() {
    let sha = format!("measure #12 at {SHA}");
    for (conclusion, refused) in [("skipped", true), ("failure", false), ("success", false)] {
        let jobs = json!({ "jobs": [
            { "name": "decide", "conclusion": "success" },
            { "name": sha, "conclusion": conclusion },
        ]});
        let world = World::new(&[
            ("actions/runs/7001", run("pull_request", "tls/lib", "fix")),
            ("actions/runs/7001/jobs", jobs),
            ("pulls", json!([pull(12, "tls/lib", "fix", SHA)])),
        ]);
        let resolved = world.resolve("workflow_run", &finished()).unwrap();
        assert!(resolved.found);
        assert_eq!(resolved.refused, refused, "{conclusion}");
    }
}

#[test]
fn a_run_that_a_comment_started_is_told_by_the_names_of_its_jobs() {
    let jobs = json!({ "total_count": 2, "jobs": [
        { "name": "decide" }, { "name": format!("measure #12 at {NEW}") },
    ]});
    let world = World::new(&[
        ("actions/runs/7001", run("issue_comment", "tls/lib", "main")),
        ("actions/runs/7001/jobs", jobs),
        ("pulls/12", pull(12, "fork/lib", "fix", NEW)),
    ]);
    let found = world.resolve("workflow_run", &finished()).unwrap();
    assert!(found.found && !found.stale);
    assert_eq!((found.pull.number, found.pull.head_sha.as_str()), (12, NEW));
}

fn labeled(label: &str, sha: &str) -> Value {
    json!({
        "action": "labeled", "label": { "name": label }, "sender": { "login": "ada" },
        "pull_request": pull(12, "fork/lib", "fix", sha),
    })
}

fn commented(body: &str, at: &str) -> Value {
    json!({
        "action": "created", "issue": { "number": 12, "pull_request": {} },
        "comment": { "body": body, "user": { "login": "ada" }, "created_at": at },
        "sender": { "login": "ada" },
    })
}

fn asked_by(permission: &str) -> World {
    World::new(&[
        ("collaborators/ada/permission", json!({ "permission": permission })),
        ("pulls/12", pull(12, "fork/lib", "fix", SHA)),
    ])
}

#[test]
fn who_may_write_may_ask_for_what_they_saw() {
    let later = "2026-11-21T07:00:01Z";
    for permission in ["write", "admin", "owner"] {
        let world = asked_by(permission);
        let answer = world.decide("pull_request", &labeled("bench", SHA));
        assert!(answer.allowed, "{}", answer.reason);
        let answer = world.decide("issue_comment", &commented("/bench standard", later));
        assert!(answer.allowed, "{}", answer.reason);
        assert_eq!((answer.suite.as_str(), answer.pull.head_sha.as_str()), ("standard", SHA));
        assert!(answer.pull.fork);
    }
    for permission in ["read", "triage", "none", ""] {
        let world = asked_by(permission);
        for (name, event) in
            [("pull_request", labeled("bench", SHA)), ("issue_comment", commented("/bench", later))]
        {
            let answer = world.decide(name, &event);
            assert!(!answer.allowed && answer.reason.contains("it takes `write`"), "{answer:?}");
            assert_eq!(answer.pull.head_sha, "", "nothing to check out");
        }
    }
}

#[test]
fn a_push_after_the_approval_needs_another_one() {
    let world = asked_by("write");
    let answer = world.decide("pull_request", &labeled("bench", NEW));
    assert!(!answer.allowed && answer.reason.contains("set it again"), "{answer:?}");
    // The fork was pushed to at 07:00:00.
    for at in ["2026-11-21T06:59:59Z", "2026-11-21T07:00:00Z", "nonsense"] {
        let answer = world.decide("issue_comment", &commented("/bench", at));
        assert!(!answer.allowed && answer.reason.contains(SHA), "{answer:?}");
    }
    // Naming the commit says what was seen.
    let named = commented(&format!("/bench pr {SHA}"), "2026-11-21T06:00:00Z");
    assert!(world.decide("issue_comment", &named).allowed);
    let named = commented(&format!("/bench pr {NEW}"), "2026-11-21T08:00:00Z");
    assert!(!world.decide("issue_comment", &named).allowed);
}

#[test]
fn what_asks_for_nothing_starts_nothing() {
    let world = asked_by("write");
    let later = "2026-11-21T08:00:00Z";
    let mut synchronize = labeled("bench", SHA);
    synchronize["action"] = "synchronize".into();
    let mut issue = commented("/bench", later);
    issue["issue"]["pull_request"] = Value::Null;
    let mut edited = commented("/bench", later);
    edited["action"] = "edited".into();
    for (name, event) in [
        ("pull_request", labeled("documentation", SHA)),
        ("pull_request", synchronize),
        ("issue_comment", commented("please /bench", later)),
        ("issue_comment", commented("/bench no-such-suite", later)),
        ("issue_comment", commented("/bench $(id)", later)),
        ("issue_comment", issue),
        ("issue_comment", edited),
    ] {
        let answer = world.decide(name, &event);
        assert!(!answer.allowed && !answer.reason.is_empty(), "{answer:?}");
        assert!(!answer.reason.contains('\n'), "{answer:?}");
    }
}

#[test]
fn the_artifact_is_fetched_without_the_token_and_never_beyond_the_limit() {
    let storage = FakeForge::start();
    storage.state().files.insert("/blob".to_owned(), vec![7; 5000]);
    storage.fail(InjectedFault { of: ("GET", "/blob"), status: 503, ..InjectedFault::default() });
    let world = World::new(&[(
        "actions/runs/7001/artifacts",
        json!({ "total_count": 2, "artifacts": [
            { "id": 1, "name": "record", "expired": true },
            { "id": 2, "name": "record", "size_in_bytes": 10 },
            { "id": 3, "name": "report" },
        ]}),
    )]);
    let zip = "/repos/tls/lib/actions/artifacts/2/zip".to_owned();
    world.fake.state().moved.insert(zip, format!("{}/blob?sig=x", storage.url()));
    let file = world.folder.path().join("a.zip");
    let fetch = |name: &'static str, limit: u64| {
        let file = file.clone();
        with(&world.fake, |forge| artifact::fetch(forge, 7001, name, &file, limit))
    };
    fetch("record", 6000).unwrap();
    assert_eq!(fs::read(&file).unwrap(), vec![7; 5000]);
    assert!(storage.state().requests.iter().all(|(_, _, token)| token.is_empty()));

    // What the forge says of its size is not what limits it.
    assert!(fetch("record", 1000).unwrap_err().to_string().contains("larger than 1000 bytes"));
    assert!(fs::metadata(&file).unwrap().len() <= 1000);
    assert!(fetch("nothing", 1000).unwrap_err().to_string().contains("no artifact"));
}

/// A storage that never ends its answer.
fn endless() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/blob", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while stream.write_all(&[7; 1 << 16]).is_ok() {}
        }
    });
    url
}

#[test]
fn an_artifact_without_an_end_is_left_at_the_limit() {
    let list = json!({ "artifacts": [{ "id": 2, "name": "record", "size_in_bytes": 10 }] });
    let world = World::new(&[("actions/runs/7001/artifacts", list)]);
    let zip = "/repos/tls/lib/actions/artifacts/2/zip".to_owned();
    world.fake.state().moved.insert(zip, endless());
    let file = world.folder.path().join("a.zip");
    let to = file.clone();
    let fetch =
        |forge: &shakedown_forge::Forge| artifact::fetch(forge, 7001, "record", &to, 8 << 20);
    let said = with(&world.fake, fetch).unwrap_err().to_string();
    assert!(said.contains("larger than 8388608 bytes"), "{said}");
    assert!(fs::metadata(&file).unwrap().len() <= 8 << 20);
}
