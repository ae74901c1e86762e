//! `signoff.yml`: a release, a tag, and a candidate that somebody names.

use crate::world::{Ran, World};
use serde_json::{Value, json};
use std::fs;

/// Makes the repository one of a library, with two releases of next to nothing and a copy of the
/// workflows, as docs/adopting.md has it; the tool is in another repository. Gives the second
/// release's commit.
fn library(world: &mut World) -> String {
    fs::rename(world.forge(), world.at("forge/o/tool.git")).unwrap();
    let (folder, forge) = (world.at("library"), world.forge());
    let workflows = folder.join(".github/workflows");
    fs::create_dir_all(&workflows).unwrap();
    fs::copy(world.at("repo/.github/workflows/signoff.yml"), workflows.join("signoff.yml"))
        .unwrap();
    let (at, forge) = (folder.to_str().unwrap(), forge.to_str().unwrap());
    world.git(&["init", "-q", "--bare", "-b", "main", forge]);
    world.git(&["-C", at, "init", "-q", "-b", "main"]);
    world.git(&["-C", at, "remote", "add", "origin", "https://github.com/o/shakedown"]);
    for tag in ["v/1.0.1", "benchmark-7.0", "v/1.1.0"] {
        let manifest = format!("# {tag}\n[package]\nname = \"noop\"\nversion = \"0.1.0\"\n");
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        world.git(&["-C", at, "add", "-A"]);
        world.git(&["-C", at, "commit", "-q", "-m", tag]);
        world.git(&["-C", at, "tag", tag]);
    }
    world.git(&["-C", at, "push", "-q", "--tags", forge, "HEAD"]);
    world.place = "library";
    world.git(&["-C", at, "rev-parse", "HEAD"])
}

fn sign_off(world: &World, event: &str, payload: &Value, more: &[&str]) -> Ran {
    let tool = "SHAKEDOWN_REPOSITORY=o/tool";
    let sandbox = format!("SHAKEDOWN_SANDBOX={}", world.program("sandbox", "sandbox").display());
    let mut arguments =
        vec!["--var", "BENCH_SUITE=tiny", "--var", tool, "--var", "SHAKEDOWN_REF=main"];
    arguments.extend(["--env", &sandbox]);
    arguments.extend(more);
    world.act(event, "signoff", payload, &arguments)
}

/// Kinds of reasons in the folder that was handed over; the host's own state is left out.
fn reasons(world: &World) -> Vec<String> {
    let text = fs::read_to_string(world.at("artifacts/signoff-1/against.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let kinds = all.iter().map(|one| one["kind"].as_str().unwrap().to_owned());
    kinds.filter(|kind| kind != "host").collect()
}

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn a_release_is_held_against_the_one_before_and_its_folder_is_attested_whatever_it_says() {
    let mut world = World::new();
    let next = library(&mut world);
    // A tag of a repository that measures no library: nothing to sign off.
    let tag = json!({"ref": "refs/tags/v/1.1.0", "deleted": false, "after": next});
    let ran = sign_off(&world, "push", &tag, &[]);
    assert!(ran.success && !ran.began("measure") && !ran.began("attest"), "{}", ran.printed());

    fs::create_dir(world.at("bin/releases")).unwrap();
    fs::write(world.at("bin/releases/v%2F1.1.0"), "").unwrap();
    let ran = sign_off(&world, "push", &tag, &["--var", "BENCH_STACK=noop"]);
    assert!(!ran.success, "there is no history to stand on: {}", ran.printed());
    assert_eq!(ran.step("measure", "Sign off"), Some("failure"), "{}", ran.printed());
    assert!(world.at("artifacts/signoff-1/against.json").exists(), "{}", ran.printed());
    assert!(reasons(&world).contains(&"evidence".to_owned()), "{:?}", reasons(&world));
    for step in ["Check it, and pack it", "Attest", "Attach to the release"] {
        assert_eq!(ran.step("attest", step), Some("success"), "{step}: {}", ran.printed());
    }
    let read = |path: &str| fs::read_to_string(world.at(path)).unwrap();
    let attested = read("artifacts/attested");
    for file in ["signoff.tar.gz", "signoff/SHA256SUMS"] {
        assert!(attested.lines().any(|line| line.ends_with(file)), "{file} in {attested}");
    }
    let attached = read("bin/gh.log");
    let call = "release upload --repo o/shakedown --clobber -- v/1.1.0 signoff.tar.gz";
    assert_eq!(attached.lines().nth(1), Some(call));
    for file in ["record.json", "signoff.html", "policy.toml", "host.json", "SHA256SUMS"] {
        assert!(attached.contains(&format!("signoff/{file}\n")), "{file} in {attached}");
    }
    let record: Value = serde_json::from_str(&read("artifacts/signoff-1/record.json")).unwrap();
    let of = |at: usize| record["subjects"][at]["asked"].to_string();
    assert!(of(0).contains("source/base") && of(1).contains("source/head"), "{}", of(0));
    let calls = fs::read_to_string(world.at("sandbox.log")).unwrap();
    assert_eq!(calls, "fetch\nbuild\n", "it was built in the sandbox");
    named_by_hand(&world);
}

/// Candidate and baseline from the form: here the same code, which proves nothing.
fn named_by_hand(world: &World) {
    fs::remove_dir_all(world.at("artifacts")).unwrap();
    let inputs = json!({"candidate": "noop", "baseline": "noop@0.1.0", "suite": "tiny"});
    let ran = sign_off(world, "workflow_dispatch", &json!({"inputs": inputs}), &[]);
    assert!(!ran.success, "{}", ran.printed());
    let told = fs::read_to_string(world.at("artifacts/signoff-1/against.json")).unwrap();
    assert!(told.contains("the same code"), "{told}");
    assert_eq!(ran.step("attest", "Attest"), Some("success"), "{}", ran.printed());
    // There is no release that it could be attached to: the one call is that of before.
    let calls = fs::read_to_string(world.at("bin/gh.log")).unwrap();
    assert_eq!(calls.matches("release upload").count(), 1, "{calls}");
}
