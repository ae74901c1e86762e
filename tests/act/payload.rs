//! Events of pull requests, and who sends them.

use crate::world::{Ran, VARIABLES, World};
use serde_json::{Value, json};

/// The pull request as the API tells it: into the default branch, from a branch called `fix`.
pub fn pull(repo: &str, base: &str, head: &str) -> Value {
    let end = |repo: &str, branch: &str, sha: &str| {
        let repo = json!({"full_name": repo, "pushed_at": "2026-11-21T07:00:00Z"});
        json!({"sha": sha, "ref": branch, "repo": repo})
    };
    json!({
        "number": 12, "state": "open",
        "base": end("o/shakedown", "main", base), "head": end(repo, "fix", head),
    })
}

pub fn event(action: &str, pull: &Value) -> Value {
    json!({"action": action, "number": 12, "pull_request": pull, "sender": {"login": "ada"}})
}

pub fn labeled(label: &str, by: &str, pull: &Value) -> Value {
    let mut event = event("labeled", pull);
    event["label"] = json!({"name": label});
    event["sender"] = json!({"login": by});
    event
}

pub fn commented(body: &str, by: &str) -> Value {
    json!({
        "action": "created", "issue": {"number": 12, "pull_request": {"url": "https://x.example"}},
        "comment": {"id": 800, "body": body, "user": {"login": by}, "created_at": "2026-11-21T08:00:00Z"},
        "sender": {"login": by},
    })
}

pub fn measure(world: &World, event: &str, payload: &Value, more: &[&str]) -> Ran {
    let variables = VARIABLES.iter().flat_map(|variable| ["--var", variable]);
    let arguments: Vec<&str> = variables.chain(more.iter().copied()).collect();
    world.act(event, "pr-measure", payload, &arguments)
}

/// Ada may write, Mallory may read.
pub fn people(world: &World) {
    world.answer("collaborators/ada/permission", json!({"permission": "write"}));
    world.answer("collaborators/mallory/permission", json!({"permission": "read"}));
}
