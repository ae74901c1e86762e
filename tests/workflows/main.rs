//! The rules that every workflow and composite action of this repository keeps, read off the
//! files themselves.

mod actions;
mod documented;
mod patterns;
mod rights;
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

/// What shows numbers elsewhere is off unless a variable asks for it: an existing site would be replaced. The one job that
/// sees a secret builds nothing, and what it runs is built from a commit.
#[test]
fn nothing_is_published_unless_asked_for_and_who_sees_a_secret_builds_nothing() {
    let nightly = files().into_iter().find(|file| file.name == "workflows/nightly.yml").unwrap();
    for (job, asked) in [
        ("pages", "vars.BENCH_PAGES == 'on'"),
        ("chart", "vars.BENCH_CHART == 'on'"),
        ("bencher-cli", "vars.BENCHER_PROJECT != ''"),
    ] {
        let condition = nightly.yaml["jobs"][job]["if"].as_str().unwrap_or_default();
        assert!(condition.contains(&format!("&& {asked}")), "{job}: {condition}");
    }
    assert_eq!(nightly.yaml["jobs"]["bencher"]["needs"], "bencher-cli");
    let secrets = |file: &yaml::File| -> Vec<String> {
        let jobs = file.jobs().into_iter().filter(|(_, job)| job.to_string().contains("secrets."));
        jobs.map(|(name, _)| name.to_owned()).collect()
    };
    let with_secrets: Vec<String> = files().iter().flat_map(secrets).collect();
    assert_eq!(with_secrets, ["bencher"]);
    let steps = nightly.yaml["jobs"]["bencher"]["steps"].as_array().unwrap();
    let runs: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    assert_eq!(runs, ["shakedown/scripts/workflow/bencher upload"]);
    let script = include_str!("../../scripts/workflow/bencher");
    let commit = script.lines().find_map(|line| line.strip_prefix("commit=")).unwrap();
    assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{commit}");
    assert!(script.contains("--rev \"$commit\""), "{script}");
}

/// A study that fails, takes too long or finds no host is missing on the site, and nothing else is.
#[test]
fn a_study_costs_the_night_no_more_than_its_own_job() {
    let nightly = files().into_iter().find(|file| file.name == "workflows/nightly.yml").unwrap();
    let needs = |job: &serde_json::Value| job["needs"].to_string().contains("\"study\"");
    let waits: Vec<&str> =
        nightly.jobs().into_iter().filter(|(_, job)| needs(job)).map(|(name, _)| name).collect();
    assert_eq!(waits, ["conclude"]);
    let condition = nightly.yaml["jobs"]["conclude"]["if"].as_str().unwrap();
    assert!(condition.contains("!cancelled()") && !condition.contains("study"), "{condition}");
    let study = &nightly.yaml["jobs"]["study"];
    let steps = study["steps"].as_array().unwrap();
    let minutes = steps.iter().find_map(|step| step["env"]["STUDY_MINUTES"].as_str()).unwrap();
    let default: u64 = minutes.split('\'').nth(1).unwrap().parse().unwrap();
    assert!(study["timeout-minutes"].as_u64().unwrap() >= default + 60, "{minutes}");
    let uploads = steps.iter().filter_map(|step| step["with"]["name"].as_str());
    assert_eq!(uploads.collect::<Vec<_>>(), ["study-${{ github.run_attempt }}"]);
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
