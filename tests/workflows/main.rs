//! The rules that every workflow and composite action of this repository keeps, read off the
//! files themselves.

mod rules;
mod yaml;

use std::collections::BTreeSet;
use yaml::{Kind, files};

#[test]
fn the_workflows_are_those_that_are_documented() {
    let found: Vec<String> = files().into_iter().map(|file| file.name).collect();
    for name in [
        "ci",
        "compare",
        "cross-check",
        "merge-queue",
        "nightly",
        "pr-measure",
        "pr-report",
        "release",
        "runner-version",
        "signoff",
    ] {
        let name = format!("workflows/{name}.yml");
        assert!(found.contains(&name), "{name} is missing: {found:?}");
    }
    assert!(found.iter().any(|name| name.starts_with("actions/")), "{found:?}");
}

#[test]
fn every_rule_holds_everywhere() {
    let mut broken = Vec::new();
    for file in files() {
        rules::steps(&file, &mut broken);
        rules::pins(&file, &mut broken);
        rules::artifacts(&file, &mut broken);
        if file.kind == Kind::Workflow {
            rules::events(&file, &mut broken);
            rules::permissions(&file, &mut broken);
            rules::jobs(&file, &mut broken);
            rules::hosts(&file, &mut broken);
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// What is pinned is what docs/security.md tells the reader to have been checked.
#[test]
fn every_pin_stands_in_the_table_of_those_that_were_checked() {
    let table = include_str!("../../docs/security.md");
    let pins: BTreeSet<String> =
        files().iter().flat_map(|file| rules::pinned(&file.text)).collect();
    assert!(pins.len() > 5, "{pins:?}");
    for row in &pins {
        assert!(table.contains(row), "docs/security.md has no line {row}");
    }
    assert_eq!(
        table.matches("| actions/").count() + table.matches("| benchmark-action/").count(),
        pins.len()
    );
}

/// Each rule finds what it is for: a file that breaks all of them is reported by all of them.
#[test]
fn a_file_that_breaks_the_rules_is_told_of() {
    let bad = include_str!("bad.yml");
    let file = yaml::File::parse("workflows/bad.yml", bad, Kind::Workflow);
    let mut broken = Vec::new();
    rules::steps(&file, &mut broken);
    rules::pins(&file, &mut broken);
    rules::artifacts(&file, &mut broken);
    rules::events(&file, &mut broken);
    rules::permissions(&file, &mut broken);
    rules::jobs(&file, &mut broken);
    rules::hosts(&file, &mut broken);
    let told = broken.join("\n");
    for part in [
        "actions/checkout@v6 is not pinned",
        "says no version",
        "persist-credentials",
        "the name `record` of an artifact carries no attempt",
        "the name `` of an artifact carries no attempt",
        "overwrite: true does not say why",
        "pull_request_target",
        "permissions at the top are not {}",
        "job `all`: no timeout-minutes",
        "job `all`: no permissions of its own",
        "job `all`: write on a host of ours",
        "no concurrency group",
        "more than one line",
        "neither shakedown nor a script",
        "an expression inside of `run`",
        "a secret on a host of ours",
    ] {
        assert!(told.contains(part), "{part:?} is not told:\n{told}");
    }
}
