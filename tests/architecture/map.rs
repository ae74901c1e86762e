//! The map in `docs/architecture.md`, and every other document, names files that exist; every crate is
//! on the map.

use crate::source::root;
use std::fs;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Everything between backticks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_file_on_the_map_exists() {
    let map = read("docs/architecture.md");
    let files: Vec<&str> =
        code(&map).filter(|name| name.contains('/') && !name.contains(['*', ' '])).collect();
    assert!(files.len() > 40, "only {} files were found on the map", files.len());
    let missing: Vec<&&str> = files.iter().filter(|file| !root().join(file).exists()).collect();
    assert!(missing.is_empty(), "docs/architecture.md names files that are gone: {missing:?}");
}

/// Folders of this repository that documents name files in.
const FOLDERS: [&str; 9] = [
    "bench",
    "forge",
    "history",
    "report",
    "runner-setup",
    "scripts",
    "src",
    "tests",
    "thresholds",
];

/// Stand-ins for a name.
const ELSEWHERE: [&str; 1] = ["bench/catalog/stacks/NAME.toml"];

#[test]
fn every_file_that_a_document_names_exists() {
    let plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-@".contains(c));
    let ours = |name: &str| {
        name.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder)) && plain(name)
    };
    let mut named = 0;
    for folder in ["", "docs", "docs/decisions"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for name in code(&text).filter(|name| ours(name) && !ELSEWHERE.contains(name)) {
                named += 1;
                assert!(root().join(name).exists(), "{} names {name}", path.display());
            }
        }
    }
    assert!(named > 100, "only {named} files were found in the documents");
}

#[test]
fn every_crate_is_on_the_map() {
    let map = read("docs/architecture.md");
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    assert!(!members.is_empty());
    for member in members {
        let folder = member.as_str().unwrap();
        assert!(map.contains(&format!("`{folder}/`")), "{folder} is not in docs/architecture.md");
    }
}
