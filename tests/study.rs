//! Studies, measured through the real command.

mod common;

use assert_cmd::Command;
use common::{record, shakedown, upstream::copy_project};
use serde_json::Value;
use std::{fs, path::Path};

/// A study of the stack that does nothing. Its wire bytes are the same in each connection.
const STUDY: &str = r#"
name = "nothing"
question = "What does the stack that does nothing send?"
method = "by looking"
differences = "none"

[source]
title = "A note"
url = "https://example.org/note"
date = "2026"
machine = "any"

[[run]]
id = "sent"
subjects = ["noop", "nobody@1"]
scenarios = ["handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256"]
meters = ["heap"]

[[run]]
id = "timed"
subjects = ["noop"]
scenarios = ["handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256", "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256"]

[[run]]
id = "never"
subjects = ["noop"]
scenarios = ["handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-64"]

[[claim]]
id = "bytes"
text = "Client and server send something"
run = "sent"
of = { subject = "noop", scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256", metric = "wire-bytes" }
decide = { above = 1.0 }
[[claim.row]]
what = "client"
of = { sides = ["client"] }
[[claim.row]]
what = "server"
of = { sides = ["server"] }

[[claim]]
id = "huge"
text = "They send a gigabyte"
run = "sent"
of = { subject = "noop", scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256", metric = "wire-bytes" }
[[claim.row]]
what = "both"
of = { sides = ["client", "server"] }
published = [1e9]
unit = "B"
decide = { within = 0.5 }

[[claim]]
id = "old"
text = "Another stack sends as much"
run = "sent"
of = { subject = "nobody@1", scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256", metric = "wire-bytes" }
to = { subject = "noop" }
[[claim.row]]
what = "client"
of = { sides = ["client"] }
decide = { between = [0.9, 1.1] }

[[claim]]
id = "times"
text = "A ticket is as fast as nothing"
run = "timed"
of = { subject = "noop", scenario = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256", metric = "handshakes" }
to = { scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256" }
[[claim.row]]
what = "server"
of = { sides = ["server"] }
decide = { above = 0.1 }

[[claim]]
id = "cores"
text = "It scales to 64 threads"
needs = { cpus = 60000 }
run = "never"
of = { subject = "noop", scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-64", metric = "handshakes" }
[[claim.row]]
what = "server"
of = { sides = ["server"] }
decide = { above = 1.0 }
"#;

/// A copy of the project with other studies.
fn project(folder: &Path) {
    copy_project(folder, &["bench/drivers/noop", "bench/catalog/stacks/noop.toml"]);
    let studies = folder.join("bench/catalog/studies");
    fs::create_dir(&studies).unwrap();
    fs::write(studies.join("nothing.toml"), STUDY).unwrap();
}

fn study(project: &Path) -> Command {
    let mut command = shakedown(project);
    command.env("SHAKEDOWN_ROOT", project).arg("study");
    command
}

fn verdicts(out: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(out.join("verdicts.json")).unwrap();
    let judgement: Value = serde_json::from_str(&text).unwrap();
    let claims = judgement["claims"].as_array().unwrap().iter();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    claims.map(|claim| (word(&claim["id"]), word(&claim["verdict"]))).collect()
}

#[test]
fn a_study_is_measured_judged_and_finished_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (place, out) = (folder.path().join("project"), folder.path().join("out"));
    project(&place);
    let measured = study(&place).args(["nothing", "--out"]).arg(&out).assert().success();
    let text = String::from_utf8_lossy(&measured.get_output().stdout).into_owned();
    assert!(text.contains("bytes confirmed: Client and server send something"), "{text}");
    assert!(text.contains("needs 60000 CPUs"), "{text}");
    assert!(text.contains("unknown stack `nobody`"), "{text}");
    let expected = [
        ("bytes", "confirmed"),
        ("huge", "refuted"),
        ("old", "not-measurable"),
        ("times", "undecided"),
        ("cores", "not-measurable"),
    ];
    let expected = expected.map(|(id, verdict)| (id.to_owned(), verdict.to_owned()));
    assert_eq!(verdicts(&out), expected);
    assert!(!out.join("never").exists(), "what no claim needs here is not measured");
    for file in ["verdicts.md", "sent/report.md", "sent/report.html", "timed/record.json"] {
        assert!(out.join(file).is_file(), "{file} is missing");
    }

    let history = folder.path().join("history");
    let mut add = shakedown(folder.path());
    add.args(["history", "add", "--history"]).arg(&history).arg(&out).assert().success();

    let again = study(&place).args(["nothing", "--out"]).arg(&out).assert().code(2);
    let said = String::from_utf8_lossy(&again.get_output().stderr).into_owned();
    assert!(said.contains("shakedown study --resume"), "{said}");

    // As if it had been stopped between its runs.
    let first = record(&out.join("sent")).id;
    let second = record(&out.join("timed")).id;
    fs::remove_dir_all(out.join("timed")).unwrap();
    fs::remove_file(out.join("verdicts.json")).unwrap();
    study(&place).arg("--resume").arg(&out).assert().success();
    assert_eq!(record(&out.join("sent")).id, first);
    assert_ne!(record(&out.join("timed")).id, second);
    assert_eq!(verdicts(&out), expected);

    judged_elsewhere(&place, &out, &expected);
}

/// Where only the records are, they are judged and nothing is measured.
fn judged_elsewhere(place: &Path, out: &Path, expected: &[(String, String)]) {
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = |run: &str| {
        fs::create_dir(elsewhere.path().join(run)).unwrap();
        let to = elsewhere.path().join(run).join("record.json");
        fs::copy(out.join(run).join("record.json"), to).unwrap();
    };
    copy("sent");
    let judge =
        || study(place).args(["nothing", "--judge"]).arg(elsewhere.path()).assert().success();
    judge();
    let times = || {
        let text = fs::read_to_string(elsewhere.path().join("verdicts.json")).unwrap();
        let judgement: Value = serde_json::from_str(&text).unwrap();
        judgement["claims"][3]["rows"][0]["measured"].as_f64()
    };
    assert_eq!(times(), None);
    assert!(!elsewhere.path().join("timed").exists());
    copy("timed");
    judge();
    assert!(times().is_some());
    assert_eq!(verdicts(elsewhere.path()), expected);
    study(place).arg("--judge").arg(elsewhere.path()).assert().code(2);
}

#[test]
fn names_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("project");
    project(&place);
    let listed = study(&place).assert().success();
    let text = String::from_utf8_lossy(&listed.get_output().stdout).into_owned();
    assert!(text.contains("nothing"), "{text}");
    let listed = study(&place).args(["list", "--json"]).assert().success();
    let json: Value = serde_json::from_slice(&listed.get_output().stdout).unwrap();
    assert_eq!((&json[0]["study"], &json[0]["claims"]), (&"nothing".into(), &5.into()));
    assert_eq!(json[0]["runs"], serde_json::json!(["sent", "timed", "never"]));
    assert_eq!(json[0]["subjects"], serde_json::json!(["nobody@1", "noop"]));
    let unknown = study(&place).arg("nothin").assert().code(2);
    let said = String::from_utf8_lossy(&unknown.get_output().stderr).into_owned();
    assert!(said.contains("unknown study `nothin`; known: nothing"), "{said}");
    fs::write(place.join("bench/catalog/studies/other.toml"), STUDY).unwrap();
    let wrong = study(&place).assert().code(2);
    let said = String::from_utf8_lossy(&wrong.get_output().stderr).into_owned();
    assert!(said.contains("the file's name says `other`"), "{said}");
}

#[test]
#[ignore = "builds OpenSSL three times"]
fn a_real_study_decides_what_counts_alone_can_say() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut command = shakedown(folder.path());
    command.args(["study", "ml-kem-default", "--out"]).arg(&out).assert().success();
    let found = verdicts(&out);
    assert!(found.contains(&("4.7".to_owned(), "confirmed".to_owned())), "{found:?}");
    assert!(found.contains(&("4.2".to_owned(), "undecided".to_owned())), "{found:?}");
}
