//! `compare.yml`, called as another project calls it.

use crate::{
    SLOW,
    world::{Ran, World},
};
use serde_json::{Value, json};
use std::fs;

fn compare(world: &World, head: &str, more: &[&str]) -> Ran {
    let inputs = json!({"base": world.base, "head": head, "policy": "thresholds/tiny.toml"});
    // Variables of the caller have no say in what judges.
    let mut arguments = vec!["--var", "BENCH_REQUIRE_FIT=false", "--var", "SHAKEDOWN_REF=nonsense"];
    arguments.extend(more);
    world.act("workflow_dispatch", "caller", &json!({"inputs": inputs}), &arguments)
}

/// The forge at a commit that a caller has pinned; since then, the default branch has got a judge that likes
/// everything. act does not know what GitHub tells a called workflow of itself, so it is put in here.
fn pinned() -> World {
    let mut world = World::new();
    let pin = world.base.clone();
    let workflow = ".github/workflows/compare.yml";
    world.edit(workflow, "${{ job.workflow_repository }}", "o/shakedown");
    world.edit(workflow, "${{ job.workflow_sha }}", &pin);
    fs::write(world.at("repo/scripts/workflow/compare"), "#!/bin/sh\nexit 0\n").unwrap();
    world.base = world.commit("merged since");
    world
}

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn a_change_that_slows_is_red_and_one_that_does_not_is_green() {
    let world = pinned();
    let slow = world.change("slow", SLOW[0], SLOW[1], SLOW[2]);
    let none = ["--env", "SHAKEDOWN_SANDBOX=none"];
    let ran = compare(&world, &slow, &none);
    assert!(!ran.success);
    assert_eq!(ran.output("verdict"), Some("regressed"), "{}", ran.printed());
    let record = fs::read_to_string(world.at("artifacts/record-1/record.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["subjects"].as_array().unwrap().len(), 2);

    let same = world.change("same", SLOW[0], "/// An empty", "/// A rather empty");
    fs::remove_dir_all(world.at("artifacts")).unwrap();
    let ran = compare(&world, &same, &none);
    assert!(ran.success, "{}", ran.printed());
    assert!(matches!(ran.output("verdict"), Some("pass" | "inconclusive")), "{}", ran.printed());
}

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn nothing_is_built_without_a_sandbox_or_from_a_commit_that_is_not_there() {
    let world = pinned();
    let ran = compare(&world, &world.base, &["--env", "SHAKEDOWN_SANDBOX="]);
    assert!(!ran.success && matches!(ran.output("verdict"), None | Some("")), "{}", ran.printed());
    let log = fs::read_to_string(world.at("log.json")).unwrap();
    assert!(log.contains("this host has no sandbox"), "{log}");
    assert!(!world.at("artifacts/record-1").exists());

    let ran = compare(&world, &"0".repeat(40), &["--env", "SHAKEDOWN_SANDBOX=none"]);
    assert!(!ran.success);
    let log = fs::read_to_string(world.at("log.json")).unwrap();
    assert!(log.contains("there is no head 000"), "{log}");
}
