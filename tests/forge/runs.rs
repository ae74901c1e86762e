//! Workflow runs, their jobs, logs and artifacts.

use super::{
    LONG,
    api::{Api, OWNER, wait},
    repositories::LIBRARY,
};
use serde_json::Value;
use std::{
    fs,
    io::{Cursor, Read},
    path::Path,
};

/// Runs of a workflow's file on a commit, newest first.
pub fn of(api: &Api, file: &str, commit: &str) -> Vec<Value> {
    let path = format!("repos/{LIBRARY}/actions/runs?limit=50&head_sha={commit}");
    let mut runs = api.get(&path)["workflow_runs"].as_array().cloned().unwrap_or_default();
    let start = format!("{file}@");
    runs.retain(|run| run["path"].as_str().is_some_and(|path| path.starts_with(&start)));
    runs.sort_by_key(|run| std::cmp::Reverse(run["id"].as_u64()));
    runs
}

/// Waits for the end of the newest run of a workflow's file on a commit that is newer than `after`.
pub fn finished(api: &Api, file: &str, commit: &str, after: u64) -> Value {
    wait(&format!("the end of {file} on {commit}"), LONG, || {
        let run = of(api, file, commit).into_iter().next()?;
        (id(&run) > after && run["status"] == "completed").then_some(run)
    })
}

pub fn id(run: &Value) -> u64 {
    run["id"].as_u64().unwrap()
}

/// Jobs of a run, by the id that they have in the workflow, as far as it begins their name.
pub fn jobs(api: &Api, run: u64) -> Vec<Value> {
    let path = format!("repos/{LIBRARY}/actions/runs/{run}/jobs?limit=50");
    api.get(&path)["jobs"].as_array().cloned().unwrap_or_default()
}

pub fn job<'a>(jobs: &'a [Value], name: &str) -> &'a Value {
    let found = jobs.iter().find(|job| job["name"].as_str().is_some_and(|is| is.starts_with(name)));
    found.unwrap_or_else(|| panic!("there is no job {name}: {jobs:#?}"))
}

/// What a job printed.
pub fn log(api: &Api, job: &Value) -> String {
    let path = format!("repos/{LIBRARY}/actions/jobs/{}/logs", job["id"]);
    match api.ask(OWNER, "GET", &path, None) {
        (200, Value::String(text)) => text,
        (_, other) => other.to_string(),
    }
}

/// A file of an artifact of a run.
pub fn artifact(api: &Api, run: u64, name: &str, file: &str) -> Vec<u8> {
    let path = format!("repos/{LIBRARY}/actions/runs/{run}/artifacts");
    let all = api.get(&path);
    let all = all["artifacts"].as_array().cloned().unwrap_or_default();
    let found = all.iter().find(|artifact| artifact["name"] == name);
    let found = found.unwrap_or_else(|| panic!("run {run} has no artifact {name}: {all:#?}"));
    let to = api.folder.join("artifact.zip");
    api.fetch(&format!("repos/{LIBRARY}/actions/artifacts/{}/zip", found["id"]), &to);
    let mut archive = zip::ZipArchive::new(Cursor::new(fs::read(&to).unwrap())).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(file).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// The logs of all jobs, for whoever looks for the cause of a failure.
pub fn keep_logs(api: &Api, folder: &Path) {
    let path = format!("repos/{LIBRARY}/actions/runs?limit=50");
    let (status, runs) = api.ask(OWNER, "GET", &path, None);
    if status != 200 {
        return;
    }
    let _ = fs::write(folder.join("runs.json"), format!("{runs:#}"));
    for run in runs["workflow_runs"].as_array().into_iter().flatten() {
        let path = format!("repos/{LIBRARY}/actions/runs/{}/jobs?limit=50", run["id"]);
        let (_, jobs) = api.ask(OWNER, "GET", &path, None);
        for job in jobs["jobs"].as_array().into_iter().flatten() {
            let file =
                run["path"].as_str().unwrap_or_default().split('@').next().unwrap_or_default();
            let name = format!("{}-{file}-{}-{}.log", run["id"], job["id"], job["conclusion"]);
            let name = name.replace(['/', '"'], "");
            let _ = fs::write(folder.join(name), log(api, job));
        }
    }
}
