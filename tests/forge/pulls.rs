//! Pull requests: measured, judged, told; those of strangers not without leave.

use super::{
    Forge, LONG,
    api::{OWNER, STRANGER, User, wait},
    repositories::{LIBRARY, files},
    runs,
};
use serde_json::{Value, json};
use std::{fs, thread, time::Duration};

/// First characters of our comment's hidden line.
const MARKER: &str = "<!-- shakedown:comment key=shakedown ";

/// A pull request, and what was said of it.
pub struct Told {
    number: u64,
    comment: u64,
}

fn open(forge: &Forge, user: User, head: &str) -> u64 {
    let body = json!({ "title": head, "head": head, "base": "main" });
    let pull = forge.api().post(user, &format!("repos/{LIBRARY}/pulls"), &body);
    pull["number"].as_u64().unwrap()
}

/// The colour of a commit, once it is no longer being measured.
fn status(forge: &Forge, commit: &str) -> String {
    wait(&format!("the status of {commit}"), LONG, || {
        let all = forge.api().get(&format!("repos/{LIBRARY}/commits/{commit}/status"));
        let mut all = all["statuses"].as_array()?.iter();
        let ours = all.find(|status| status["context"] == "shakedown")?;
        ours["status"].as_str().filter(|status| *status != "pending").map(str::to_owned)
    })
}

/// Our comments on a pull request: id and text.
fn comments(forge: &Forge, number: u64) -> Vec<(u64, String)> {
    let all = forge.api().get(&format!("repos/{LIBRARY}/issues/{number}/comments"));
    let all = all.as_array().cloned().unwrap_or_default();
    let ours = all.iter().filter_map(|comment| {
        let body = comment["body"].as_str().filter(|body| body.starts_with(MARKER))?;
        Some((comment["id"].as_u64()?, body.to_owned()))
    });
    ours.collect()
}

/// When something was measured, in milliseconds since 1970: from, to.
fn intervals(forge: &Forge, run: u64) -> Vec<(u64, u64)> {
    let record = runs::artifact(forge.api(), run, "record-1", "record.json");
    let record: Value = serde_json::from_slice(&record).unwrap();
    let trials = record["trials"].as_array().unwrap();
    assert!(trials.len() >= 8, "{} trials", trials.len());
    let interval = |trial: &Value| {
        let from = trial["started_ms"].as_u64().unwrap();
        (from, from + trial["watch"]["wall_us"].as_u64().unwrap() / 1000)
    };
    trials.iter().map(interval).collect()
}

pub fn two_at_once_are_measured_apart_and_the_slow_one_is_red(forge: &Forge) -> Told {
    let slow = forge.library.patched("slow", "handshake-10");
    let harmless = forge.library.patched("harmless", "comment");
    let (first, second) = (open(forge, OWNER, "slow"), open(forge, OWNER, "harmless"));

    assert_eq!(status(forge, &slow), "failure");
    assert_eq!(status(forge, &harmless), "success");
    let told = comments(forge, first);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].1.contains("regressed") && told[0].1.contains("instructions"), "{}", told[0].1);
    assert!(told[0].1.contains(&slow), "{}", told[0].1);
    let other = comments(forge, second);
    assert!(other.len() == 1 && !other[0].1.contains("#### Regressed"), "{other:?}");

    let runs = [&slow, &harmless]
        .map(|commit| runs::id(&runs::finished(forge.api(), "pr-measure.yml", commit, 0)));
    let time = |job: &Value, field: &str| job[field].as_str().unwrap().to_owned();
    let [one, two] = runs.map(|run| {
        let jobs = runs::jobs(forge.api(), run);
        let job = runs::job(&jobs, "measure");
        (time(job, "started_at"), time(job, "completed_at"))
    });
    assert!(one.0 < two.1 && two.0 < one.1, "the jobs were not at work at once: {one:?} {two:?}");
    let [one, two] = runs.map(|run| intervals(forge, run));
    for (from, to) in &one {
        let meets = two.iter().find(|(begun, ended)| from < ended && begun < to);
        assert_eq!(meets, None, "measured while {from} to {to} was measured");
    }
    Told { number: first, comment: told[0].0 }
}

pub fn a_fix_turns_the_same_comment_green(forge: &Forge, slow: &Told) {
    let library = &forge.library;
    library.git(&["checkout", "-q", "slow"]);
    library.apply("handshake-10", &["-R"]);
    library.apply("comment", &[]);
    let fixed = library.commit("fixed");
    assert_eq!(status(forge, &fixed), "success");
    let told = comments(forge, slow.number);
    assert!(told.len() == 1 && told[0].0 == slow.comment, "another comment: {told:?}");
    let text = &told[0].1;
    assert!(text.contains(&fixed) && !text.contains("#### Regressed"), "{text}");
}

/// By the button, and by a push: each ends what it stops, so that the host is free for the next one.
pub fn a_measurement_that_is_stopped_in_the_middle_leaves_the_host_to_the_next(
    forge: &Forge,
    pull: &Told,
) {
    let (api, library) = (forge.api(), &forge.library);
    library.git(&["checkout", "-q", "slow"]);
    let by_button = library.commit("to be cancelled");
    let run = being_measured(forge, &by_button);
    api.press("cancel", LIBRARY, run);
    let by_push = library.commit("to be replaced");
    being_measured(forge, &by_push);
    let last = library.commit("the last");
    assert_eq!(status(forge, &last), "success");
    for commit in [by_button, by_push] {
        let run = runs::finished(api, "pr-measure.yml", &commit, 0);
        assert_eq!(run["conclusion"], "cancelled", "{run:#}");
        let all = api.get(&format!("repos/{LIBRARY}/commits/{commit}/status"));
        let mut all = all["statuses"].as_array().into_iter().flatten();
        let blamed = all.find(|one| one["context"] == "shakedown" && one["status"] == "failure");
        assert_eq!(blamed, None, "a measurement that was stopped is nobody's fault");
    }
    let told = comments(forge, pull.number);
    assert!(told.len() == 1 && told[0].1.contains(&last), "{told:?}");
}

/// Waits until a pull request's commit is being measured. Returns the run.
fn being_measured(forge: &Forge, commit: &str) -> u64 {
    let run = wait(&format!("the measurement of {commit}"), LONG, || {
        let run = runs::id(runs::of(forge.api(), "pr-measure.yml", commit).first()?);
        let jobs = runs::jobs(forge.api(), run);
        let at_work = |job: &&Value| job["status"] == "in_progress";
        let name = |job: &Value| job["name"].as_str().is_some_and(|is| is.starts_with("measure"));
        jobs.iter().filter(at_work).any(name).then_some(run)
    });
    // The checkouts take a moment; then it builds and measures.
    thread::sleep(Duration::from_secs(10));
    run
}

/// Gitea does not tell a job who may write: whoever asks is refused, and nothing is measured.
pub fn a_comment_that_nobody_can_vouch_for_measures_nothing(forge: &Forge, pull: &Told) {
    let api = forge.api();
    let path = format!("repos/{LIBRARY}/issues/{}/comments", pull.number);
    api.post(OWNER, &path, &json!({ "body": "/bench forge-pr" }));
    let main = forge.library.git(&["rev-parse", "main"]);
    let run = runs::id(&runs::finished(api, "pr-measure.yml", &main, 0));
    let jobs = runs::jobs(api, run);
    let decide = runs::job(&jobs, "decide");
    assert_eq!(decide["conclusion"], "failure");
    let log = runs::log(api, decide);
    assert!(log.contains("Only admins can query all permissions"), "{log}");
    // The run has failed with its first job, a moment before Gitea says what becomes of the others.
    let measure = wait("what became of measuring", LONG, || {
        let measure = runs::job(&runs::jobs(api, run), "measure")["conclusion"].clone();
        measure.is_string().then_some(measure)
    });
    assert_eq!(measure, "skipped");
}

pub fn a_fork_waits_for_approval_and_sees_no_secret(forge: &Forge) {
    let api = forge.api();
    api.post(STRANGER, &format!("repos/{LIBRARY}/forks"), &json!({}));
    let fork = forge.library.of(api, STRANGER, "stranger/rustls");
    fork.git(&["checkout", "-q", "-B", "gift", "main"]);
    let workflows = fork.folder.join(".github/workflows");
    fs::copy(files().join("spy.yml"), workflows.join("spy.yml")).unwrap();
    let commit = fork.commit("gift");
    let number = open(forge, STRANGER, "stranger:gift");

    let files = ["pr-measure.yml", "spy.yml"];
    let waiting = files.map(|file| {
        wait(&format!("{file} for the fork"), LONG, || {
            runs::of(api, file, &commit).first().map(runs::id)
        })
    });
    // The runners are idle, and look every second.
    thread::sleep(Duration::from_secs(15));
    for run in waiting {
        for job in runs::jobs(api, run) {
            assert!(job["status"] == "waiting" && job["runner_id"].is_null(), "{job}");
        }
    }

    for run in waiting {
        api.press("approve", LIBRARY, run);
    }
    saw_nothing(forge, &commit);
    // With leave to run, it still is nobody's who may have it measured, and nothing is told of it.
    let asked = runs::jobs(api, runs::id(&runs::finished(api, "pr-measure.yml", &commit, 0)));
    for job in ["decide", "measure"] {
        assert_eq!(runs::job(&asked, job)["conclusion"], "skipped");
    }
    // Gitea asks once for each person: the next push runs at once, and sees as little.
    saw_nothing(forge, &fork.commit("again"));
    let all = api.get(&format!("repos/{LIBRARY}/commits/{commit}/status"))["statuses"].clone();
    let ours = all.as_array().and_then(|all| all.iter().find(|one| one["context"] == "shakedown"));
    assert_eq!(ours, None, "what a stranger started says nothing of a commit");
    assert_eq!(comments(forge, number).len(), 0);
    the_owner_sees_what_the_stranger_did_not(forge);
}

fn saw_nothing(forge: &Forge, commit: &str) {
    let api = forge.api();
    let jobs = runs::jobs(api, runs::id(&runs::finished(api, "spy.yml", commit, 0)));
    let seen = runs::log(api, runs::job(&jobs, "spy"));
    for expected in ["secret spelled: []", "status forged: 403", "branch pushed: no"] {
        assert!(seen.contains(expected), "the stranger's job did not say {expected:?}: {seen}");
    }
}

/// The same script where it may: or else the one above would find nothing for another reason.
fn the_owner_sees_what_the_stranger_did_not(forge: &Forge) {
    let api = forge.api();
    let path = format!("repos/{LIBRARY}/actions/workflows/control.yml/dispatches");
    api.post(OWNER, &path, &json!({ "ref": "refs/heads/main" }));
    let main = forge.library.git(&["rev-parse", "main"]);
    let run = runs::id(&runs::finished(api, "control.yml", &main, 0));
    let seen = runs::log(api, runs::job(&runs::jobs(api, run), "spy"));
    let spelled: String = "not-for-strangers".chars().flat_map(|c| [c, '_']).collect();
    for expected in
        [&format!("secret spelled: [{spelled}]"), "status forged: 201", "branch pushed: yes"]
    {
        assert!(seen.contains(expected), "the owner's job did not say {expected:?}: {seen}");
    }
}
