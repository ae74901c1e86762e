//! The table of `scripts/test --upstream`, with a stand-in for the command that measures.

mod common;

use common::{root, upstream::Upstream};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

/// Measures a tree: its file `API` has the forms of the API, or nothing where no driver fits. Each
/// file of the tree that must not be there is a failure.
const STAND_IN: &str = r#"#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" != --out ] || out=$2
    shift
done
tree=${1#rustls@path:} tree=${tree%+*}
[ ! -e "$tree/large" ] || { echo "error: the large file is there" >&2; exit 3; }
grep -q . "$tree/Cargo.toml" || { echo "error: no manifest" >&2; exit 3; }
mkdir -p "$out"
printf '{"subjects":[{"artifact":{"surfaces":{%s}}}]}' "$(cat "$tree/API")" >"$out/record.json"
state=$(cat "$tree/STATE")
printf '[{"scenario":"full","state":"measured"},{"scenario":"full","state":"measured"},'
printf '{"scenario":"bulk","state":"%s"}]' "$state"
"#;

/// The exit code, and what the script prints, without times.
fn table(repository: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let stand_in = folder.path().join("shakedown");
    fs::write(&stand_in, STAND_IN).unwrap();
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(root().join("scripts/lib/upstream.sh"));
    command.arg(repository).args(arguments);
    command.env("SHAKEDOWN", &stand_in).env("VARIANTS", "ring aws-lc-rs").env_remove("SINCE");
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let timeless = |field: &str| {
        let time = field.strip_prefix(' ').and_then(|field| field.strip_suffix(" s "));
        let time = time.and_then(|number| number.parse::<u32>().ok());
        if time.is_some() { " N s ".to_owned() } else { field.to_owned() }
    };
    let text = text.split('|').map(timeless).collect::<Vec<_>>().join("|");
    (output.status.code(), format!("{text}{errors}"))
}

/// Four commits: two forms of the API, one that no driver fits, and one that loses a scenario.
fn repository(name: &str) -> Upstream {
    let upstream = Upstream::new(name);
    upstream.write("Cargo.toml", "[workspace]\n");
    upstream.write("STATE", "measured\n");
    for (tag, api) in [
        ("one", r#""io":"streams","sides":"named""#),
        ("two", r#""io":"input","sides":"named""#),
        ("three", ""),
    ] {
        upstream.write("API", api);
        upstream.commit(tag);
        upstream.git(&["tag", tag]);
    }
    upstream.write("API", r#""io":"input","sides":"generic""#);
    upstream.write("STATE", "lost\n");
    upstream.commit("four");
    upstream.git(&["tag", "four"]);
    upstream
}

#[test]
fn the_table_says_what_was_measured_and_which_forms_are_new() {
    let upstream = repository("table-upstream");
    let (code, text) = table(upstream.folder(), &["one", "two", "three"]);
    insta::assert_snapshot!(text, @r"
    | revision | committed | variant | scenarios measured | time | forms of the API |
    |---|---|---|---|--:|---|
    | one | 2026-10-01 | ring | 2 | N s | io=streams sides=named |
    | one | 2026-10-01 | aws-lc-rs | 2 | N s | io=streams sides=named |
    | two | 2026-10-01 | ring | 2 | N s | io=input |
    | two | 2026-10-01 | aws-lc-rs | 2 | N s | io=input |
    | three | 2026-10-01 | ring | 2 | N s | in-tree benchmark |
    | three | 2026-10-01 | aws-lc-rs | 2 | N s | in-tree benchmark |
    ");
    assert_eq!(code, Some(0));
}

#[test]
fn a_lost_scenario_fails() {
    let upstream = repository("lost-upstream");
    let (code, text) = table(upstream.folder(), &["four"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("| 1, not bulk | N s | io=input sides=generic |"), "{text}");
    let (code, text) = table(upstream.folder(), &["five"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("has no commit, tag or branch five"), "{text}");
}

#[test]
fn a_copy_without_its_large_files_is_measured() {
    let upstream = repository("partial-upstream");
    upstream.write("STATE", "measured\n");
    upstream.write("large", "of which some copies have none\n");
    let commit = upstream.commit("five");
    let blob = upstream.git(&["rev-parse", "HEAD:large"]);
    let object = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
    fs::remove_file(upstream.folder().join(object)).unwrap();
    let (code, text) = table(upstream.folder(), &["1"]);
    assert_eq!(code, Some(0), "{text}");
    let row =
        format!("| {} | 2026-10-01 | ring | 2 | N s | io=input sides=generic |", &commit[..9]);
    assert!(text.contains(&row), "{text}");
}
