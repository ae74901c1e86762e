//! The command as its user meets it: help, errors, exit codes, files. Needs no TLS library.

mod common;

use assert_cmd::assert::Assert;
use common::{NOOP, files, record, shakedown};
use predicates::prelude::*;
use std::{fs, path::Path, process::Output};

fn says(assert: Assert, text: &str) {
    assert.stderr(predicate::str::contains(text));
}

#[test]
fn help_teaches_and_names_the_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let help = shakedown(folder.path()).arg("--help").assert().success();
    let text = String::from_utf8(help.get_output().stdout.clone()).unwrap();
    for part in ["Exit codes:", "rustls@git:HEAD", "catalog", "  70  a defect"] {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
    for verb in ["build", "run", "report", "catalog", "completions", "schema"] {
        shakedown(folder.path()).args([verb, "--help"]).assert().success();
    }
}

#[test]
fn a_run_prints_a_table_and_leaves_record_and_reports() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let run = shakedown(folder.path())
        .args(["run", "--suite", "smoke", "--blocks", "2", "--out"])
        .arg(&out)
        .args([NOOP, NOOP])
        .assert()
        .success();
    let table = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(table.contains("handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256"), "{table}");
    assert!(table.contains("handshakes/s") && table.contains('×'), "{table}");
    let names: Vec<_> =
        files(&out).iter().map(|f| f.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(names, ["record.json", "report.html", "report.md"]);
    let record = record(&out);
    assert_eq!(record.subjects.len(), 2);
    assert_ne!(record.subjects[0].name, record.subjects[1].name, "an A/A is told apart");
    assert!(record.finish.is_some());

    // The report of a saved record is the same as that of the run.
    let again = shakedown(folder.path()).args(["report", "--format", "md"]).arg(&out).assert();
    let again = String::from_utf8(again.success().get_output().stdout.clone()).unwrap();
    assert_eq!(again, fs::read_to_string(out.join("report.md")).unwrap());
}

/// Runs the line of the report in `first` that measures the same again, into `second`.
fn measure_again(folder: &Path, first: &Path, second: &Path) -> (String, Output) {
    let report = fs::read_to_string(first.join("report.md")).unwrap();
    let line = report.lines().rev().find(|line| line.starts_with("    ")).unwrap().trim();
    let binary = assert_cmd::cargo::cargo_bin!("shakedown").display().to_string();
    let again = line.replacen("scripts/bench", "shakedown run", 1);
    let again = again.replacen("shakedown", &binary, 1);
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(common::root()).env("SHAKEDOWN_LOCK", folder.join("lock"));
    shell.env("SHAKEDOWN_HISTORY", folder.join("history"));
    let said = shell.args(["-c", &format!("{again} --out {}", second.display())]).output().unwrap();
    (line.to_owned(), said)
}

#[test]
fn the_line_that_measures_the_same_again_gives_the_same_plan() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own suite.toml");
    let smoke = fs::read_to_string(common::root().join("bench/catalog/suites/smoke.toml")).unwrap();
    fs::write(&own, smoke.replace("name = \"smoke\"", "name = \"own suite\"")).unwrap();
    let own = own.to_str().unwrap();
    let only = ["--only", "handshake-*/tls1.3/**", "--seed", "7"];
    for (number, options) in [
        &["run", "--suite", "smoke", "--blocks", "1"][..],
        &["run", "--suite", own, "--blocks", "1"],
        &["compare", "--suite", own, "--meter", "time", "--no-explain"],
    ]
    .into_iter()
    .enumerate()
    {
        let [first, second] =
            ["first", "second"].map(|name| folder.path().join(format!("{name}-{number}")));
        let mut run = shakedown(folder.path());
        run.env("SHAKEDOWN_HISTORY", folder.path().join("history"));
        run.args(options).args(only).arg("--out").arg(&first).args([NOOP, NOOP]).assert().success();
        let (line, said) = measure_again(folder.path(), &first, &second);
        assert!(said.status.success(), "{line}: {}", String::from_utf8_lossy(&said.stderr));
        let (first, second) = (record(&first), record(&second));
        assert_eq!(first.plan, second.plan, "{line}");
        assert_eq!(first.plan.paired, Some(options[0] == "compare"));
        let names = |record: &shakedown_protocol::RunRecord| {
            record.subjects.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&first), names(&second), "{line}");
    }

    // Another file under the same name is not the same plan.
    fs::write(own, fs::read_to_string(own).unwrap() + "# changed\n").unwrap();
    let third = folder.path().join("third");
    let (line, said) = measure_again(folder.path(), &folder.path().join("first-1"), &third);
    assert_eq!(said.status.code(), Some(2), "{line}");
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("not the suite that was asked for") && !third.exists(), "{said}");
}

#[test]
fn a_report_of_a_judged_record_has_the_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    let slower = shakedown_protocol::fixture::comparison::comparison(&[(scenario, [0.8, 0.8])]);
    fs::write(&path, serde_json::to_string(&slower).unwrap()).unwrap();
    let judgement = folder.path().join("judgement.json");
    shakedown(folder.path()).arg("gate").arg(&path).arg("--out").arg(&judgement).assert().code(1);
    for format in ["table", "md", "html"] {
        let report =
            shakedown(folder.path()).args(["report", "--format", format]).arg(&path).assert();
        let text = String::from_utf8(report.success().get_output().stdout.clone()).unwrap();
        assert!(text.to_lowercase().contains("regressed"), "{format}: {text}");
        assert!(!text.contains('×'), "a second effect beside the verdict's: {format}: {text}");
    }
}

#[test]
fn a_report_has_the_format_of_its_files_ending() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    let record = shakedown_protocol::fixture::comparison::comparison(&[(scenario, [0.8, 0.8])]);
    fs::write(&path, serde_json::to_string(&record).unwrap()).unwrap();
    for (name, begins) in [
        ("x.png", "\u{89}PNG"),
        ("x.svg", "<"),
        ("x.html", "<!doctype html>"),
        ("x.md", "# "),
        ("x.json", "["),
    ] {
        let out = folder.path().join(name);
        shakedown(folder.path()).arg("report").arg(&path).arg("-o").arg(&out).assert().success();
        let written: String =
            fs::read(&out).unwrap().iter().map(|byte| char::from(*byte)).collect();
        assert!(written.trim_start().starts_with(begins), "{name}");
    }
    // Said, it is as it was said.
    let out = folder.path().join("y.png");
    let report = ["report", "--format", "md", "-o"];
    shakedown(folder.path()).args(report).arg(&out).arg(&path).assert().success();
    assert!(fs::read_to_string(&out).unwrap().starts_with("# "));
}

#[test]
fn a_plain_run_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    let mut record = shakedown_protocol::fixture::comparison::comparison(&[(scenario, [0.8, 0.8])]);
    record.trials.retain(|trial| trial.position < 2);
    fs::write(&path, serde_json::to_string(&record).unwrap()).unwrap();
    let gate = shakedown(folder.path()).arg("gate").arg(&path).assert().code(2);
    says(gate, "no pairs to judge. Measure them with `shakedown compare BASE HEAD`");
}

#[test]
fn names_that_mean_nothing_are_met_with_near_ones() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| shakedown(folder.path()).arg("run").args(args).assert().code(2);
    says(run(&["opnssl@3.5"]), "openssl");
    says(run(&["openssl@3.55"]), "3.5.5");
    says(run(&["rustls+rong"]), "ring");
    says(run(&["--suite", "quik", NOOP]), "quick");
    says(run(&["--suit", "quick", NOOP]), "--suite");
    says(run(&["--only", "handshakes-*", NOOP]), "handshakes-*");
    says(run(&["not a subject"]), "stack@version");
}

#[test]
fn a_suite_with_a_typo_is_met_with_file_line_and_near_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let quick = fs::read_to_string(common::root().join("bench/catalog/suites/quick.toml")).unwrap();
    fs::write(&path, quick.replace("blocks =", "bloks =")).unwrap();
    let run =
        shakedown(folder.path()).args(["run", "--suite"]).arg(&path).arg(NOOP).assert().code(2);
    let line = quick.lines().position(|line| line.starts_with("blocks")).unwrap() + 1;
    says(run, &format!("mine.toml:{line}:"));
}

#[test]
fn a_folder_that_holds_a_run_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("record.json"), "precious").unwrap();
    let run = shakedown(folder.path()).args(["run", "--out"]).arg(&out).arg(NOOP).assert().code(2);
    says(run, "choose another folder");
    assert_eq!(fs::read_to_string(out.join("record.json")).unwrap(), "precious");
    // What can be finished is finished by the command that made it.
    let scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    let mut begun = shakedown_protocol::fixture::comparison::comparison(&[(scenario, [1.0, 1.0])]);
    begun.finish = None;
    fs::write(out.join("record.json"), serde_json::to_string(&begun).unwrap()).unwrap();
    let compare =
        shakedown(folder.path()).args(["compare", "--out"]).arg(&out).args([NOOP, NOOP]).assert();
    says(compare.code(2), "finish it with `shakedown compare --resume ");
    let run = shakedown(folder.path()).args(["run", "--resume"]).arg(&out).assert().code(2);
    says(run, "finish it with `shakedown compare --resume ");
}

#[test]
fn a_record_that_is_cut_off_newer_or_none_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    for (text, said) in [
        ("{\"schema\": 1, \"id\": ", "--resume"),
        ("{\"schema\": 99}", "update shakedown"),
        ("{\"schema\": 0}", "damaged or not ours"),
        ("[1, 2]", "not a run record"),
        ("{\"schema\": 1, \"id\": 5}", "does not fit"),
    ] {
        fs::write(&path, text).unwrap();
        says(shakedown(folder.path()).arg("report").arg(&path).assert().code(2), said);
    }
    says(shakedown(folder.path()).args(["report", "/nowhere"]).assert().code(2), "/nowhere");
}

#[test]
fn the_schema_is_the_one_that_is_checked_in() {
    let folder = tempfile::tempdir().unwrap();
    let printed = shakedown(folder.path()).arg("schema").assert().success();
    let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    let path = common::root().join("docs/record.schema.json");
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(printed, kept, "run `shakedown schema >docs/record.schema.json`");
}

#[test]
fn completions_come_for_every_shell() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = shakedown(folder.path()).args(["completions", shell]).assert().success();
        script.stdout(predicate::str::contains("--suite").or(predicate::str::contains("suite")));
    }
}
