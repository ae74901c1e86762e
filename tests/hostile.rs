//! Names in records come from anybody. Ones that try to be markup, paths or orders to a terminal
//! come out of every subcommand of the history as the text that they are.

mod common;

use common::nights::{History, SCENARIO, argument, night};
use shakedown_protocol::{RunRecord, Unsupported};
use std::{fs, path::Path};

/// A path, HTML, Markdown, an order to the terminal, a bell, and text that runs backwards.
const EVIL: &str = "../../../<script>alert(1)</script>|`[x](javascript:y)\u{1b}[31m\u{7}\u{202e}";

/// The night, with every free text of its record replaced.
fn evil(mut run: RunRecord) -> RunRecord {
    let old = run.subjects[0].name.clone();
    run.host.name = EVIL.to_owned();
    run.host.epoch.id = EVIL.to_owned();
    run.host.system = EVIL.to_owned();
    run.host.cpu.model = EVIL.to_owned();
    run.plan.suite = EVIL.to_owned();
    run.shakedown = EVIL.to_owned();
    let entry = &mut run.subjects[0];
    entry.name = EVIL.to_owned();
    entry.driver.library = EVIL.to_owned();
    let source = &mut entry.artifact.source;
    source.kind = "git".to_owned();
    source.origin = EVIL.to_owned();
    source.revision = Some(format!("{}{EVIL}", run.started_ms));
    for trial in run.trials.iter_mut().filter(|trial| trial.subject == old) {
        trial.subject = EVIL.to_owned();
    }
    let scenario = run.plan.scenarios[0];
    let reason = EVIL.to_owned();
    run.unsupported.push(Unsupported { subject: EVIL.to_owned(), scenario, meter: None, reason });
    run
}

fn history() -> History {
    let history = History::new();
    history.add((0..13).map(|number| evil(night(number, if number < 9 { 1 } else { 2 }))));
    history
}

/// A text without anything that a terminal obeys.
fn harmless(what: &str, text: &[u8]) -> String {
    let text = String::from_utf8(text.to_vec()).expect("it is text");
    let order = text.char_indices().find(|(_, c)| c.is_control() && !"\n\t".contains(*c));
    if let Some((at, order)) = order {
        let before: String = text[..at].chars().skip(at.saturating_sub(80)).collect();
        panic!("{what} has {order:?} after {before:?}");
    }
    text
}

/// What a call says on both channels, whatever its exit code.
fn said(history: &History, arguments: &[&str]) -> String {
    let assert = history.call(arguments);
    let output = assert.get_output();
    let what = arguments.join(" ");
    assert_ne!(output.status.code(), Some(70), "{what}");
    harmless(&what, &output.stdout) + &harmless(&what, &output.stderr)
}

#[test]
fn tables_and_errors_obey_nobody() {
    let history = history();
    let suspects = history.json(&["history", "changes"]);
    let id = suspects[0]["id"].as_str().unwrap();
    let run = history.json(&["history", "list"])[0]["name"].as_str().unwrap().to_owned();
    let calls: [&[&str]; 13] = [
        &["list"],
        &["show", &run],
        &["trend", SCENARIO],
        &["best", SCENARIO],
        &["best", "handshake-ful/tls1.3"],
        &["trend", SCENARIO, "--subject", "openssl@3.5"],
        &["compare", EVIL, EVIL],
        &["changes", "--no-scan", "--all"],
        &["causes", "--all"],
        &["bisect-range", id],
        &["show", "2026"],
        &["plot", "trend", SCENARIO],
        &["decide", id, "dismissed", "--evidence", EVIL],
    ];
    for arguments in calls {
        let text = said(&history, &[&["history"], arguments].concat());
        assert!(!text.is_empty(), "{arguments:?} says nothing");
        assert!(!text.contains('\u{202e}'), "{arguments:?} runs backwards: {text}");
    }
    let text = said(&history, &["confirm", id]);
    assert!(text.contains("\\u{1b}"), "what is kept is shown as it is written: {text}");
}

#[test]
fn files_for_others_obey_nobody() {
    let history = history();
    for format in ["bencher", "github-action-benchmark-bigger", "csv", "openmetrics"] {
        let text = said(&history, &["export", "--format", format]);
        assert!(text.contains("alert(1)"), "{format}");
    }
    let pick = ["--side", "client", "--metric", "wire-bytes"];
    let svg = said(&history, &[&["history", "plot", "trend", SCENARIO], &pick[..]].concat());
    assert!(svg.contains("<svg") && !svg.contains("<script>"), "{svg}");
    let record = history.at("night-0.json");
    for format in ["md", "html"] {
        let text = said(&history, &["report", argument(&record), "--format", format]);
        // Indented by four, Markdown is code: nothing in it means anything.
        let code = |line: &&str| format == "md" && line.starts_with("    ");
        let text: String = text.lines().filter(|line| !code(line)).collect();
        assert!(text.contains("alert") && !text.contains("<script>alert"), "{format}");
        assert!(format == "html" || !text.contains("](javascript:"), "{text}");
        assert!(!text.contains("href=\"javascript:"), "{text}");
    }
}

#[test]
fn no_name_leaves_its_folder() {
    let history = history();
    history.call(&["site", argument(&history.at("site"))]).success();
    history.call(&["history", "compact", "--before", "2100-01"]).success();
    history.call(&["history", "verify"]).success();
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let mut here: Vec<String> =
        names(&history.at("")).into_iter().filter(|name| !name.starts_with("night-")).collect();
    here.sort();
    assert_eq!(here, ["history", "site"]);
    let plain =
        |name: &String| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
    for folder in ["history/runs/2026/10", "site/data", "site/data/trend", "site/data/subject"] {
        let odd: Vec<String> =
            names(&history.at(folder)).into_iter().filter(|n| !plain(n)).collect();
        assert_eq!(odd, Vec::<String>::new(), "{folder}");
    }
}
