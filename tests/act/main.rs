//! The workflows, run by act on this machine with the real command and a real, tiny stack. The
//! actions of others are stand-ins of a few lines (`tests/act/actions`).
//!
//! `scripts/test` calls this: act must be there, and a build takes part.

mod api;
mod world;

use api::Api;
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt};
use world::{Ran, World};

/// One more allocation in each flight of a handshake.
const SLOW: [&str; 3] = [
    "bench/drivers/noop/src/main.rs",
    "            self.steps -= 1;",
    "            self.steps -= 1;\n            std::hint::black_box(vec![0_u8; 4096]);",
];

fn compare(world: &World, head: &str, more: &[&str]) -> Ran {
    let inputs = json!({"base": world.base, "head": head, "policy": "thresholds/tiny.toml"});
    let mut arguments = vec!["--var", "BENCH_REQUIRE_FIT=false"];
    arguments.extend(more);
    world.act("workflow_dispatch", "caller", &json!({"inputs": inputs}), &arguments)
}

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn a_change_that_slows_is_red_and_one_that_does_not_is_green() {
    let world = World::new();
    let slow = world.change("slow", SLOW[0], SLOW[1], SLOW[2]);
    let none = ["--env", "SHAKEDOWN_SANDBOX=none"];
    let ran = compare(&world, &slow, &none);
    assert!(!ran.success);
    assert_eq!(ran.output("verdict"), Some("regressed"), "{}", ran.printed());
    let record = fs::read_to_string(world.at("artifacts/record/record.json")).unwrap();
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
    let world = World::new();
    let ran = compare(&world, &world.base, &["--env", "SHAKEDOWN_SANDBOX="]);
    assert!(!ran.success && matches!(ran.output("verdict"), None | Some("")), "{}", ran.printed());
    let log = fs::read_to_string(world.at("log.json")).unwrap();
    assert!(log.contains("this host has no sandbox"), "{log}");
    assert!(!world.at("artifacts/record").exists());

    let ran = compare(&world, &"0".repeat(40), &["--env", "SHAKEDOWN_SANDBOX=none"]);
    assert!(!ran.success);
    let log = fs::read_to_string(world.at("log.json")).unwrap();
    assert!(log.contains("there is no head 000"), "{log}");
}

/// The sandbox's command line is that of runner-setup; this one has no walls but the network's,
/// and an environment with nothing in it.
#[test]
#[ignore = "needs act: scripts/test calls it"]
fn foreign_code_is_built_and_measured_inside_of_the_sandbox() {
    let world = World::new();
    let stand_in = world.at("sandbox");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/act/sandbox"), &stand_in).unwrap();
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).unwrap();
    // A build script that looks around, as one of a hostile pull request would.
    world.git(&["checkout", "-q", "-B", "spy", &world.base]);
    let spy = "fn main() {\n    let seen: Vec<String> = std::env::vars().map(|(name, _)| name).collect();\n    \
               let net = std::net::TcpStream::connect(\"127.0.0.1:9\").map_err(|e| e.kind());\n    \
               println!(\"cargo:warning={net:?}\");\n    \
               let out = std::env::var(\"SPY\").unwrap_or(\"/tmp/nowhere\".into());\n    \
               let _ = std::fs::write(out, \"\");\n    \
               assert!(!seen.iter().any(|name| name.contains(\"TOKEN\") || name.starts_with(\"GITHUB_\") || name.starts_with(\"ACTIONS_\")), \"{seen:?}\");\n}\n";
    fs::write(world.at("repo/bench/drivers/noop/build.rs"), spy).unwrap();
    let head = world.commit("spy");
    world.git(&["checkout", "-q", "main"]);
    let sandbox = format!("SHAKEDOWN_SANDBOX={}", stand_in.display());
    let ran = compare(&world, &head, &["--env", &sandbox, "--secret", "GITHUB_TOKEN=hunter2"]);
    assert!(matches!(ran.output("verdict"), Some("pass" | "inconclusive")), "{}", ran.printed());
    let calls = fs::read_to_string(world.at("sandbox.log")).unwrap();
    assert_eq!(calls.lines().collect::<Vec<_>>(), ["fetch", "build"]);
}

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn a_night_becomes_history_and_site_and_an_unfit_host_is_told_loudly() {
    let world = World::new();
    let api = Api::start();
    let inputs = json!({"suite": "tiny", "subjects": "noop", "host": "bench"});
    let event = json!({"inputs": inputs});
    let url = format!("GITHUB_API_URL={}", api.url);
    let strict = ["--env", &url, "--secret", "GITHUB_TOKEN=t", "--var", "BENCH_NOISE_BLOCKS=0"];
    let mut lax = strict.to_vec();
    lax.extend(["--var", "BENCH_REQUIRE_FIT=false"]);
    let ran = world.act("workflow_dispatch", "nightly", &event, &lax);
    assert!(ran.success, "{}", ran.printed());
    let record = fs::read_to_string(world.at("artifacts/night-bench/run/record.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["plan"]["suite"], "tiny");
    assert!(world.at("artifacts/github-pages/index.html").exists());
    assert!(world.at("artifacts/numbers/bigger.json").exists());
    let kept = world.at("forge/o/shakedown.git/refs/heads/history");
    assert!(kept.exists(), "the night is on branch history");
    assert!(api.requests().iter().all(|request| request.starts_with("GET ")), "nothing to tell");

    // This machine is not tuned: without leave to measure all the same, it is not measured.
    fs::remove_dir_all(world.at("artifacts")).unwrap();
    let ran = world.act("workflow_dispatch", "nightly", &event, &strict);
    assert!(ran.success, "an unfit host is no red night: {}", ran.printed());
    assert_eq!(ran.step("measure", "Measure"), None);
    assert!(!world.at("artifacts/night-bench/run").exists());
    let told: Vec<String> =
        api.requests().into_iter().filter(|request| request.starts_with("POST ")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("POST /repos/o/shakedown/issues "), "{told:?}");
    assert!(told[0].contains("bench is not fit to measure"), "{told:?}");
}
