//! The rules. Each adds a line for whatever breaks it.

use crate::yaml::{File, Kind};
use serde_json::Value;

/// A step calls `shakedown` or a script of the repository: what it does can be called, and
/// tested, without a workflow. No expression is pasted into a shell.
pub fn steps(file: &File, broken: &mut Vec<String>) {
    for (job, step) in file.steps() {
        let Some(run) = step["run"].as_str() else { continue };
        let mut say =
            |what: &str| broken.push(format!("{}: job `{job}`: {what}: {run}", file.name));
        if run.trim().lines().count() > 1 {
            say("more than one line in `run`");
        }
        let call = run.trim_start_matches('"');
        let known = ["shakedown github ", "shakedown site ", "shakedown/scripts/", "scripts/"];
        let ours = known.iter().any(|start| call.starts_with(start))
            || call.starts_with("$GITHUB_ACTION_PATH/../../../scripts/workflow/");
        if !ours {
            say("neither shakedown nor a script");
        }
        if run.contains("${{") {
            say("an expression inside of `run`");
        }
    }
}

/// Foreign actions are pinned by their whole commit, with the version beside it; checkouts leave
/// no credentials behind.
pub fn pins(file: &File, broken: &mut Vec<String>) {
    for line in file.text.lines() {
        let key = line.trim_start().trim_start_matches("- ");
        let Some(rest) = key.strip_prefix("uses: ") else { continue };
        let (uses, version) = rest.split_once(" # ").unwrap_or((rest, ""));
        if uses.starts_with("./") {
            continue;
        }
        let commit = uses.split_once('@').map_or("", |(_, commit)| commit);
        let hex = commit.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if commit.len() != 40 || !hex {
            broken.push(format!("{}: {uses} is not pinned by its commit", file.name));
        }
        let numbers = version.strip_prefix('v').unwrap_or("").split('.');
        if numbers.filter(|number| number.parse::<u32>().is_ok()).count() != 3 {
            broken.push(format!("{}: {uses} says no version, # v1.2.3", file.name));
        }
    }
    for (job, step) in file.steps() {
        let is_checkout =
            step["uses"].as_str().is_some_and(|uses| uses.starts_with("actions/checkout@"));
        if is_checkout && step["with"]["persist-credentials"] != Value::Bool(false) {
            broken.push(format!(
                "{}: job `{job}`: a checkout without persist-credentials: false",
                file.name
            ));
        }
    }
}

/// `pull_request_target` runs foreign code with rights as soon as somebody makes a mistake.
pub fn events(file: &File, broken: &mut Vec<String>) {
    if file
        .text
        .lines()
        .any(|line| !line.trim_start().starts_with('#') && line.contains("pull_request_target"))
    {
        broken.push(format!("{}: pull_request_target is used", file.name));
    }
    let top = &file.yaml["concurrency"];
    if top["group"].as_str().is_none() || top.get("cancel-in-progress").is_none() {
        broken.push(format!("{}: no concurrency group that says whether it cancels", file.name));
    }
    // A group that several runs share and that lets one wait drops it when a third one comes.
    let group = top["group"].as_str().unwrap_or_default();
    let own =
        ["github.run_id", "workflow_run.id", "github.sha"].iter().any(|part| group.contains(part));
    if !group.is_empty() && !own {
        broken.push(format!("{}: the group {group} is shared and loses runs", file.name));
    }
}

/// Nothing is allowed but what a job says that it needs.
pub fn permissions(file: &File, broken: &mut Vec<String>) {
    if file.yaml["permissions"].as_object().is_none_or(|map| !map.is_empty()) {
        broken.push(format!("{}: permissions at the top are not {{}}", file.name));
    }
    for (name, job) in file.jobs() {
        if job["permissions"].as_object().is_none_or(serde_json::Map::is_empty) {
            broken.push(format!("{}: job `{name}`: no permissions of its own", file.name));
        }
    }
}

/// Every job ends.
pub fn jobs(file: &File, broken: &mut Vec<String>) {
    for (name, job) in file.jobs() {
        if job["timeout-minutes"].as_u64().is_none() {
            broken.push(format!("{}: job `{name}`: no timeout-minutes", file.name));
        }
    }
}

/// A host of ours may run foreign code: no job on it may write anything, or see a secret.
pub fn hosts(file: &File, broken: &mut Vec<String>) {
    for (name, job) in file.jobs() {
        if !job["runs-on"].to_string().contains("self-hosted") {
            continue;
        }
        let rights = job["permissions"].as_object();
        if rights.is_none_or(|map| map.values().any(|right| right != "read")) {
            broken.push(format!("{}: job `{name}`: write on a host of ours", file.name));
        }
        if job.to_string().contains("secrets.") {
            broken.push(format!("{}: job `{name}`: a secret on a host of ours", file.name));
        }
    }
}

/// The name of an artifact carries the attempt: GitHub refuses one that is taken, Pages refuses two of one name, and
/// what an older attempt has left is not taken for what a newer one has. A name without it is overwritten, and
/// says why beside it.
pub fn artifacts(file: &File, broken: &mut Vec<String>) {
    for (job, step) in file.steps() {
        let uses = step["uses"].as_str().unwrap_or_default();
        let with = &step["with"];
        let uploads = ["actions/upload-artifact@", "actions/upload-pages-artifact@"];
        let name = if uploads.iter().any(|action| uses.starts_with(action)) {
            &with["name"]
        } else if uses.ends_with("/.github/actions/measure") {
            &with["artifact"]
        } else {
            continue;
        };
        let name = name.as_str().unwrap_or_default();
        // Who calls the action names it.
        let handed_in = file.kind == Kind::Action && name == "${{ inputs.artifact }}";
        let overwritten = with["overwrite"] == Value::Bool(true);
        if !(name.contains("${{ github.run_attempt }}") || handed_in || overwritten) {
            let name = format!("the name `{name}` of an artifact carries no attempt");
            broken.push(format!("{}: job `{job}`: {name}", file.name));
        }
    }
    if file.text.lines().any(|line| line.trim() == "overwrite: true") {
        broken.push(format!("{}: overwrite: true does not say why", file.name));
    }
}

/// Each foreign action that a text pins, as a line of a table.
pub fn pinned(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.split_once("uses: ")?.1.split_once(" # "));
    let parts = lines.filter_map(|(uses, version)| Some((uses.split_once('@')?, version)));
    parts.map(|((name, commit), version)| format!("| {name} | {version} | `{commit}` |")).collect()
}
