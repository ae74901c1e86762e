//! Which pull request an event or a finished run is about.

use crate::{BASE, MERGE_BASE, NEW, SHA, World, common::asked, pull};
use serde_json::{Value, json};

fn run(event: &str, repo: &str, branch: &str) -> Value {
    json!({
        "id": 7001, "run_attempt": 2, "event": event, "head_sha": SHA, "head_branch": branch,
        "head_repository": { "full_name": repo }, "path": ".github/workflows/pr-measure.yml",
        "conclusion": "success", "html_url": "https://ci.example/7001",
    })
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
    // What is reported is the attempt that ended, though another one may have begun since.
    let ended = json!({ "workflow_run": { "id": 7001, "run_attempt": 1 } });
    assert_eq!(world.resolve("workflow_run", &ended).unwrap().run_attempt, 1);
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
    let finished = || json!({ "workflow_run": { "id": 7001, "run_attempt": 0 } });
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

    assert_eq!(found.run_attempt, 1);
    // Its jobs know how often they were attempted.
    let jobs = json!([{ "id": 1, "name": "measure", "status": "completed", "run_attempt": 2 }]);
    let world = World::new(&[
        ("actions/runs/7001", run("refs/pull/12/head")),
        ("actions/runs/7001/jobs", json!({ "jobs": jobs })),
        ("pulls/12", pull(12, "fork/lib", "fix", NEW)),
    ]);
    assert_eq!(world.resolve("workflow_run", &finished()).unwrap().run_attempt, 2);

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
