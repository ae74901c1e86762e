//! Who may start a measurement of a pull request, what they are answered, and the check in progress.
//! `pr-measure.yml`, and the end of a run that measured nothing in `pr-report.yml`.

use crate::{
    payload::{commented, event, labeled, measure, people, pull},
    world::World,
};
use serde_json::{Value, json};
use shakedown_forge::fake::InjectedFault;

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn who_may_write_starts_a_measurement_and_nobody_else() {
    let world = World::new();
    people(&world);
    world.merge_base(&world.base, &world.base, &world.base, 0);
    let own = pull("o/shakedown", &world.base, &world.base);
    let fork = pull("mallory/shakedown", &world.base, &world.base);
    // A fork wrote the workflow that its own events start: none of its jobs is one of ours. GitHub
    // gives these events no variables. A label that means something else is not even asked about.
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
    for conclusion in ["action_required", "skipped"] {
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
        // Who asked is told why, in one comment.
        let state = world.fake.state();
        let told: Vec<_> = state.comments.values().collect();
        let [(12, _, body)] = told[..] else { panic!("{told:?}") };
        assert!(body.contains(why), "{body}");
        assert!(state.checks.is_empty());
    }
    assert_eq!(world.fake.state().reactions, [(800, "-1".to_owned())]);

    // Where the answer is yes, the first job alone says so: measuring takes its time below. A
    // conversation that is locked takes no reaction, and does not cost the check.
    for part in ["/reactions", "/issues/comments/"] {
        world.fake.fail(InjectedFault {
            of: (if part == "/reactions" { "POST" } else { "DELETE" }, part),
            status: 403,
            message: "Unable to create reaction because issue is locked.",
            ..InjectedFault::default()
        });
    }
    let only = ["-j", "decide"];
    let ran = measure(&world, "issue_comment", &commented("/bench standard", "ada"), &only);
    assert!(ran.success && ran.printed().contains("issue is locked"), "{}", ran.printed());
    assert_eq!(ran.output("allowed"), Some("true"), "{}", ran.printed());
    assert_eq!(ran.output("suite"), Some("standard"));
    assert_eq!(ran.output("head_sha"), Some(&*world.base));
    world.fake.state().checks.clear();
    let ran = measure(&world, "issue_comment", &commented("/bench", "ada"), &only);
    assert!(ran.success, "{}", ran.printed());
    {
        let state = world.fake.state();
        assert_eq!(state.reactions[1..], [(800, "eyes".to_owned())]);
        assert!(state.comments.is_empty(), "the refusal is gone: {:?}", state.comments);
    }
    in_progress(&world);

    world.answer("pulls/12", own.clone());
    let ran = measure(&world, "pull_request", &event("opened", &own), &only);
    assert_eq!(ran.output("fork"), Some("false"), "{}", ran.printed());
    in_progress(&world);
    cancelled(&world, &own);
}

/// A check says that it is being measured, and what is before it.
fn in_progress(world: &World) {
    let state = world.fake.state();
    let [check] = state.checks.values().collect::<Vec<_>>()[..] else { panic!("one check") };
    assert_eq!(check["head_sha"], world.base);
    assert_eq!((&check["name"], &check["status"]), (&json!("shakedown"), &json!("in_progress")));
    let text = check["output"]["summary"].as_str().unwrap();
    assert!(text.contains("queue is not known"), "{text}");
    let id = check["external_id"].as_str().unwrap();
    assert!(id.ends_with(&format!("/12/{}", world.base)), "{id}");
}

/// The check of a run that was cancelled does not stay in progress, and nothing else is told of it.
fn cancelled(world: &World, pull: &Value) {
    let id = world.fake.state().checks.values().next().unwrap()["external_id"].clone();
    let stamp = id.as_str().unwrap().trim_start_matches("shakedown:").to_owned();
    let run: u64 = stamp.split('.').next().unwrap().parse().unwrap();
    let of = json!({
        "id": run, "run_attempt": 1, "event": "pull_request", "head_sha": world.base,
        "head_branch": "fix", "head_repository": {"full_name": "o/shakedown"},
        "path": ".github/workflows/pr-measure.yml", "conclusion": "cancelled", "html_url": "",
    });
    world.answer(&format!("actions/runs/{run}"), of.clone());
    world.answer("pulls", json!([pull]));
    let payload = json!({"action": "completed", "workflow_run": of});
    let ran = world.act("workflow_run", "pr-report", &payload, &[]);
    assert!(ran.success, "{}", ran.printed());
    let state = world.fake.state();
    let [check] = state.checks.values().collect::<Vec<_>>()[..] else { panic!("one check") };
    assert_eq!(check["conclusion"], "cancelled", "{check}");
    assert!(state.comments.is_empty(), "{:?}", state.comments);
}
