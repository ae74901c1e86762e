//! `pr-report.yml` after a run, and what it leaves in the pull request.

use crate::{
    payload::pull,
    world::{Ran, World},
};
use serde_json::{Value, json};
use shakedown_forge::fake::LOGIN;
use std::io::{Cursor, Read};
use zip::{ZipWriter, write::SimpleFileOptions};

/// What `pr-report.yml` makes of a run that a comment started, and of what it handed over.
pub(super) fn report(world: &World, run: u64, head: &str, artifact: Option<Vec<u8>>) -> Ran {
    report_on(world, run, ["issue_comment", "o/shakedown", "main"], head, artifact)
}

/// The same for a run of any event, of a branch of any repository.
pub(super) fn report_on(
    world: &World,
    run: u64,
    [event, repo, branch]: [&str; 3],
    head: &str,
    artifact: Option<Vec<u8>>,
) -> Ran {
    let of = json!({
        "id": run, "run_attempt": 1, "event": event,
        "head_sha": if event == "issue_comment" { &world.base } else { head },
        "head_branch": branch, "head_repository": {"full_name": repo},
        "path": ".github/workflows/pr-measure.yml", "conclusion": "success",
        "html_url": format!("https://github.com/o/shakedown/actions/runs/{run}"),
    });
    world.answer(&format!("actions/runs/{run}"), of.clone());
    world.merge_base(&world.base, head, &world.base, 2);
    world.answer("pulls", json!([pull("mallory/shakedown", &world.base, head)]));
    world.answer("pulls/12", pull("mallory/shakedown", &world.base, head));
    let measured = json!({
        "name": format!("measure #12 at {head}"), "conclusion": "success",
        "labels": ["self-hosted", "bench"],
    });
    world.answer(&format!("actions/runs/{run}/jobs"), json!({"jobs": [measured]}));
    let list: Vec<Value> = artifact
        .iter()
        .map(|zip| json!({"id": run, "name": "record-1", "size": zip.len()}))
        .collect();
    world.answer(&format!("actions/runs/{run}/artifacts"), json!({"artifacts": list}));
    if let Some(zip) = artifact {
        let (url, mut state) = (world.fake.url(), world.fake.state());
        let from = format!("/repos/o/shakedown/actions/artifacts/{run}/zip");
        state.moved.insert(from, format!("{url}/stored/{run}"));
        state.files.insert(format!("/stored/{run}"), zip);
    }
    // The event lies about everything but its run, as far as anybody could make it.
    let mut told = of;
    told["head_sha"] = "cd".repeat(20).into();
    told["pull_requests"] = json!([{"number": 666}]);
    let payload = json!({"action": "completed", "workflow_run": told});
    let policy = ["--var", "BENCH_POLICY=thresholds/tiny.toml"];
    world.act("workflow_run", "pr-report", &payload, &policy)
}

pub(super) fn zipped(bytes: impl Read) -> Vec<u8> {
    archive([("record.json", bytes)])
}

/// An artifact with these files.
pub(super) fn archive<R: Read>(files: impl IntoIterator<Item = (&'static str, R)>) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, mut bytes) in files {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        std::io::copy(&mut bytes, &mut zip).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The one comment, and the conclusion of the newest check run.
pub(super) fn told(world: &World, head: &str) -> (String, Value) {
    let state = world.fake.state();
    let comments: Vec<_> = state.comments.values().collect();
    let [(12, login, body)] = comments.as_slice() else { panic!("{comments:?}") };
    assert_eq!(login, LOGIN);
    let check = state.checks.values().next_back().expect("a check run");
    assert_eq!(check["head_sha"], head);
    (body.clone(), check["conclusion"].clone())
}
