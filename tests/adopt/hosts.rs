//! Hosts of an organization, and an allow-list of actions.

use crate::{adopt, check, complete, runners};
use serde_json::json;
use shakedown_forge::fake::{FakeForge, InjectedFault};
use std::fs;

/// The repository of an organization, whose runners are in a group.
fn of_organization(public: bool, status: &str) -> FakeForge {
    let github = complete();
    let facts =
        json!({ "default_branch": "main", "private": false, "owner": { "type": "Organization" } });
    let group = json!({ "id": 7, "name": "quiet", "allows_public_repositories": public });
    for (path, value) in [
        ("repos/tls/rustls", facts),
        ("repos/tls/rustls/actions/runners", json!({ "runners": [] })),
        ("orgs/tls/actions/runner-groups", json!({ "runner_groups": [group] })),
        ("orgs/tls/actions/runner-groups/7/runners", runners(status, "2.400.0")),
    ] {
        github.state().fixtures.insert(format!("/{path}"), value);
    }
    github
}

#[test]
fn hosts_of_the_organization_count_where_the_repository_may_use_them() {
    let github = of_organization(true, "online");
    assert_eq!(check(&github), (0, Vec::new()));
    let asked = github.state().requests.iter().any(|(_, path, _)| {
        path.starts_with("/orgs/tls/actions/runner-groups?visible_to_repository=rustls&")
    });
    assert!(asked, "other repositories' groups do not count");

    let (code, bad) = check(&of_organization(false, "online"));
    let what: Vec<&str> = bad.iter().map(|item| item[0].as_str()).collect();
    assert_eq!((code, what), (2, vec!["hosts with label bench", "runner group quiet"]));
    assert!(bad[1][2].contains("allow public repositories"), "{bad:?}");

    let (code, bad) = check(&of_organization(true, "offline"));
    assert!(code == 2 && bad[0][0] == "hosts with label bench", "{bad:?}");

    // GitHub answers 403 or 404 to a token that may not see an organization's runners.
    for status in [403, 404] {
        let github = of_organization(true, "online");
        let of = ("GET", "/orgs/tls/actions/runner-groups?");
        github.fail(InjectedFault { of, status, ..InjectedFault::default() });
        let (code, bad) = check(&github);
        assert!(code == 0 && bad[0][1] == "unknown", "{status}: {bad:?}");
        assert!(bad[0][2].contains("Self-hosted runners: read"), "{bad:?}");
    }
}

/// As GitHub's settings take it: every pinned action by its commit.
#[test]
fn the_list_of_actions_in_the_checklist_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    adopt(folder.path(), &["--stack", "rustls+ring", "--merge-queue"]).success();
    let list = fs::read_to_string(folder.path().join(".github/shakedown.md")).unwrap();
    let listed: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("      ")?.strip_suffix(','))
        .filter(|line| line.contains('@'))
        .collect();
    assert!(listed.len() >= 6, "{listed:?}");
    let github = complete();
    let selected = json!({ "github_owned_allowed": false, "patterns_allowed": listed });
    let path = "/repos/tls/rustls/actions/permissions/selected-actions";
    github.state().fixtures.insert(path.to_owned(), selected);
    assert_eq!(check(&github), (0, Vec::new()), "nothing else is used");
    let selected = json!({ "github_owned_allowed": false, "patterns_allowed": listed[1..] });
    github.state().fixtures.insert(path.to_owned(), selected);
    let (code, bad) = check(&github);
    assert!(code == 2 && bad[0][2].contains(listed[0]), "{bad:?}");
}
