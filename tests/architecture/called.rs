//! What `scripts/test` goes through by name leaves nothing out: packages that stand apart, and slow tests.

use crate::source::root;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The packages below a folder that are no members of the workspace.
fn apart(folder: &Path, members: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let folders =
        entries(folder).into_iter().filter(|path| path.is_dir() && !path.ends_with("target"));
    for path in folders {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        if path.join("Cargo.toml").is_file() && !members.contains(&name) {
            found.insert(name);
        }
        found.extend(apart(&path, members));
    }
    found
}

#[test]
fn each_package_that_stands_apart_is_checked_and_kept_up_to_date() {
    let manifest: toml::Table =
        fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    let members = members.iter().map(|member| member.as_str().unwrap().to_owned()).collect();
    let packages = apart(&root().join("bench"), &members);
    assert!(packages.len() > 5, "{packages:?}");

    let list = ". scripts/lib/rust.sh; packages_apart .";
    let done = Command::new("bash").args(["-euc", list]).current_dir(root()).output().unwrap();
    let listed = String::from_utf8(done.stdout).unwrap();
    let listed = listed.lines().map(|line| line.trim_start_matches("./").to_owned());
    assert_eq!(listed.collect::<BTreeSet<_>>(), packages);

    let updates = fs::read_to_string(root().join(".github/dependabot.yml")).unwrap();
    let line = updates.lines().find(|line| line.contains("/bench/")).unwrap();
    let folders: BTreeSet<&str> =
        line.split(['[', ']', ',', ' ']).filter(|part| part.starts_with('/')).collect();
    for package in packages {
        let above = format!("/{}/*", package.rsplit_once('/').unwrap().0);
        let held = folders.contains(&*above) || folders.contains(&*format!("/{package}"));
        assert!(held, "dependabot updates {folders:?}, not {package}");
    }
}

/// The text of a test program.
fn program(path: &Path) -> String {
    if path.is_dir() {
        entries(path).iter().filter(|path| path.is_file()).map(|path| program(path)).collect()
    } else {
        fs::read_to_string(path).unwrap_or_default()
    }
}

#[test]
fn each_slow_test_is_called_by_a_script() {
    let mut scripts = program(&root().join("scripts/lib"));
    scripts += &program(&root().join("scripts/test"));
    let called: BTreeSet<&str> = scripts
        .split("--test ")
        .skip(1)
        .map(|rest| rest.split_whitespace().next().unwrap())
        .collect();
    let mut slow = 0;
    for path in entries(&root().join("tests")) {
        let text = program(&path);
        let mut reasons = text.lines().filter_map(|line| line.strip_prefix("#[ignore = "));
        if reasons.any(|reason| !reason.contains("by hand")) {
            slow += 1;
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(
                called.contains(name),
                "no script calls `cargo test --test {name} -- --ignored`"
            );
        }
    }
    assert!(slow > 5, "{slow}");
}
