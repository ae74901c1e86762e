//! Who may ask for a measurement, and of which commit.

use crate::{NEW, SHA, World, pull};
use serde_json::{Value, json};

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
