//! `scripts/lib/upstream.sh`, which the nightly job `upstream` calls: on a library in miniature under
//! the name of rustls, as a repository on this disk.

#![allow(missing_docs)]

mod common;

use common::mini::{CONSTANT, FUNCTION, Mini, UNKNOWN};
use std::{fs, path::Path, process::Command};

struct Told {
    success: bool,
    table: String,
    errors: String,
    summary: String,
}

/// Calls it as the job does.
fn upstream(mini: &Mini, folder: &Path, since: &str, arguments: &[&str]) -> Told {
    let summary = folder.join("summary.md");
    let _ = fs::remove_file(&summary);
    let output = Command::new(common::root().join("scripts/lib/upstream.sh"))
        .arg(mini.upstream.folder())
        .args(arguments)
        .envs(mini.environment())
        .env("SHAKEDOWN", assert_cmd::cargo::cargo_bin!("shakedown"))
        .env("SHAKEDOWN_LOCK", folder.join("lock"))
        .env("SINCE", since)
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Told {
        success: output.status.success(),
        table: text(&output.stdout),
        errors: text(&output.stderr),
        summary: fs::read_to_string(summary).unwrap_or_default(),
    }
}

#[test]
fn a_break_is_told_the_day_it_happens_and_costs_no_red_job() {
    let mini = Mini::as_stack("job", "rustls");
    let folder = tempfile::tempdir().unwrap();
    let commits = [FUNCTION, CONSTANT, UNKNOWN].map(|code| mini.commit(code));
    let told = upstream(&mini, folder.path(), "", &["3"]);
    assert!(told.success, "{}{}", told.table, told.errors);
    let lines: Vec<&str> = told.table.lines().skip(2).collect();
    assert_eq!(lines.len(), 3, "{}", told.table);
    for (line, (commit, how)) in lines.iter().zip([
        (&commits[2], "| in-tree benchmark: surface records, error[E"),
        (&commits[1], "records=constant"),
        (&commits[0], "records=function"),
    ]) {
        assert!(line.starts_with(&format!("| {} ", &commit[..9])) && line.contains(how), "{line}");
    }
    let warning = told.errors.lines().find(|line| line.starts_with("::warning::")).unwrap();
    assert!(warning.contains(&commits[2][..9]) && warning.contains("surface records"), "{warning}");
    assert_eq!(told.summary, told.table);

    // The commits are of long ago: there is nothing new.
    let quiet = upstream(&mini, folder.path(), "1 hour ago", &["3"]);
    assert!(quiet.success && quiet.table.starts_with("no new revisions\n"), "{}", quiet.table);
}

#[test]
fn what_nothing_measures_is_a_red_job() {
    let mini = Mini::as_stack("red", "rustls");
    let folder = tempfile::tempdir().unwrap();
    mini.upstream.write("mini/examples/bench.rs", "fn main() {}\n");
    let silent = mini.commit(UNKNOWN);
    fs::remove_file(mini.upstream.folder().join("mini/examples/bench.rs")).unwrap();
    let gone = mini.commit(&format!("{UNKNOWN}// Without a benchmark.\n"));
    for revision in [&silent, &gone] {
        let told = upstream(&mini, folder.path(), "", &[revision]);
        assert!(!told.success, "{}", told.table);
        assert!(told.summary.contains(&revision[..9]), "{}", told.summary);
    }
}
