//! Pull requests: who may start a measurement, what a hostile one gets to see, and what is reported
//! about it. `pr-measure.yml` and `pr-report.yml`.

mod events;
mod report;

use crate::{
    FULL, SLOW,
    world::{Ran, TOKEN, VARIABLES, World},
};
use events::{commented, event, labeled, people, pull};
use report::{report, report_on, told, zipped};
use serde_json::{Value, json};
use shakedown_forge::fake::InjectedFault;
use shakedown_protocol::fixture::comparison::comparison;
use std::{
    fs,
    io::{Read, repeat},
};

fn measure(world: &World, event: &str, payload: &Value, more: &[&str]) -> Ran {
    let variables = VARIABLES.iter().flat_map(|variable| ["--var", variable]);
    let arguments: Vec<&str> = variables.chain(more.iter().copied()).collect();
    world.act(event, "pr-measure", payload, &arguments)
}

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn who_may_write_starts_a_measurement_and_nobody_else() {
    let world = World::new();
    people(&world);
    world.merge_base(&world.base, &world.base, &world.base, 0);
    let own = pull("o/shakedown", &world.base, &world.base);
    let fork = pull("mallory/shakedown", &world.base, &world.base);
    // A fork wrote the workflow that its own events start: none of its jobs is one of ours. GitHub
    // gives these events no variables. A label with another meaning makes no request at all.
    for payload in [
        event("synchronize", &fork),
        labeled("bench", "ada", &fork),
        labeled("documentation", "ada", &own),
    ] {
        let ran = world.act("pull_request", "pr-measure", &payload, &[]);
        assert!(ran.success && !ran.began("decide"), "{}", ran.printed());
    }
    assert_eq!(world.requests(|_| true), [""; 0]);

    // Runs that measured nothing are not reported.
    for conclusion in ["action_required", "skipped", "cancelled"] {
        let of = json!({"id": 7000, "run_attempt": 1, "conclusion": conclusion});
        let payload = json!({"action": "completed", "workflow_run": of});
        let ran = world.act("workflow_run", "pr-report", &payload, &[]);
        assert!(ran.success && !ran.began("report"), "{conclusion}: {}", ran.printed());
    }

    let mut moved = labeled("bench", "ada", &own);
    moved["pull_request"]["head"]["sha"] = "ab".repeat(20).into();
    for (name, payload, now, why) in [
        ("pull_request", labeled("bench", "mallory", &own), &own, "it takes `write`"),
        ("pull_request", moved, &own, "set it again"),
        ("issue_comment", commented("/bench", "mallory"), &fork, "it takes `write`"),
    ] {
        world.answer("pulls/12", now.clone());
        let ran = measure(&world, name, &payload, &[]);
        assert!(ran.success && ran.printed().contains(why), "{why}: {}", ran.printed());
        assert!(ran.began("decide") && !ran.began("measure"), "{why}: {}", ran.printed());
    }

    // Where the answer is yes, the first job alone says so: measuring takes its time below.
    let only = ["-j", "decide"];
    let ran = measure(&world, "issue_comment", &commented("/bench standard", "ada"), &only);
    assert_eq!(ran.output("allowed"), Some("true"), "{}", ran.printed());
    assert_eq!(ran.output("suite"), Some("standard"));
    assert_eq!(ran.output("head_sha"), Some(&*world.base));
    world.answer("pulls/12", own.clone());
    let ran = measure(&world, "pull_request", &event("opened", &own), &only);
    assert_eq!(ran.output("fork"), Some("false"), "{}", ran.printed());
    assert_eq!(world.requests(|method| method != "GET"), [""; 0], "it tells nobody anything");
}

/// A commit that slows, judges itself, measures itself, and looks around while it is built.
fn hostile(world: &World) -> String {
    world.git(&["checkout", "-q", "-B", "fix", &world.base]);
    world.edit(SLOW[0], SLOW[1], SLOW[2]);
    world.edit("thresholds/tiny.toml", "action = \"fail\"", "action = \"report\"");
    let inside = "#!/usr/bin/env bash\nprintf '0\\n' >\"$OUT/code\"\n";
    fs::write(world.at("repo/scripts/workflow/in-sandbox"), inside).unwrap();
    let address = world.fake.url().replace("http://", "");
    let spy = include_str!("spy.rs").replace("@ADDRESS@", &address);
    fs::write(world.at("repo/bench/drivers/noop/build.rs"), spy).unwrap();
    let head = world.commit("fix");
    world.push("HEAD:refs/pull/12/head");
    world.git(&["checkout", "-q", "main"]);
    head
}

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn a_hostile_pull_request_is_measured_behind_walls_and_judged_by_the_default_branch() {
    let world = World::new();
    people(&world);
    let head = hostile(&world);
    // Main has moved on since the fork left it: what others have merged is not the fork's.
    let tip = world.commit("merged since");
    world.merge_base(&tip, &head, &world.base, 1);
    world.answer("pulls/12", pull("mallory/shakedown", &tip, &head));
    let sandbox = world.program("sandbox", "sandbox");
    let sandbox = format!("SHAKEDOWN_SANDBOX={}", sandbox.display());
    let ran = measure(&world, "issue_comment", &commented("/bench", "ada"), &["--env", &sandbox]);
    // Its policy would have called this a pass, and so would its script.
    assert_eq!(ran.output("verdict"), Some("regressed"), "{}", ran.printed());
    assert!(
        ran.success,
        "the report, not the measurement, fails for a regression: {}",
        ran.printed()
    );
    assert!(ran.printed().contains(&format!("base is {}", world.base)), "{}", ran.printed());
    walls_held(&world, &ran);

    let record = fs::read(world.at("artifacts/record-1/record.json")).unwrap();
    let ran = report(&world, 7001, &head, Some(zipped(&*record)));
    assert!(!ran.success, "{}", ran.printed());
    assert_eq!(
        ran.step("report", "Fail as the verdict says"),
        Some("failure"),
        "{}",
        ran.printed()
    );
    let (comment, conclusion) = told(&world, &head);
    assert!(comment.contains("### ❌") && comment.contains("allocations"), "{comment}");
    assert_eq!(conclusion, "failure");
    the_comment_follows(&world, &head);
}

/// What the build script found, and what became of what it said.
fn walls_held(world: &World, ran: &Ran) {
    let calls = fs::read_to_string(world.at("sandbox.log")).unwrap();
    assert_eq!(calls.lines().collect::<Vec<_>>(), ["fetch", "build"]);
    let found = fs::read_to_string(world.at("spy")).unwrap();
    assert!(of("variable ", &found).len() > 5, "{found}");
    for secret in ["TOKEN", "GITHUB_", "ACTIONS_", "RUNNER_", TOKEN] {
        assert!(!found.contains(secret), "{secret} in {found}");
    }
    assert_eq!(of("history ", &found), [""; 0], "no repository and no history is in there");
    assert!(matches!(of("network ", &found)[..], [line] if !line.contains("reached")), "{found}");
    // It spoke to the runner, who was told not to listen.
    let said = |line: &&Value| line["raw"].as_str().is_some_and(|raw| raw.contains("hostname"));
    let heard: Vec<&Value> = ran.log.iter().filter(said).collect();
    assert!(!heard.is_empty(), "the build script said nothing: {}", ran.printed());
    assert!(heard.iter().all(|line| line["command"] == "ignored"), "{heard:?}");
}

/// What the build script wrote of a kind.
fn of<'a>(kind: &str, found: &'a str) -> Vec<&'a str> {
    found.lines().filter(|line| line.starts_with(kind)).collect()
}

/// Later runs: sound, full of markup and lies, a bomb, and none at all.
fn the_comment_follows(world: &World, head: &str) {
    let record = serde_json::to_vec(&comparison(&[(FULL, [1.0, 1.0])])).unwrap();
    let ran = report(world, 7002, head, Some(zipped(&*record)));
    assert!(ran.success, "{}", ran.printed());
    let (comment, conclusion) = told(world, head);
    assert!(comment.contains("### ✅") && !comment.contains("❌"), "{comment}");
    assert_eq!(conclusion, "success");

    let mut lies = comparison(&[(FULL, [1.0, 0.93])]);
    lies.host.name = "</details><script>alert(1)</script> @o/everybody".to_owned();
    let mut lies = serde_json::to_value(lies).unwrap();
    lies["verdict"] = json!({"consequence": "none", "headline": "all is well"});
    lies["pull_request"] = 666.into();
    lies["head_sha"] = "ef".repeat(20).into();
    let ran = report(world, 7003, head, Some(zipped(lies.to_string().as_bytes())));
    assert!(!ran.success, "{}", ran.printed());
    let (comment, conclusion) = told(world, head);
    assert!(comment.contains("### ❌ 1 regressed") && comment.contains("runs/7003"), "{comment}");
    for wrong in ["<script", "</details><", "@o/", "all is well", "#666", "pull/666"] {
        assert!(!comment.contains(wrong), "{wrong} in {comment}");
    }
    assert_eq!(conclusion, "failure");

    let bomb = zipped(repeat(b' ').take(80 << 20));
    assert!(bomb.len() < 1 << 20, "it is small: {}", bomb.len());
    for (run, artifact, why) in [(7004, Some(bomb), "more than"), (7005, None, "no artifact")] {
        let ran = report(world, run, head, artifact);
        assert!(!ran.success, "{}", ran.printed());
        let (comment, conclusion) = told(world, head);
        assert!(comment.contains("not measured") && comment.contains(why), "{comment}");
        assert_eq!(conclusion, "failure");
    }
    // The fork's own event, by a workflow that it has edited: its record is no measurement.
    let of = ["pull_request", "mallory/shakedown", "fix"];
    let ran = report_on(world, 7006, of, head, Some(zipped(&*record)));
    assert_eq!(
        ran.step("report", "Fail as the verdict says"),
        Some("failure"),
        "{}",
        ran.printed()
    );
    let (comment, conclusion) = told(world, head);
    assert!(comment.contains("not measured: nobody who may has asked"), "{comment}");
    assert_eq!(conclusion, "failure");
    // A locked conversation costs the comment, and nothing else.
    world.fake.fail(InjectedFault {
        of: ("PATCH", "/issues/comments/"),
        status: 403,
        message: "Unable to create comment because issue is locked.",
        ..InjectedFault::default()
    });
    let ran = report(world, 7007, head, Some(zipped(&*record)));
    assert!(ran.success, "{}", ran.printed());
    assert_eq!(told(world, head).1, "success");
    let allowed = ["/issues/12/comments", "/issues/comments/", "/check-runs"];
    for line in world.requests(|method| method != "GET") {
        assert!(allowed.iter().any(|part| line.contains(part)), "{line}");
    }
}
