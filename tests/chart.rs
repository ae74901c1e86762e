//! `scripts/workflow/chart` on a forge in a folder.

mod common;

use std::{path::Path, process::Command};

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn the_branch_of_the_chart_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let (forge, clone) = (folder.path().join("o/n"), folder.path().join("clone"));
    for (place, kind) in [(&forge, "--bare"), (&clone, "--quiet")] {
        std::fs::create_dir_all(place).unwrap();
        git(place, &["init", "-q", "-b", "main", kind]);
    }
    let make = || {
        let output = Command::new(common::root().join("scripts/workflow/chart"))
            .current_dir(&clone)
            .envs([("GITHUB_REPOSITORY", "o/n"), ("GITHUB_TOKEN", "t")])
            .env("GITHUB_SERVER_URL", format!("file://{}", folder.path().display()))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        git(&forge, &["rev-parse", "refs/heads/chart"])
    };
    let made = make();
    assert_eq!(git(&forge, &["ls-tree", "chart"]), "", "it has no files");
    assert_eq!(git(&forge, &["rev-list", "--count", "chart"]), "1");
    assert_eq!(make(), made, "what is there is left alone");
}
