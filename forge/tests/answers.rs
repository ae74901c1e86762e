//! What is told to who asked for a measurement, and what is before it.

mod common;

use common::with;
use serde_json::{Value, json};
use shakedown_forge::{
    HostQueue, RunAttempt,
    answer::{self, RequestAnswer},
    fake::{FakeForge, InjectedFault, LOGIN},
};
use std::fs;

fn commented() -> Value {
    json!({
        "action": "created", "issue": { "number": 12, "pull_request": {} },
        "comment": { "id": 800, "body": "/bench", "user": { "login": "ada" } },
    })
}

/// Answers an event; returns what the forge would not take.
fn send(fake: &FakeForge, event: &Value, refusal: Option<&str>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.json");
    fs::write(&path, event.to_string()).unwrap();
    with(fake, |forge| {
        let key = "request".parse().unwrap();
        let attempt = RunAttempt { run: 5, attempt: 1 };
        let answer = RequestAnswer { refusal, key: &key, attempt, author: LOGIN };
        answer::send(forge, &path, &answer)
    })
    .unwrap()
}

fn bodies(fake: &FakeForge) -> Vec<String> {
    fake.state().comments.values().map(|(_, _, body)| body.clone()).collect()
}

#[test]
fn a_request_is_answered_and_a_refused_one_says_why_in_one_comment() {
    let fake = FakeForge::start();
    for reason in ["there is no suite `x`", "head is another one now"] {
        assert_eq!(send(&fake, &commented(), Some(reason)), [""; 0]);
        let [body] = &bodies(&fake)[..] else { panic!("one comment") };
        assert!(body.ends_with(reason), "{body}");
    }
    assert_eq!(send(&fake, &commented(), None), [""; 0]);
    assert_eq!(bodies(&fake), [""; 0], "what was refused before is measured now");
    let wanted = [(800, "-1"), (800, "-1"), (800, "eyes")];
    assert_eq!(fake.state().reactions, wanted.map(|(id, what)| (id, what.to_owned())));
    // A label is no comment that could be reacted to.
    let labeled = json!({ "action": "labeled", "pull_request": { "number": 12 } });
    send(&fake, &labeled, Some("it takes `write`"));
    assert_eq!(bodies(&fake).len(), 1);
    assert_eq!(fake.state().reactions.len(), 3);
}

#[test]
fn a_locked_conversation_takes_no_answer_and_that_is_no_failure() {
    let fake = FakeForge::start();
    for (status, part) in [(403, "/reactions"), (403, "/issues/12/comments")] {
        fake.fail(InjectedFault {
            of: ("POST", part),
            status,
            message: "Unable to create comment because issue is locked.",
            ..InjectedFault::default()
        });
    }
    let said = send(&fake, &commented(), Some("it takes `write`"));
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().all(|line| line.contains("locked")), "{said:?}");
}

fn job(status: &str, labels: &[&str]) -> Value {
    json!({ "name": "x", "status": status, "labels": labels })
}

#[test]
fn jobs_of_older_runs_that_use_or_want_a_host_are_counted() {
    let fake = FakeForge::start();
    let before = |run| with(&fake, |forge| forge.queue_before(run)).unwrap();
    let answer = |path: &str, value: Value| {
        fake.state().fixtures.insert(format!("/repos/tls/lib/actions/{path}"), value);
    };
    assert_eq!(before(9), None, "a forge without such a list");
    let list: Vec<Value> = [4, 6, 9, 11].map(|id: u64| json!({ "id": id })).to_vec();
    answer("runs", json!({ "workflow_runs": list }));
    let host = ["self-hosted", "bench"];
    answer("runs/4/jobs", json!({ "jobs": [job("in_progress", &host), job("completed", &host)] }));
    let hosted = job("in_progress", &["ubuntu-latest"]);
    answer("runs/6/jobs", json!({ "jobs": [job("queued", &host), job("waiting", &host), hosted] }));
    answer("runs/11/jobs", json!({ "jobs": [job("queued", &host)] }));
    let wanted = HostQueue { running: 1, waiting: 2, more: false };
    assert_eq!(before(9), Some(wanted), "the run itself and newer ones are not before it");
    assert_eq!(before(4), Some(HostQueue::default()));

    let many: Vec<Value> = (1000..1050).map(|id: u64| json!({ "id": id })).collect();
    answer("runs", json!({ "workflow_runs": many }));
    assert!(before(2000).unwrap().more);
    let asked = fake.state().requests.iter().filter(|(_, path, _)| path.contains("/jobs")).count();
    assert!(asked < 40, "{asked} requests");
}
