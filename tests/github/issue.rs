//! Issues: opened once, kept up to date, closed.

use crate::{FULL, common::nights::History, github};
use serde_json::json;
use shakedown_forge::fake::FakeForge;
use shakedown_protocol::fixture::comparison::comparison;
use std::{fs, io::Write};

#[test]
fn an_issue_is_opened_once_and_closed() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeForge::start();
    let body = folder.path().join("body.md");
    fs::File::create(&body).unwrap().write_all(b"turbo is on\n").unwrap();
    let mut said = Vec::new();
    for arguments in [
        vec!["open", "--title", "bench-1 is not fit", "--body", body.to_str().unwrap()],
        vec!["open", "--title", "bench-1 is not fit", "--body", body.to_str().unwrap()],
        vec!["close"],
        vec!["close"],
    ] {
        let done = github(folder.path(), &fake)
            .arg("issue")
            .args(arguments)
            .args(["--key", "unfit:bench-1"])
            .assert()
            .success();
        said.push(String::from_utf8(done.get_output().stdout.clone()).unwrap());
    }
    assert_eq!(said, ["opened #1\n", "#1 is up to date\n", "closed #1\n", ""]);
}

#[test]
fn a_confirmed_change_of_the_history_is_one_issue_until_it_is_gone() {
    let history = History::with_a_change();
    let fake = FakeForge::start();
    let folder = tempfile::tempdir().unwrap();
    let issues = || {
        let done = github(folder.path(), &fake)
            .args(["issue", "changes", "--label", "performance", "--history"])
            .arg(history.dir())
            .assert()
            .success();
        String::from_utf8(done.get_output().stdout.clone()).unwrap()
    };
    let found = history.json(&["history", "changes"]);
    assert_eq!(issues(), "", "a suspect is no finding yet");
    let decide = |state: &str| {
        for one in found.as_array().unwrap() {
            let id = one["id"].as_str().unwrap();
            history.call(&["history", "decide", id, state, "--evidence", "a test"]).success();
        }
    };
    decide("confirmed");
    assert_eq!(issues(), "opened #1\n");
    assert_eq!(issues(), "#1 is up to date\n");
    {
        let state = fake.state();
        let body = state.issues[&1]["body"].as_str().unwrap();
        assert!(body.contains("noop") && body.contains("wire"), "{body}");
    }
    decide("dismissed");
    assert_eq!(issues(), "closed #1\n");
    assert_eq!(fake.state().issues[&1]["state"], "closed");
}

#[test]
fn a_driver_that_does_not_fit_is_one_issue_until_it_fits_again() {
    let fake = FakeForge::start();
    let history = History::new();
    let commit = |night: u64| format!("{night:040x}");
    let night = |night: u64, fits: bool| {
        let mut record = comparison(&[(FULL, [1.0, 1.0])]);
        record.id = format!("night-{night}");
        record.started_ms += night * 86_400_000;
        let resolved: shakedown_protocol::Subject =
            format!("rustls@git:{}", commit(night)).parse().unwrap();
        let head = "rustls@git:HEAD".parse().unwrap();
        if fits {
            let entry = &mut record.subjects[0];
            (entry.asked, entry.artifact.subject) = (head, resolved);
            let name = std::mem::replace(&mut entry.name, entry.artifact.subject.to_string());
            let named = entry.name.clone();
            let of = record.trials.iter_mut().filter(|trial| trial.subject == name);
            of.for_each(|trial| trial.subject.clone_from(&named));
            return record;
        }
        record.plan.left_out = vec![shakedown_protocol::Incompatible {
            subject: head,
            resolved,
            revision: Some(commit(night)),
            misfit: shakedown_protocol::Misfit::Surface("io".to_owned()),
            error: "error[E0599]: no method named `read_tls`".to_owned(),
        }];
        record
    };
    let issues = || {
        let said = github(&history.at(""), &fake)
            .args(["issue", "drivers", "--label", "driver", "--history"])
            .arg(history.dir())
            .assert()
            .success();
        String::from_utf8(said.get_output().stdout.clone()).unwrap()
    };
    history.add([night(0, true)]);
    assert_eq!(issues(), "");
    history.add([night(1, false)]);
    assert_eq!(issues(), "opened #1\n");
    history.add([night(2, false)]);
    assert_eq!(issues(), "#1 is up to date\n", "one issue per break");
    {
        let state = fake.state();
        let issue = &state.issues[&1];
        let title = issue["title"].as_str().unwrap();
        assert_eq!(title, "The driver does not fit rustls@git:HEAD: surface `io`");
        let body = issue["body"].as_str().unwrap();
        assert!(body.contains(&commit(1)[..10]) && body.contains("E0599"), "{body}");
        assert_eq!(issue["labels"], json!(["driver"]));
    }
    history.add([night(3, true)]);
    assert_eq!(issues(), "closed #1\n");
    assert_eq!(issues(), "");
    history.add([night(4, false)]);
    assert!(issues().starts_with("opened #"), "another break is another issue");
}
