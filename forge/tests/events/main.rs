//! Which pull request, who may ask, and the artifact: told by the forge, not by strangers.

mod artifacts;
#[path = "../common/mod.rs"]
mod common;
mod permissions;
mod runs;

use common::with;
use serde_json::{Value, json};
use shakedown_forge::{
    authorize::{self, Authorization, AuthorizationRules},
    event::{self, ResolvedPullRequest},
    fake::FakeForge,
};
use std::{fs, path::PathBuf};

const SHA: &str = "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708";
const NEW: &str = "91aa0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089";
const BASE: &str = "00ff0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089";
/// Where the pull requests left the base branch, which is at [`BASE`] now.
const MERGE_BASE: &str = "44ee0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089";

fn pull(number: u64, repo: &str, branch: &str, sha: &str) -> Value {
    json!({
        "number": number,
        "state": "open",
        "head": {
            "sha": sha, "ref": branch,
            "repo": { "full_name": repo, "pushed_at": "2026-11-21T07:00:00Z" },
        },
        "base": { "sha": BASE, "ref": "main", "repo": { "full_name": "tls/lib" } },
    })
}

struct World {
    fake: FakeForge,
    folder: tempfile::TempDir,
}

impl World {
    fn new(fixtures: &[(&str, Value)]) -> Self {
        let fake = FakeForge::start();
        for (path, value) in fixtures {
            fake.state().fixtures.insert(format!("/repos/tls/lib/{path}"), value.clone());
        }
        for head in [SHA, NEW] {
            let base = (MERGE_BASE.to_owned(), 3);
            fake.state().merge_bases.insert(format!("{BASE}...{head}"), base);
        }
        Self { fake, folder: tempfile::tempdir().unwrap() }
    }

    fn event(&self, value: &Value) -> PathBuf {
        let path = self.folder.path().join("event.json");
        fs::write(&path, value.to_string()).unwrap();
        path
    }

    fn resolve(
        &self,
        name: &str,
        value: &Value,
    ) -> Result<ResolvedPullRequest, shakedown_forge::ForgeError> {
        let path = self.event(value);
        let name = name.to_owned();
        with(&self.fake, |forge| event::resolve(forge, &name, &path, "pr-measure.yml"))
    }

    fn decide(&self, name: &str, value: &Value) -> Authorization {
        let path = self.event(value);
        let name = name.to_owned();
        with(&self.fake, |forge| {
            let suites = ["pr".to_owned(), "standard".to_owned()];
            let rules =
                AuthorizationRules { label: "bench", suite: "pr", suites: &suites, admin: false };
            authorize::decide(forge, &name, &path, &rules)
        })
        .unwrap()
    }
}
