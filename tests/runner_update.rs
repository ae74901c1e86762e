//! `shakedown host runner-update` against a stand-in of GitHub's releases, on a captured machine.

mod common;

use serde_json::{Value, json};
use shakedown_forge::fake::FakeForge;
use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

const DAY: i64 = 86_400;

struct Host {
    folder: tempfile::TempDir,
    github: FakeForge,
}

/// What the release says of the archive: GitHub's digest of the file, and its own text.
struct Says<'a> {
    file: Option<&'a str>,
    text: Option<&'a str>,
}

impl Host {
    /// A machine with runner 2.399.0.
    fn new() -> Self {
        let host = Self { folder: tempfile::tempdir().unwrap(), github: FakeForge::start() };
        let fixture = common::root().join("runner-setup/host/tests/fixtures/intel.txt");
        let machine = host.at("machine");
        shakedown_host::tree::unpack(&fs::read_to_string(fixture).unwrap(), &machine).unwrap();
        let runner = host.runner("runner");
        fs::create_dir_all(&runner).unwrap();
        fs::write(runner.join("run.sh"), "2.399.0").unwrap();
        fs::write(runner.join(".shakedown"), "version=2.399.0\n").unwrap();
        host
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn runner(&self, name: &str) -> PathBuf {
        self.at("machine/usr/local/lib/shakedown").join(name)
    }

    fn says(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.runner(name).join("run.sh")).ok()
    }

    /// Makes the archive of 2.400.1; returns its digest.
    fn archive(&self) -> String {
        fs::create_dir_all(self.at("new")).unwrap();
        for name in ["run.sh", "config.sh"] {
            fs::write(self.at("new").join(name), "2.400.1").unwrap();
        }
        let archive = self.at("archive");
        let mut tar = Command::new("tar");
        let tar = tar.arg("-czf").arg(&archive).arg("-C").arg(self.at("new")).arg(".");
        assert!(tar.status().unwrap().success());
        let mut state = self.github.state();
        state.files.insert("/stored".to_owned(), fs::read(&archive).unwrap());
        // As GitHub does: a release's file is somewhere else.
        state.moved.insert("/download".to_owned(), format!("{}/stored", self.github.url()));
        let sum = Command::new("sha256sum").arg(&archive).output().unwrap();
        String::from_utf8(sum.stdout).unwrap()[..64].to_owned()
    }

    /// Publishes 2.400.1, which came out so many days ago, and others that are not for everybody.
    fn publish(&self, says: &Says<'_>, days: i64) {
        let at = jiff::Timestamp::now() - jiff::SignedDuration::from_secs(days * DAY);
        let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        let text = says.text.map(|text| {
            format!("<!-- BEGIN SHA linux-{arch} -->{text}<!-- END SHA linux-{arch} -->")
        });
        let release = |version: &str, kind: &str| {
            let mut release = json!({
                "tag_name": version, "published_at": at.to_string(), "body": text,
                "draft": false, "prerelease": false,
                "assets": [{
                    "name": format!("actions-runner-linux-{arch}-2.400.1.tar.gz"),
                    "digest": says.file.map(|digest| format!("sha256:{digest}")),
                    "browser_download_url": format!("{}/download", self.github.url()),
                }],
            });
            release[kind] = true.into();
            release
        };
        let all = [
            release("v2.401.0", "prerelease"),
            release("v2.500.0", "draft"),
            release("nightly", "x"),
            release("v2.400.1", "x"),
            release("v2.399.0", "x"),
        ];
        let path = "/repos/actions/runner/releases".to_owned();
        self.github.state().fixtures.insert(path, Value::from(all.to_vec()));
    }

    fn host(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("shakedown"));
        command.arg("host").args(arguments).arg("--root").arg(self.at("machine"));
        command.current_dir(self.folder.path()).output().unwrap()
    }

    fn update(&self, more: &[&str]) -> (Option<i32>, String) {
        let (url, lock) = (self.github.url(), self.at("lock"));
        let mut arguments = vec!["runner-update", "--no-restart", "--releases-api", &url];
        arguments.extend(["--lock", lock.to_str().unwrap()]);
        arguments.extend(more);
        let output = self.host(&arguments);
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    }
}

#[test]
fn the_newest_runner_is_installed_and_the_one_before_kept() {
    for (file, text) in [(true, true), (true, false), (false, true)] {
        let host = Host::new();
        let digest = host.archive();
        let told = |whether: bool| whether.then_some(digest.as_str());
        host.publish(&Says { file: told(file), text: told(text) }, 25);
        let (code, said) = host.update(&[]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("the runner is 2.400.1 now"), "{said}");
        assert_eq!(host.says("runner").unwrap(), "2.400.1");
        assert_eq!(host.says("runner.previous").unwrap(), "2.399.0");
        assert!(!host.runner(".runner.archive").exists());
        let (code, said) = host.update(&[]);
        assert!(code == Some(0) && said == "runner 2.400.1: the newest one 0 days ago\n", "{said}");
        // What everybody may read is asked for without a token.
        assert!(host.github.state().requests.iter().all(|(_, _, token)| token.is_empty()));
    }
}

#[test]
fn while_a_job_has_the_host_nothing_changes_and_the_next_job_gets_it() {
    let host = Host::new();
    let digest = host.archive();
    let says = Says { file: Some(&digest), text: Some(&digest) };
    host.publish(&says, 5);
    let lock = fs::File::create(host.at("lock")).unwrap();
    lock.lock().unwrap();
    // A download would disturb what is measured, and there is time.
    let (code, said) = host.update(&[]);
    assert!(code == Some(0) && said.contains("nothing is downloaded now"), "{said}");
    assert_eq!(host.says("runner.next"), None);
    host.publish(&says, 25);
    let (code, said) = host.update(&[]);
    assert!(code == Some(4) && said.contains("the next job gets it"), "{said}");
    assert_eq!(host.says("runner").unwrap(), "2.399.0");
    // It is not fetched again.
    host.update(&[]);
    let fetched = |(_, path, _): &&(String, String, String)| path == "/stored";
    assert_eq!(host.github.state().requests.iter().filter(fetched).count(), 1);
    // `runner-prepare` calls this, while the lock is somebody else's.
    let (code, said) = host.update(&["--staged"]);
    assert!(code == Some(0) && said.contains("the runner is 2.400.1 now"), "{said}");
    assert_eq!(host.says("runner").unwrap(), "2.400.1");
    assert_eq!(host.update(&["--staged"]), (Some(0), String::new()));
}

#[test]
fn an_archive_that_is_not_what_was_published_changes_nothing() {
    let other = "11c0ffee".repeat(8);
    let host = Host::new();
    let digest = host.archive();
    for (says, why) in [
        (Says { file: Some(&other), text: Some(&other) }, "not what was published"),
        (Says { file: Some(&digest), text: Some(&other) }, "contradicts itself"),
        (Says { file: None, text: None }, "names no SHA-256"),
        (Says { file: Some("evil; id"), text: None }, "is not a SHA-256"),
    ] {
        host.publish(&says, 25);
        let (code, said) = host.update(&[]);
        assert!(code != Some(0) && said.contains(why), "{said}");
        assert_eq!(host.says("runner").unwrap(), "2.399.0");
        assert_eq!(host.says("runner.next"), None);
        assert!(!host.runner(".runner.archive").exists());
    }
    host.github.state().fixtures.clear();
    let (code, said) = host.update(&[]);
    assert!(code != Some(0) && said.contains("has no releases"), "{said}");
}

#[test]
fn the_alarm_is_told_by_check_and_metrics() {
    let host = Host::new();
    for (days, code, state) in [(5, 0, "behind"), (21, 4, "alarm"), (31, 4, "refused")] {
        host.publish(&Says { file: None, text: None }, days);
        let (found, said) = host.update(&["--check"]);
        assert_eq!(found, Some(code), "{said}");
        assert_eq!(host.says("runner").unwrap(), "2.399.0");
        let check = host.host(&["check", "--json"]);
        let check: Value = serde_json::from_slice(&check.stdout).unwrap();
        assert_eq!(
            (&check["runner"]["state"], &check["runner"]["version"]),
            (&json!(state), &json!("2.399.0"))
        );
        let check = String::from_utf8(host.host(&["check"]).stdout).unwrap();
        assert!(check.lines().last().unwrap().starts_with("runner 2.399.0"), "{check}");
        let metrics = String::from_utf8(host.host(&["metrics"]).stdout).unwrap();
        let old = format!("\nshakedown_host_runner_old {}\n", u8::from(code == 4));
        assert!(metrics.contains(&old), "{metrics}");
    }
}
