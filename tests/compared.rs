//! Scripts of the workflows: which commits they compare (a tag with the release before it, head with
//! the merge base), and to which releases they attach a sign-off.

mod common;

use std::{
    path::Path,
    process::{Command, Output},
};

fn bash(folder: &Path, script: &str) -> Output {
    Command::new("bash")
        .args(["-c", &format!("set -euo pipefail; . \"$1\"; {script}"), "bash"])
        .arg(common::root().join("scripts/workflow/lib.sh"))
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.org")])
        .output()
        .unwrap()
}

/// A repository with a commit for each of these tags, in that order.
fn repository(tags: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut script = "git init -q".to_owned();
    for tag in tags {
        script += &format!("; git commit -q --allow-empty -m '{tag}'; git tag '{tag}'");
    }
    let made = bash(folder.path(), &script);
    assert!(made.status.success(), "{made:?}");
    folder
}

fn before(folder: &tempfile::TempDir, tag: &str) -> Option<String> {
    let output = bash(folder.path(), &format!("release_before . '{tag}'"));
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

#[test]
fn a_release_is_compared_with_the_release_before_it_of_the_same_name() {
    let rustls = repository(&["v/0.23.45", "rustls-ring/0.1.0", "bench-2026.1", "v/0.23.46"]);
    assert_eq!(before(&rustls, "v/0.23.46").as_deref(), Some("v/0.23.45"));
    assert_eq!(before(&rustls, "v/0.23.45"), None);

    let plain = repository(&["3.8.8", "experiment-3.9", "3.8.9"]);
    assert_eq!(before(&plain, "3.8.9").as_deref(), Some("3.8.8"));
}

#[test]
fn a_pre_release_is_a_baseline_for_pre_releases_only() {
    let openssl = repository(&[
        "openssl-3.6.0",
        "openssl-4.0.0-alpha1",
        "openssl-4.0.0-beta1",
        "openssl-4.0.0",
    ]);
    assert_eq!(before(&openssl, "openssl-4.0.0").as_deref(), Some("openssl-3.6.0"));
    assert_eq!(before(&openssl, "openssl-4.0.0-beta1").as_deref(), Some("openssl-4.0.0-alpha1"));
    let rustls = repository(&["v/0.23.46", "v/0.24.0-dev.1", "v/0.24.0"]);
    assert_eq!(before(&rustls, "v/0.24.0").as_deref(), Some("v/0.23.46"));
}

#[test]
fn a_release_starts_one_sign_off() {
    let text =
        std::fs::read_to_string(common::root().join(".github/workflows/signoff.yml")).unwrap();
    assert!(text.contains("tags:"), "{text}");
    // One event a release, or it is measured twice.
    assert!(!text.contains("  release:"));
}

#[test]
fn a_pull_request_is_compared_with_where_it_left_the_base_branch() {
    let folder = repository(&["left", "moved-on"]);
    let script = "cd subject; git checkout -q -b fix left; git commit -q --allow-empty -m fix";
    std::fs::create_dir(folder.path().join("work")).unwrap();
    let moved = bash(folder.path(), &format!("git clone -q . work/subject; cd work; {script}"));
    assert!(moved.status.success(), "{moved:?}");
    let place = folder.path().join("work");
    for (merge_base, expected) in [("true", "left"), ("false", "moved-on")] {
        let output = Command::new(common::root().join("scripts/workflow/worktrees"))
            .current_dir(&place)
            .envs([("SUBJECT", "subject"), ("BASE", "moved-on"), ("HEAD", "fix")])
            .env("MERGE_BASE", merge_base)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let found =
            bash(&place, "git -C subject-base describe --tags; rm -r subject-base subject-head");
        assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), expected, "{found:?}");
    }
}

/// `scripts/workflow/attach` with a stand-in for GitHub's command: whether it succeeds, and all that it said.
fn attach(repository: &str, release: Option<&str>) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::copy(common::root().join("tests/act/gh"), at("gh")).unwrap();
    std::fs::create_dir(at("releases")).unwrap();
    if let Some(kind) = release {
        std::fs::write(at("releases/v%2F1.1.0"), kind).unwrap();
    }
    let packed = bash(folder.path(), "mkdir signoff; tar -czf signoff.tar.gz signoff");
    assert!(packed.status.success(), "{packed:?}");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let output = Command::new(common::root().join("scripts/workflow/attach"))
        .current_dir(folder.path())
        .envs([("PATH", &*path), ("TAG", "v/1.1.0"), ("GITHUB_TOKEN", "t")])
        .env("GITHUB_REPOSITORY", repository)
        .output()
        .unwrap();
    let calls = std::fs::read_to_string(at("gh.log")).unwrap_or_default();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), format!("{}{calls}", String::from_utf8_lossy(&said)))
}

#[test]
fn a_sign_off_is_attached_where_the_release_takes_files_and_is_no_failure_elsewhere() {
    let (done, said) = attach("o/shakedown", Some(""));
    assert!(done && said.contains("release upload"), "{said}");
    for (release, why) in [(Some("immutable"), "takes no more files"), (None, "has no release yet")]
    {
        let (done, said) = attach("o/shakedown", release);
        assert!(done && said.contains(why) && !said.contains("release upload"), "{said}");
    }
    // Neither there nor missing: the stand-in knows no other repository, and answers with an error.
    let (done, said) = attach("o/other", Some(""));
    assert!(!done && said.contains("can't be read"), "{said}");
}

#[test]
fn of_several_attempts_the_newest_is_taken_and_what_has_no_attempt_stays() {
    let folder = tempfile::tempdir().unwrap();
    // Hosts bench, bench-2 and quiet: the second attempt of one is named as another one without its attempt.
    let names = [
        "night-bench-1",
        "night-bench-2",
        "night-bench-2-1",
        "night-bench-2-10",
        "night-bench-2-9",
        "night-quiet-1",
        "run",
    ];
    for name in names {
        let path = folder.path().join("nights").join(name);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("host"), name).unwrap();
    }
    let newest = |what: &str| {
        let script = common::root().join("scripts/workflow/newest");
        let done = Command::new(script).arg(what).current_dir(folder.path()).status().unwrap();
        assert!(done.success());
    };
    newest("nights");
    let left = bash(folder.path(), "cd nights; grep -r . | LC_ALL=C sort");
    assert_eq!(
        String::from_utf8_lossy(&left.stdout),
        "night-bench-2/host:night-bench-2-10\nnight-bench/host:night-bench-2\n\
         night-quiet/host:night-quiet-1\nrun/host:run\n"
    );
    newest("nothing");
}
