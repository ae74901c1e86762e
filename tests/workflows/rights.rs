//! The permissions of a job are those that its steps need, and no others.

use crate::{
    actions::actions,
    yaml::{File, Kind, files},
};
use std::collections::BTreeMap;

/// What a command asks of GitHub. Comments, and reactions to them, on a pull request need `pull-requests`, not
/// `issues`.
const NEEDS: [(&str, &[(&str, &str)]); 20] = [
    ("github authorize", &[("contents", "read"), ("pull-requests", "read")]),
    ("github pull-request", &[("contents", "read"), ("pull-requests", "read")]),
    ("github pull-request --workflow", &[("actions", "read")]),
    ("github check", &[("checks", "write"), ("statuses", "write")]),
    ("--queue", &[("actions", "read")]),
    ("github end", &[("checks", "write")]),
    ("github issue", &[("issues", "write")]),
    ("workflow/answer", &[("pull-requests", "write")]),
    ("workflow/attach", &[("contents", "write")]),
    ("workflow/chart", &[("contents", "write")]),
    ("workflow/cross-check compare", &[("issues", "write")]),
    ("workflow/history fetch", &[("contents", "read")]),
    ("workflow/history noise", &[("contents", "read")]),
    ("workflow/history push", &[("contents", "write")]),
    ("workflow/release publish", &[("contents", "write")]),
    ("workflow/runner-version", &[("contents", "write"), ("pull-requests", "write")]),
    ("workflow/take-in", &[("actions", "read")]),
    ("workflow/tell check", &[("checks", "write"), ("statuses", "write")]),
    ("workflow/tell comment", &[("pull-requests", "write")]),
    ("workflow/tell-hosts", &[("issues", "write")]),
];

/// What the steps of a job need: the stronger right of each kind.
fn needed(file: &File, job: &str) -> BTreeMap<String, String> {
    let actions = actions();
    let mut all = BTreeMap::<String, String>::new();
    for (_, step) in file.steps().into_iter().filter(|(of, _)| *of == job) {
        let run = step["run"].as_str().unwrap_or_default();
        let calls = NEEDS.iter().filter(|(call, _)| run.contains(call));
        let mut rights: Vec<(&str, &str)> =
            calls.flat_map(|(_, rights)| rights.iter().copied()).collect();
        let uses = step["uses"].as_str().unwrap_or_default().split('@').next().unwrap();
        if let Some(action) = actions.get(uses) {
            rights.extend(action.permissions.iter().map(|(kind, right)| (&**kind, &**right)));
        }
        for (kind, right) in rights {
            let has = all.entry(kind.to_owned()).or_default();
            if *has != "write" {
                right.clone_into(has);
            }
        }
    }
    all
}

/// A line for each job that has other permissions.
fn check(file: &File, broken: &mut Vec<String>) {
    for (name, job) in file.jobs() {
        let needed = needed(file, name);
        let has: BTreeMap<String, String> =
            serde_json::from_value(job["permissions"].clone()).unwrap_or_default();
        if has != needed {
            broken.push(format!("{}: job `{name}` has {has:?}, and needs {needed:?}", file.name));
        }
    }
}

#[test]
fn a_job_has_the_permissions_that_its_steps_need_and_no_others() {
    let mut broken = Vec::new();
    for file in files().iter().filter(|file| file.kind == Kind::Workflow) {
        check(file, &mut broken);
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn a_job_that_has_more_or_less_is_told_of() {
    let text = |permissions: &str| {
        format!(
            "jobs:\n  one:\n    permissions: {permissions}\n    steps: [{{ run: shakedown github issue open }}]\n"
        )
    };
    for (permissions, expected) in [
        ("{ issues: write }", 0),
        ("{ issues: read }", 1),
        ("{ issues: write, checks: write }", 1),
        ("{}", 1),
    ] {
        let file = File::parse("workflows/one.yml", &text(permissions), Kind::Workflow);
        let mut broken = Vec::new();
        check(&file, &mut broken);
        assert_eq!(broken.len(), expected, "{permissions}: {broken:?}");
    }
}
