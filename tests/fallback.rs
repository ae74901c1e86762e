//! Revisions that the driver does not fit, as the user of `run`, `compare` and the history meets
//! them: on a library in miniature whose API changes.

#![allow(missing_docs)]

mod common;

use common::{
    all_measured,
    mini::{CONSTANT, FUNCTION, LEARNED, Mini, POLICY, UNKNOWN, git},
    nights::{History, argument},
    record,
};
use serde_json::json;
use shakedown_protocol::{Misfit, RunRecord};
use std::{fs, path::Path};

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
fn run(mini: &Mini, folder: &Path, name: &str, subjects: &[&str]) -> RunRecord {
    let out = folder.join(name);
    let some = ["run", "--suite", "smoke", "--only", FULL, "--blocks", "1", "--out"];
    mini.call(folder, &[&some[..], &[argument(&out)], subjects].concat());
    record(&out)
}

#[test]
fn base_with_one_variant_is_compared_with_head_of_another() {
    let mini = Mini::new("variants");
    let folder = tempfile::tempdir().unwrap();
    let [base, head] = [mini.commit(FUNCTION), mini.commit(CONSTANT)].map(|id| git(&id));
    let (record, said) = mini.compare(folder.path(), "out", [&base, &head], POLICY);
    assert!(!record.plan.in_tree() && record.plan.incompatible().next().is_none());
    let variants = [0, 1].map(|at| record.subjects[at].artifact.surfaces["records"].clone());
    assert_eq!(variants, ["function", "constant"]);
    assert!(said.contains("records: function") && said.contains("constant"), "{said}");
    all_measured(&record);
}

#[test]
fn base_that_fits_and_head_that_does_not_are_both_measured_in_tree() {
    let mini = Mini::new("one-sided");
    let folder = tempfile::tempdir().unwrap();
    let [base, head] = [mini.commit(FUNCTION), mini.commit(UNKNOWN)];
    let (record, said) = mini.compare(folder.path(), "out", [&git(&base), &git(&head)], POLICY);
    let fallback = record.plan.fallback.as_ref().unwrap();
    assert_eq!((&*fallback.suite, &fallback.only[..]), ("smoke", &[FULL.to_owned()][..]));
    let [misfit] = &fallback.subjects[..] else { panic!("{fallback:?}") };
    assert_eq!(misfit.misfit, Misfit::Surface("records".to_owned()));
    assert_eq!(misfit.revision.as_deref(), Some(&*head));
    assert!(misfit.error.starts_with("error[E"), "{}", misfit.error);
    assert!(record.subjects.iter().all(|entry| entry.artifact.driver == "intree"));
    assert!(said.contains("(in-tree benchmark)") && said.contains("surface `records`"), "{said}");
    let report = fs::read_to_string(folder.path().join("out/report.md")).unwrap();
    assert!(report.contains("In-tree benchmark") && report.contains(&head[..12]), "{report}");
}

#[test]
fn a_broken_probe_ends_in_the_fallback_never_in_a_missing_fact() {
    let mini = Mini::new("broken-probe");
    let folder = tempfile::tempdir().unwrap();
    let fits = git(&mini.commit(FUNCTION));
    let sound = run(&mini, folder.path(), "sound", &[&fits]);
    assert_eq!(sound.subjects[0].artifact.surfaces["records"], "function");
    for (name, from, to) in [
        ("none-fits", "mini::records()", "mini::renamed()"),
        ("both-fit", "fn probe() -> u32 { mini::renamed() }", ""),
    ] {
        mini.edit_driver("probes/records/function.rs", from, to);
        if name == "both-fit" {
            mini.edit_driver(
                "probes/records/constant.rs",
                "fn probe() -> u32 { mini::RECORDS }",
                "",
            );
        }
        let broken = run(&mini, folder.path(), name, &[&fits]);
        let fallback = broken.plan.fallback.as_ref().unwrap();
        assert_eq!(fallback.subjects[0].misfit, Misfit::Surface("records".to_owned()), "{name}");
        assert!(broken.trials.len() >= 10);
        all_measured(&broken);
    }
}

#[test]
fn an_in_tree_benchmark_that_says_nothing_gives_no_number() {
    let mini = Mini::new("silent");
    let folder = tempfile::tempdir().unwrap();
    mini.upstream.write("mini/examples/bench.rs", "fn main() {}\n");
    let silent = git(&mini.commit(UNKNOWN));
    let broken = run(&mini, folder.path(), "out", &[&silent]);
    assert!(broken.plan.fallback.is_some() && !broken.trials.is_empty());
    assert!(broken.trials.iter().all(|trial| trial.measured().is_none()));
    let report = fs::read_to_string(folder.path().join("out/report.md")).unwrap();
    assert!(report.contains("no line of its output is about"), "{report}");
}

#[test]
fn a_missed_night_is_told_once_and_measured_when_the_driver_fits_again() {
    let mini = Mini::new("night");
    let history = History::new().with_environment(mini.environment());
    let folder = history.at("");
    let add = |name: &str, night: u64| {
        let mut record = record(&history.at(name));
        record.started_ms += night;
        fs::write(history.at(name).join("record.json"), serde_json::to_string(&record).unwrap())
            .unwrap();
        history.call(&["history", "add", argument(&history.at(name))]).success();
        record
    };
    let head = "mini@git:HEAD";
    mini.commit(FUNCTION);
    run(&mini, &folder, "first", &[head, common::NOOP]);
    add("first", 0);
    let missed = mini.commit(UNKNOWN);
    // The stack that does nothing has no benchmark of its own: it is measured as planned.
    let others = run(&mini, &folder, "second", &[head, common::NOOP]);
    assert_eq!(others.subjects.len(), 1);
    assert_eq!(others.plan.left_out[0].revision.as_deref(), Some(&*missed));
    add("second", 1);
    fs::rename(history.at("second/in-tree"), history.at("second-in-tree")).unwrap();
    let apart = add("second-in-tree", 2);
    assert_eq!(apart.plan.fallback.as_ref().unwrap().suite, "smoke");
    all_measured(&apart);

    let owed = history.json(&["history", "owed"]);
    assert_eq!(owed.as_array().unwrap().len(), 1, "{owed:#}");
    assert_eq!((&owed[0]["subject"], &owed[0]["revision"]), (&json!(head), &json!(missed)));
    let listed = history.text(&["history", "list"]);
    assert!(listed.contains("in-tree benchmark instead of suite smoke"), "{listed}");
    let out = history.at("backfill");
    let fill = ["backfill", "--out", argument(&out)];
    assert_eq!(history.json(&fill), json!([]), "the driver has fitted nothing since");
    let all = history.json(&[&fill[..], &["--all"]].concat());
    assert_eq!(all[0]["state"], "incompatible", "{all:#}");

    // The driver learns the API.
    let probes = mini.project.join("bench/drivers/mini/probes/records");
    fs::write(probes.join("unknown.rs"), "fn probe() -> u32 { mini::Records(1).0 }\n").unwrap();
    mini.edit_driver("src/main.rs", "struct NoOp;", LEARNED);
    mini.commit(&format!("{UNKNOWN}// Later.\n"));
    run(&mini, &folder, "third", &[head, common::NOOP]);
    add("third", 3);
    let none = history.json(&[&fill[..], &["--minutes", "0"]].concat());
    assert_eq!(none[0]["state"], "waiting", "{none:#}");
    let filled = history.json(&fill);
    assert_eq!(filled[0]["state"], "measured", "{filled:#}");
    assert_eq!(history.json(&fill), json!([]), "once is enough");
    assert_eq!(history.json(&["history", "owed"]), json!([]));
    let trend = ["history", "trend", FULL, "--subject", head, "--side", "client"];
    let trend = history.json(&[&trend[..], &["--metric", "wire-bytes"]].concat());
    let revisions = trend[0]["points"].as_array().unwrap();
    assert_eq!(revisions.len(), 3);
    assert_eq!(revisions[1]["revision"], json!(missed), "it stands where it was missed");
}

#[test]
fn a_killed_backfill_is_finished_by_the_next_call() {
    let mini = Mini::new("killed");
    let history = History::new().with_environment(mini.environment());
    let missed = mini.commit(FUNCTION);
    let folder = history.at("");
    let measured = run(&mini, &folder, "first", &["mini@git:HEAD"]);
    let mut record = measured.clone();
    record.plan.left_out = vec![shakedown_protocol::Incompatible {
        subject: "mini@git:HEAD".parse().unwrap(),
        resolved: git(&missed).parse().unwrap(),
        revision: Some(missed),
        misfit: Misfit::Compile,
        error: "E".to_owned(),
    }];
    record.subjects.clear();
    record.trials.clear();
    history.add([record]);
    let out = history.at("backfill");
    let fill = ["backfill", "--all", "--out", argument(&out)];
    let filled = history.json(&fill);
    assert_eq!(filled[0]["state"], "measured", "{filled:#}");
    // As a kill leaves it: half a record, and nothing in the history.
    let place = common::files(&out)[0].join("record.json");
    let text = fs::read_to_string(&place).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&place, lines[..2].concat()).unwrap();
    let runs = history.dir().join("runs");
    let id = filled[0]["filled_by"].as_str().unwrap();
    let kept = files_below(&runs).into_iter().find(|path| path.to_str().unwrap().contains(id));
    let kept = kept.unwrap();
    fs::remove_file(&kept).unwrap();
    let month = newest(&history.dir().join("manifest"));
    let listed = fs::read_to_string(&month).unwrap();
    let name = kept.file_name().unwrap().to_str().unwrap().trim_end_matches(".json.zst");
    let others: String =
        listed.lines().filter(|line| !line.contains(name)).map(|l| format!("{l}\n")).collect();
    fs::write(&month, others).unwrap();
    assert_eq!(history.json(&["history", "owed"]).as_array().unwrap().len(), 1);
    assert_eq!(history.json(&fill)[0]["state"], "measured", "it is finished");
    assert!(
        fs::read_to_string(&place).unwrap().starts_with(&lines[..2].concat()[..lines[0].len()])
    );
    assert_eq!(history.json(&fill), json!([]));
}

/// All files below a folder.
fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let parts = common::files(folder).into_iter();
    parts.flat_map(|part| if part.is_dir() { files_below(&part) } else { vec![part] }).collect()
}

/// The file below a folder whose name sorts last.
fn newest(folder: &Path) -> std::path::PathBuf {
    let last = common::files(folder).pop().unwrap();
    if last.is_dir() { newest(&last) } else { last }
}
