//! Pull requests: what a hostile one gets to see, and what is reported about it. `pr-measure.yml` and
//! `pr-report.yml`.

mod report;

use crate::{
    FULL, SLOW,
    payload::{commented, measure, people, pull},
    world::{Ran, TOKEN, World},
};
use report::{archive, report, report_on, told, zipped};
use serde_json::{Value, json};
use shakedown_forge::fake::InjectedFault;
use shakedown_protocol::fixture::comparison::comparison;
use std::{
    fs,
    io::{Read, repeat},
};

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

    let files = ["record.json", "explanation.json"];
    let read = |name: &str| fs::read(world.at(&format!("artifacts/record-1/{name}"))).unwrap();
    let texts = files.map(read);
    let artifact = archive(files.into_iter().zip(texts.iter().map(|text| &text[..])));
    let ran = report(&world, 7001, &head, Some(artifact));
    assert!(!ran.success, "{}", ran.printed());
    assert_eq!(
        ran.step("report", "Fail as the verdict says"),
        Some("failure"),
        "{}",
        ran.printed()
    );
    let (comment, conclusion) = told(&world, &head);
    assert!(comment.contains("### ❌") && comment.contains("allocations"), "{comment}");
    assert!(comment.contains("2 commits behind main"), "{comment}");
    // Where the vector is made that slows it.
    let (_, why) = comment.split_once("#### Why").unwrap_or_else(|| panic!("{comment}"));
    assert!(why.contains("allocations/op"), "{why}");
    assert!(world.at("artifacts/report-1/report.html").exists(), "{}", ran.printed());
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
    assert!(
        comment.contains("### ❌ Failed: 1 regressed") && comment.contains("runs/7003"),
        "{comment}"
    );
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
    // The fork's own event, by a workflow that it has edited: its record is no measurement, and nothing
    // is told of it. The commit may be one of ours, too.
    let before = (told(world, head), world.fake.state().checks.len());
    let of = ["pull_request", "mallory/shakedown", "fix"];
    let ran = report_on(world, 7006, of, head, Some(zipped(&*record)));
    assert!(ran.success && ran.step("report", "Judge").is_none(), "{}", ran.printed());
    assert_eq!((told(world, head), world.fake.state().checks.len()), before);
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
