//! `runner-setup/update-runner-version` against a stand-in of GitHub's API.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::Path,
    process::{Command, Output},
    thread,
};

const X64: &str = "11c0ffee11c0ffee11c0ffee11c0ffee11c0ffee11c0ffee11c0ffee11c0ffee";
const ARM64: &str = "22c0ffee22c0ffee22c0ffee22c0ffee22c0ffee22c0ffee22c0ffee22c0ffee";

/// Answers this many requests with a release; returns the API's address.
fn api_times(release: serde_json::Value, times: u32) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for _ in 0..times {
            let (mut stream, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
            let body = release.to_string();
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json";
            write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        }
    });
    address
}

/// A release with the digests of the files, and those that its text tells.
fn release(files: [&str; 2], text: [&str; 2]) -> serde_json::Value {
    let asset = |arch: &str, digest: &str| {
        serde_json::json!({
            "name": format!("actions-runner-linux-{arch}-2.400.1.tar.gz"),
            "digest": (!digest.is_empty()).then(|| format!("sha256:{digest}")),
        })
    };
    let told = |arch: &str, digest: &str| {
        format!("<!-- BEGIN SHA linux-{arch} -->{digest}<!-- END SHA linux-{arch} -->\n")
    };
    serde_json::json!({
        "tag_name": "v2.400.1",
        "assets": [asset("x64", files[0]), asset("arm64", files[1])],
        "body": told("x64", text[0]) + &told("arm64", text[1]),
    })
}

/// Runs the script on a copy of the file; returns what it said and the file after it.
fn update(release: serde_json::Value) -> (Output, String) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("runner-setup");
    let folder = tempfile::tempdir().unwrap();
    for name in ["update-runner-version", "runner.version"] {
        fs::copy(source.join(name), folder.path().join(name)).unwrap();
    }
    let output = Command::new(folder.path().join("update-runner-version"))
        .env("SHAKEDOWN_GITHUB_API", api_times(release, 1))
        .env_remove("GITHUB_TOKEN")
        .output()
        .unwrap();
    (output, fs::read_to_string(folder.path().join("runner.version")).unwrap())
}

#[test]
fn a_release_is_written_down() {
    for release in [
        release([X64, ARM64], [X64, ARM64]),
        release([X64, ARM64], ["", ""]),
        release(["", ""], [X64, ARM64]),
    ] {
        let (output, file) = update(release);
        assert!(output.status.success(), "{output:?}");
        let today = jiff::Zoned::now().with_time_zone(jiff::tz::TimeZone::UTC).date();
        let told =
            format!("newest_on={today}\nversion=2.400.1\nsha256_x64={X64}\nsha256_arm64={ARM64}\n");
        assert!(file.ends_with(&told) && file.starts_with("# The GitHub Actions runner"), "{file}");
    }
}

#[test]
fn a_release_that_tells_no_digest_or_two_changes_nothing() {
    for (release, why) in [
        (release([X64, ARM64], [ARM64, ARM64]), "contradicts itself"),
        (release([X64, ""], [X64, ""]), "tells no SHA-256"),
        (release(["evil; id", ARM64], ["", ""]), "no SHA-256"),
        (serde_json::json!({"tag_name": "v1; id", "assets": [], "body": ""}), "no version"),
    ] {
        let (output, file) = update(release);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(why), "{said}");
        assert!(!file.contains("2.400.1"), "{file}");
    }
}

#[test]
fn the_pinned_version_has_both_digests() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("runner-setup/runner.version");
    let file = fs::read_to_string(file).unwrap();
    for key in ["sha256_x64=", "sha256_arm64="] {
        let digest = file.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        assert!(digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()), "{digest}");
    }
}

/// In place of `gh`: opens and counts pull requests; the first one not, where the setting forbids it.
const GH: &str = r#"#!/bin/sh
cd "${0%/*}"
echo "gh $*" >&2
case "$1 $2" in
"pr list") ls | grep -c ^pull- || true ;;
"pr create")
    [ ! -e forbidden ] || { rm forbidden && echo "GitHub Actions is not permitted to create pull requests" >&2 && exit 1; }
    touch pull-1 ;;
*) exit 64 ;;
esac
"#;

/// Runs the weekly job in a clone whose pinned runner is `version`, the newest one `days` ago, while
/// GitHub has 2.400.1. Returns what it said, with the calls of `gh`, and the new branches.
fn weekly(version: &str, days: i32, times: u32) -> (String, String) {
    weekly_where(version, days, times, true)
}

/// The same, where a setting of the repository forbids the first pull request.
fn weekly_where(version: &str, days: i32, times: u32, allowed: bool) -> (String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let (clone, bin) = (folder.path().join("clone"), folder.path().join("bin"));
    for below in ["runner-setup", "scripts/workflow", "scripts/lib"] {
        fs::create_dir_all(clone.join(below)).unwrap();
    }
    for file in [
        "runner-setup/update-runner-version",
        "scripts/workflow/runner-version",
        "scripts/workflow/lib.sh",
        "scripts/lib/versions.sh",
    ] {
        fs::copy(root.join(file), clone.join(file)).unwrap();
    }
    let newest_on = jiff::Zoned::now().date().checked_sub(jiff::Span::new().days(days)).unwrap();
    let pinned = format!("# The runner\nnewest_on={newest_on}\nversion={version}\n");
    fs::write(clone.join("runner-setup/runner.version"), pinned).unwrap();
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("gh"), GH).unwrap();
    if !allowed {
        fs::write(bin.join("forbidden"), "").unwrap();
    }
    let script = format!(
        "set -e; exec 2>&1; chmod +x {bin}/gh; git init -q --bare {top}/o/n; cd {clone}; git init -q -b main; git add -A
         export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
         git commit -qm first
         for i in $(seq {times}); do git checkout -qf main; scripts/workflow/runner-version || echo \"ended with $?\"; done
         git -C {top}/o/n for-each-ref --format='%(refname:short)' >{top}/branches",
        bin = bin.display(),
        top = folder.path().display(),
        clone = clone.display(),
    );
    let addresses = api_times(release([X64, ARM64], ["", ""]), times);
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()))
        .envs([("GITHUB_REPOSITORY", "o/n"), ("GITHUB_TOKEN", "t"), ("BASE", "main")])
        .env("GITHUB_SERVER_URL", format!("file://{}", folder.path().display()))
        .env("SHAKEDOWN_GITHUB_API", addresses)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let branches = fs::read_to_string(folder.path().join("branches")).unwrap();
    (String::from_utf8(output.stdout).unwrap(), branches)
}

#[test]
fn a_newer_runner_is_proposed_once() {
    let (said, branches) = weekly("2.399.0", 0, 2);
    assert_eq!(said.matches("gh pr create").count(), 1, "{said}");
    assert!(
        said.contains("--base main --head runner-2.400.1") && said.contains("Hosts have 2.399.0")
    );
    assert!(said.contains("is there already"), "{said}");
    assert_eq!(branches, "runner-2.400.1\n");
}

#[test]
fn what_could_not_be_proposed_fails_and_is_proposed_the_week_after() {
    let (said, branches) = weekly_where("2.399.0", 0, 3, false);
    assert_eq!(said.matches("ended with 3").count(), 1, "{said}");
    assert!(said.contains("allow GitHub Actions to create pull requests"), "{said}");
    assert_eq!(said.matches("gh pr create").count(), 2, "{said}");
    assert!(said.contains("has a pull request"), "{said}");
    assert_eq!(branches, "runner-2.400.1\n");
}

#[test]
fn the_day_of_the_newest_runner_is_renewed_before_the_alarm() {
    let (said, branches) = weekly("2.400.1", 13, 1);
    assert!(said.contains("is the newest one") && branches.is_empty(), "{said}");
    let (said, branches) = weekly("2.400.1", 16, 1);
    assert!(said.contains("is still the newest"), "{said}");
    assert!(branches.starts_with("runner-2.400.1-20"), "{branches}");
}

#[test]
fn a_version_that_nobody_compared_for_a_month_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let warned = |newest_on: jiff::civil::Date| {
        let file = folder.path().join("runner.version");
        fs::write(&file, format!("newest_on={newest_on}\nversion=2.400.1\n")).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let output = Command::new("bash")
            .args(["-c", ". scripts/lib/versions.sh; warn_of_old_runner \"$1\"", "bash"])
            .arg(&file)
            .current_dir(root)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).contains("compared with the newest runner")
    };
    let today = jiff::Zoned::now().date();
    assert!(!warned(today));
    assert!(warned(today.checked_sub(jiff::Span::new().days(32)).unwrap()));
}
