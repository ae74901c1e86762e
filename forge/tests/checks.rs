//! Check runs and statuses: in progress while it is measured, concluded once, by the newest run.

mod common;

use common::with;
use serde_json::{Value, json};
use shakedown_forge::{
    RunAttempt, WriteOutcome,
    check::{self, Conclusion},
    fake::{FakeForge, NEWEST_RUN},
    status,
};

const SHA: &str = "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708";
const BASE: &str = "00ff0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089";

fn check(fake: &FakeForge, run: u64, conclusion: Conclusion) -> check::CheckOutcome {
    check_of(fake, (run, 12), conclusion)
}

/// By a run, for a pull request.
fn check_of(
    fake: &FakeForge,
    (run, number): (u64, u64),
    conclusion: Conclusion,
) -> check::CheckOutcome {
    with(fake, |forge| {
        let key = "shakedown".parse().unwrap();
        let wanted = check::CheckRunContent {
            sha: SHA,
            key: &key,
            attempt: RunAttempt { run, attempt: 1 },
            about: Some(check::CheckedPullRequest { number, base: BASE }),
            conclusion,
            title: "2 regressed, 57 unchanged",
            text: "the table",
            link: Some("https://ci.example/7001"),
        };
        check::upsert(forge, &wanted)
    })
    .unwrap()
}

#[test]
fn a_check_run_is_updated_by_its_run_and_replaced_by_a_newer_one() {
    let fake = FakeForge::start();
    assert_eq!(
        check(&fake, 5, Conclusion::Pending),
        check::CheckOutcome::CheckRun(WriteOutcome::Created(1))
    );
    assert_eq!(fake.state().checks[&1]["status"], "in_progress");
    assert_eq!(
        check(&fake, 5, Conclusion::Failure),
        check::CheckOutcome::CheckRun(WriteOutcome::Updated(1))
    );
    assert_eq!(fake.state().checks[&1]["conclusion"], "failure");
    assert_eq!(fake.state().checks[&1]["head_sha"], SHA);
    assert_eq!(
        check(&fake, 6, Conclusion::Neutral),
        check::CheckOutcome::CheckRun(WriteOutcome::Created(2))
    );
    assert_eq!(
        check(&fake, 5, Conclusion::Failure),
        check::CheckOutcome::CheckRun(WriteOutcome::Superseded(2))
    );
    assert!(fake.state().statuses.is_empty());
}

#[test]
fn where_check_runs_are_missing_the_status_is_set() {
    for missing in [403, 404] {
        let fake = FakeForge::start();
        fake.state().without_checks = Some(missing);
        assert_eq!(
            check(&fake, 5, Conclusion::Failure),
            check::CheckOutcome::Status(status::StatusOutcome::Set)
        );
        assert_eq!(
            check(&fake, 5, Conclusion::Failure),
            check::CheckOutcome::Status(status::StatusOutcome::Unchanged)
        );
        let state = fake.state();
        let [(sha, sent)] = state.statuses.as_slice() else { panic!("{:?}", state.statuses) };
        assert_eq!(sha, SHA);
        assert_eq!(sent["state"], "failure");
        assert_eq!(sent["context"], "shakedown");
        assert_eq!(sent["target_url"], "https://ci.example/7001");
    }
}

fn end(fake: &FakeForge, run: u64) -> bool {
    with(fake, |forge| {
        let key = "shakedown".parse().unwrap();
        let attempt = RunAttempt { run, attempt: 1 };
        check::end(forge, (SHA, &key), attempt, ("it was cancelled", "https://ci.example/7001"))
    })
    .unwrap()
}

#[test]
fn a_measurement_that_was_given_up_ends_its_check_and_no_other() {
    let fake = FakeForge::start();
    assert!(!end(&fake, 5), "there is none to end");
    check(&fake, 5, Conclusion::Pending);
    assert!(!end(&fake, 4));
    assert_eq!(fake.state().checks[&1]["status"], "in_progress");
    assert!(end(&fake, 5));
    assert_eq!(fake.state().checks[&1]["conclusion"], "cancelled");
    assert!(!end(&fake, 5), "it is ended once");
    // A verdict stays.
    check(&fake, 6, Conclusion::Failure);
    assert!(!end(&fake, 6));
    assert_eq!(fake.state().checks[&2]["conclusion"], "failure");

    let fake = FakeForge::start();
    fake.state().without_checks = Some(404);
    assert!(!end(&fake, 5));
    check(&fake, 5, Conclusion::Pending);
    assert!(end(&fake, 5));
    let state = fake.state();
    assert_eq!(state.statuses[1].1["state"], "error");
    assert_eq!(state.statuses[1].1["description"], "it was cancelled");
}

/// Two measurements of one commit: what is replaced does not spin for ever, in either order.
#[test]
fn a_newer_measurement_ends_the_check_of_an_older_one() {
    let fake = FakeForge::start();
    check(&fake, 5, Conclusion::Pending);
    check(&fake, 6, Conclusion::Pending);
    {
        let state = fake.state();
        assert_eq!(state.checks[&1]["conclusion"], "cancelled");
        assert!(state.checks[&1]["output"]["title"].as_str().unwrap().contains("newer"));
        assert_eq!(state.checks[&2]["status"], "in_progress");
    }
    // Both saw none, and both wrote one.
    fake.state().checks.get_mut(&1).unwrap()["status"] = "in_progress".into();
    assert_eq!(
        check(&fake, 5, Conclusion::Success),
        check::CheckOutcome::CheckRun(WriteOutcome::Superseded(2))
    );
    assert_eq!(fake.state().checks[&1]["conclusion"], "cancelled");
    assert_eq!(fake.state().checks[&2]["status"], "in_progress");
}

/// The same commit in two pull requests with different bases: the newest measurement counts, and the check
/// says which one it is.
#[test]
fn a_check_says_for_which_pull_request_and_base_it_is() {
    let fake = FakeForge::start();
    check_of(&fake, (5, 12), Conclusion::Failure);
    check_of(&fake, (6, 13), Conclusion::Success);
    check_of(&fake, (4, 14), Conclusion::Success);
    let state = fake.state();
    let ids: Vec<&Value> = state.checks.values().map(|run| &run["external_id"]).collect();
    let of = |run: u64, pull: u64| json!(format!("shakedown:{run}.1/{pull}/{BASE}"));
    assert_eq!(ids, [&of(5, 12), &of(6, 13)]);
}

#[test]
fn check_runs_of_other_apps_and_stamps_of_runs_that_never_were_do_not_count() {
    for (stamp, app) in [
        (format!("{}.1", NEWEST_RUN + 1), "github-actions"),
        ("7.2".to_owned(), "github-actions"),
        (format!("{}.1", u64::MAX), "github-actions"),
        ("9.1".to_owned(), "another-app"),
    ] {
        let fake = FakeForge::start();
        let forged = json!({
            "id": 99, "name": "shakedown", "head_sha": SHA, "status": "completed",
            "conclusion": "success", "external_id": format!("shakedown:{stamp}"),
            "app": { "slug": app },
        });
        fake.state().checks.insert(99, forged.clone());
        assert_eq!(
            check(&fake, 5, Conclusion::Failure),
            check::CheckOutcome::CheckRun(WriteOutcome::Created(1)),
            "{stamp} of {app}"
        );
        assert_eq!(fake.state().checks[&99], forged, "it is left alone");
    }
}
