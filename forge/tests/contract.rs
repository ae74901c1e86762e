//! Every request that we make, held against GitHub's own description of its API
//! (`contract/openapi.json`, cut from the npm package `@octokit/openapi`, MIT; see
//! `scripts/lib/openapi-cut.mjs`). Prism refuses with 422 what the description does not allow
//! and answers with the description's examples.
//!
//! Needs Node and Prism: `scripts/lib/prism.sh` installs it and runs these tests.

mod common;

use common::Waits;
use serde_json::{Value, json};
use shakedown_forge::{
    Forge, ForgeError, ForgeOptions, RetrySleep, RunAttempt, Token, WriteOutcome,
    answer::{self, RequestAnswer},
    check::{self, Conclusion},
    comment, issue,
    pull::BOT,
    registration::{self, RunnerOwner, RunnerRequest},
    status,
};
use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const SHA: &str = "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708";

struct Prism {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Prism {
    fn start() -> Self {
        let command = std::env::var("PRISM").expect("PRISM names the command; see prism.sh");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openapi.json");
        fs::write(&path, description().to_string()).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(command)
            .args(["mock", "--errors", "--host", "127.0.0.1", "--port", &port.to_string()])
            .arg(&path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut prism = Self { child, port, _folder: folder };
        let begun = Instant::now();
        while !prism.answers() {
            let ended = prism.child.try_wait().unwrap();
            assert!(ended.is_none(), "Prism ended, {}: see above", ended.unwrap());
            assert!(begun.elapsed() < Duration::from_secs(90), "Prism does not start");
            thread::sleep(Duration::from_millis(200));
        }
        prism
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let ask =
            "GET /user HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n";
        let mut text = String::new();
        stream.write_all(ask.as_bytes()).is_ok() && stream.read_to_string(&mut text).is_ok()
    }

    fn with<T>(&self, work: impl FnOnce(&Forge) -> Result<T, ForgeError>) -> Result<T, ForgeError> {
        let options = ForgeOptions {
            api_url: format!("http://127.0.0.1:{}", self.port),
            repo: "tls/lib".parse().unwrap(),
            token: Some(Token::new("ghs_0123456789")),
            tries: 1,
            dry_run: false,
            retry_sleep: RetrySleep::Record(Waits::default()),
        };
        work(&Forge::new(options)?)
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// GitHub's description. Where it answers with comments, check runs or issues, ours are among
/// them, so that they are found and changed.
fn description() -> Value {
    let mut all: Value = serde_json::from_str(include_str!("contract/openapi.json")).unwrap();
    let examples = &mut all["components"]["examples"];
    let comment = |id: u64, run: u64| {
        let mut comment = examples["issue-comment-items"]["value"][0].clone();
        comment["id"] = id.into();
        comment["user"]["login"] = BOT.into();
        comment["body"] = format!("<!-- shakedown:comment key=ours run={run}.1 -->\nold").into();
        comment
    };
    let comments = json!([comment(1, 1), comment(2, 2)]);
    let mut issue = examples["issue-items"]["value"][0].clone();
    issue["user"]["login"] = BOT.into();
    issue["body"] = "<!-- shakedown:issue key=ours run=0.0 -->\nold".into();
    issue.as_object_mut().unwrap().remove("pull_request");
    let mut runs = examples["check-run-paginated"]["value"].clone();
    runs["check_runs"][0]["name"] = "ours".into();
    runs["check_runs"][0]["external_id"] = "shakedown:5.1".into();
    runs["check_runs"][0]["status"] = "in_progress".into();
    examples["issue-comment-items"]["value"] = comments;
    examples["issue-items"]["value"] = json!([issue]);
    examples["check-run-paginated"]["value"] = runs;
    // GitHub's own examples of a team, a job, a repository and others do not fit GitHub's
    // descriptions of them.
    let name = "repository-collaborator-permission-response-if-user-has-admin-permissions";
    examples[name]["value"]["user"] = Value::Null;
    examples["job-paginated"]["value"]["jobs"][0]["created_at"] = "2026-11-21T07:08:09Z".into();
    examples["pull-request"]["value"]["requested_teams"] = json!([]);
    let repository = &mut examples["full-repository-default-response"]["value"];
    repository["language"] = "Rust".into();
    repository["source"]["language"] = "Rust".into();
    examples["status-check-policy"]["value"]["checks"] = json!([]);
    // Of the examples of what may be at a path, we ask for a file.
    let kinds = "content-file-response-if-content-is-a-";
    let file = examples[format!("{kinds}file")].clone();
    for kind in ["directory", "directory-object"] {
        examples[format!("{kinds}{kind}")] = file.clone();
    }
    examples["pull-request-simple-items"]["value"][0]["requested_teams"] = json!([]);
    // The example of `Link` always has a next page: a list of one page, read for ever.
    for methods in all["paths"].as_object_mut().unwrap().values_mut() {
        for method in methods.as_object_mut().unwrap().values_mut() {
            let Some(responses) = method["responses"].as_object_mut() else { continue };
            for response in responses.values_mut().filter_map(Value::as_object_mut) {
                response.remove("headers");
            }
        }
    }
    all
}

fn say(prism: &Prism, key: &'static str) -> Result<WriteOutcome, ForgeError> {
    prism.with(|forge| {
        let key = key.parse().unwrap();
        let attempt = RunAttempt { run: 5, attempt: 1 };
        let wanted =
            comment::CommentContent { pull: 12, key: &key, attempt, author: BOT, text: "new" };
        comment::upsert(forge, &wanted)
    })
}

fn set(
    prism: &Prism,
    key: &'static str,
    conclusion: Conclusion,
) -> Result<check::CheckOutcome, ForgeError> {
    prism.with(|forge| {
        let key = key.parse().unwrap();
        let wanted = check::CheckRunContent {
            sha: SHA,
            key: &key,
            attempt: RunAttempt { run: 5, attempt: 1 },
            about: Some(check::CheckedPullRequest { number: 12, base: SHA }),
            conclusion,
            title: "2 regressed",
            text: "the table",
            link: Some("https://ci.example/7001"),
        };
        check::upsert(forge, &wanted)
    })
}

fn open(prism: &Prism, key: &'static str) -> Result<WriteOutcome, ForgeError> {
    prism.with(|forge| {
        let key = key.parse().unwrap();
        let labels = ["performance".to_owned()];
        let (title, text) = ("a title", "a text");
        let wanted = issue::IssueContent { key: &key, title, text, labels: &labels, author: BOT };
        issue::upsert(forge, &wanted)
    })
}

#[test]
#[ignore = "needs Prism: scripts/lib/prism.sh"]
fn every_request_is_as_github_describes_it() {
    let prism = Prism::start();

    // Found twice: the first is changed, the second removed.
    assert_eq!(say(&prism, "ours").unwrap(), WriteOutcome::Updated(1));
    // Not found: written. The examples do not remember it, so that it is looked for in vain.
    let said = say(&prism, "another").unwrap_err();
    assert!(matches!(said, ForgeError::NotFound(_)), "{said}");

    assert!(matches!(
        set(&prism, "ours", Conclusion::Failure).unwrap(),
        check::CheckOutcome::CheckRun(WriteOutcome::Updated(_))
    ));
    for conclusion in [Conclusion::Pending, Conclusion::Success, Conclusion::Neutral] {
        let outcome = set(&prism, "another", conclusion).unwrap();
        assert!(
            matches!(outcome, check::CheckOutcome::CheckRun(WriteOutcome::Created(_))),
            "{outcome:?}"
        );
    }
    let key = "ours".parse().unwrap();
    let attempt = RunAttempt { run: 5, attempt: 1 };
    let end = |forge: &Forge| check::end(forge, (SHA, &key), attempt, ("cancelled", "https://x"));
    assert!(prism.with(end).unwrap(), "its status is read, and it is ended");
    for state in [Conclusion::Pending, Conclusion::Success, Conclusion::Failure, Conclusion::Broken]
    {
        let put = prism.with(|forge| {
            let key = "ours".parse().unwrap();
            let (line, link) = ("a line", Some("https://ci.example/7001"));
            let wanted =
                status::StatusContent { sha: SHA, key: &key, state: state.state(), line, link };
            status::set(forge, &wanted)
        });
        assert_eq!(put.unwrap(), status::StatusOutcome::Set);
    }

    assert!(matches!(open(&prism, "ours").unwrap(), WriteOutcome::Updated(_)));
    assert!(matches!(open(&prism, "another").unwrap(), WriteOutcome::Created(_)));
    let close = |forge: &Forge| issue::close(forge, &"ours".parse().unwrap(), BOT, "gone");
    assert_eq!(prism.with(close).unwrap().len(), 1);

    let folder = tempfile::tempdir().unwrap();
    let event = folder.path().join("event.json");
    fs::write(&event, r#"{"comment": {"id": 800}, "issue": {"number": 12}}"#).unwrap();
    for refusal in [None, Some("why")] {
        let key = "ours".parse().unwrap();
        let answer = RequestAnswer { refusal, key: &key, attempt, author: BOT };
        let refused = prism.with(|forge| answer::send(forge, &event, &answer)).unwrap();
        assert_eq!(refused, [""; 0]);
    }

    // What we read is there, under the names that we know.
    let read = |forge: &Forge| {
        let author = forge.author()?;
        let pull = forge.pull(12)?;
        let run = forge.run(7001)?;
        let jobs = forge.jobs(7001)?;
        let pulls = forge.pulls_of("octocat/Hello-World", "new-topic")?;
        let permission = forge.permission("ada")?;
        let base = forge.merge_base(&pull, &pull.head.sha)?;
        assert!(base.behind_by.is_some(), "{base:?}");
        assert!(jobs.iter().all(|job| !job.is_hosted()), "their labels are read: {jobs:?}");
        let queue = forge.queue_before(u64::MAX)?.expect("the list of runs is read");
        assert_eq!((queue.running, queue.waiting), (0, 0), "the example's job has ended: {jobs:?}");
        Ok((author, pull.head.sha, run.event, jobs.len(), pulls.len(), permission))
    };
    let releases = prism.with(Forge::releases).unwrap();
    assert!(
        releases[0].tag_name.starts_with('v') && !releases[0].assets.is_empty(),
        "{releases:?}"
    );
    assert!(releases[0].published_at.is_some(), "{releases:?}");
    // A path with slashes is more than one part of a path here.
    let files = ["README.md"];
    let settings = prism.with(|forge| forge.settings(&files, &["bench"])).unwrap();
    // The example's owner is a person.
    let known = format!("{settings:?}").replace("runner_groups: Missing", "");
    assert!(!known.contains("Missing") && !known.contains("Hidden"), "{known}");
    assert!(settings.files[files[0]].value().is_some_and(|file| !file.sha.is_empty()), "{known}");
    assert!(settings.runners.value().is_some_and(|all| !all[0].labels.is_empty()), "{known}");
    let (author, sha, event, jobs, pulls, permission) = prism.with(read).unwrap();
    assert_eq!(author, "octocat");
    assert!(shakedown_protocol::is_commit(&sha), "{sha}");
    assert!(!event.is_empty() && jobs > 0 && pulls > 0, "{event} {jobs} {pulls}");
    assert_eq!(permission, "admin");
}

#[test]
#[ignore = "needs Prism: scripts/lib/prism.sh"]
fn runners_are_configured() {
    let prism = Prism::start();
    let group = "Default".to_owned();
    for owner in [RunnerOwner::Repository, RunnerOwner::Organization { login: "o".into(), group }] {
        let wanted = RunnerRequest { owner, name: "bench-1".into(), labels: vec!["bench".into()] };
        prism.with(|forge| registration::request(forge, &wanted)).unwrap();
    }
}

/// The check bites: what GitHub does not describe is refused.
#[test]
#[ignore = "needs Prism: scripts/lib/prism.sh"]
fn what_github_does_not_describe_is_refused() {
    let prism = Prism::start();
    let mut stream = TcpStream::connect(("127.0.0.1", prism.port)).unwrap();
    let body = r#"{"state":"green","context":"ours"}"#;
    let ask = format!(
        "POST /repos/tls/lib/statuses/{SHA} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(ask.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 422"), "{text}");
}
