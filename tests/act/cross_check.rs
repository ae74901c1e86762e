//! `cross-check.yml`: a pool whose third host is slower than the others.

use crate::world::World;
use serde_json::json;
use std::fs;

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn a_host_that_does_not_agree_with_its_pool_gets_an_issue() {
    let mut world = World::new();
    world.edit("bench/catalog/suites/tiny.toml", "blocks = 2", "blocks = 5");
    world.base = world.commit("as many blocks as an interval needs");
    world.program("sandbox", "sandbox");
    let sandbox = world.program("sandbox-of-a-pool", "sandbox-of-a-pool");
    let sandbox = format!("SHAKEDOWN_SANDBOX={}", sandbox.display());
    let variables = [
        "BENCH_HOSTS=bench-1 bench-2 bench-3",
        "BENCH_CROSS_CHECK_SUITE=tiny",
        "BENCH_CROSS_CHECK_SUBJECTS=noop noop@0.1.0",
        "BENCH_REQUIRE_FIT=false",
    ];
    let mut arguments = vec!["--env", &sandbox];
    arguments.extend(variables.iter().flat_map(|variable| ["--var", *variable]));
    let check = |more: &[&str]| {
        let payload = json!({"schedule": "17 13 * * 6"});
        world.act("schedule", "cross-check", &payload, &[&arguments, more].concat())
    };

    let ran = check(&[]);
    assert!(ran.success, "{}", ran.printed());
    let calls = fs::read_to_string(world.at("sandbox.log")).unwrap();
    assert_eq!(calls, "fetch\nbuild\n", "it was built in the sandbox");
    for host in ["bench-1", "bench-2", "bench-3"] {
        assert!(world.at(&format!("artifacts/cross-check-{host}-1/run/record.json")).exists());
    }
    let told = world.requests(|method| method != "GET");
    assert_eq!(told, ["POST /repos/o/shakedown/issues"], "{}", ran.printed());
    let issue = world.fake.state().issues.values().next().unwrap().clone();
    assert_eq!(issue["title"], "bench-3 does not agree with the other hosts");
    let body = issue["body"].as_str().unwrap();
    assert!(body.contains("OUTLIER") && body.contains("0.909"), "{body}");

    // Another attempt: its records count, beside those of the first one.
    let script = world.at("sandbox-of-a-pool");
    let quick = fs::read_to_string(&script).unwrap().replace("then 1.1", "then 1");
    fs::write(&script, quick).unwrap();
    let ran = check(&["--env", "GITHUB_RUN_ATTEMPT=2"]);
    assert!(ran.success, "{}", ran.printed());
    let issue = world.fake.state().issues.values().next().unwrap().clone();
    assert_eq!(issue["state"], "closed", "it agrees again");
}
