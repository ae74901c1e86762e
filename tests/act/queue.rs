//! `merge-queue.yml`: the check that a merge queue waits for.

use crate::world::World;
use serde_json::json;

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn the_commits_of_a_merge_queue_get_their_check_at_once() {
    let world = World::new();
    let payload = json!({"action": "checks_requested", "merge_group": {
        "head_sha": world.base, "head_ref": "refs/heads/gh-readonly-queue/main/pr-12-00ff",
        "base_sha": world.base, "base_ref": "refs/heads/main",
    }});
    let ran = world.act("merge_group", "merge-queue", &payload, &[]);
    assert!(ran.success, "{}", ran.printed());
    let state = world.fake.state();
    let [check] = state.checks.values().collect::<Vec<_>>()[..] else { panic!("one check") };
    assert_eq!(check["head_sha"], world.base);
    assert_eq!((&check["name"], &check["conclusion"]), (&json!("shakedown"), &json!("success")));
    let title = check["output"]["title"].as_str().unwrap();
    assert!(title.contains("not needed"), "{title}");
}
