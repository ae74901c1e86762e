//! The map in `docs/architecture.md` names files that exist and every crate of the workspace.

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
