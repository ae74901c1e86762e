//! `ci.yml`: a push and a pull request. What it calls is `scripts/test`, which calls this: in its
//! place stands a script that only tells what it was called on.

use crate::world::World;
use serde_json::json;
use std::fs;

/// Tells its commit's message, and fails where the commit is broken.
const STUB: &str = "#!/usr/bin/env bash\nset -eu\ngit log -1 --format='tested %s with'\nls .git\n[ \"$#\" = 0 ]\n[ ! -e broken ]\n";

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn each_commit_is_tested_and_a_broken_one_is_red() {
    let world = World::new();
    fs::write(world.at("repo/scripts/test"), STUB).unwrap();
    let sound = world.commit("sound");
    let push = json!({"ref": "refs/heads/main", "deleted": false, "after": sound});
    let ran = world.act("push", "ci", &push, &[]);
    assert!(ran.success, "{}", ran.printed());
    assert!(ran.printed().contains("tested sound with"), "{}", ran.printed());

    world.git(&["checkout", "-q", "-b", "fix"]);
    fs::write(world.at("repo/broken"), "").unwrap();
    let head = world.commit("broken");
    let pull = json!({"number": 12, "head": {"sha": head, "ref": "fix"}, "base": {"ref": "main"}});
    let event = json!({"action": "opened", "number": 12, "pull_request": pull});
    let ran = world.act("pull_request", "ci", &event, &[]);
    assert!(!ran.success && ran.printed().contains("tested broken with"), "{}", ran.printed());
    assert_eq!(ran.step("test", "Lint, test, check the workflows"), Some("failure"));
    assert_eq!(world.requests(|_| true), [""; 0], "it has nothing to tell anybody");
}
