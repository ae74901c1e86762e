//! Comparisons as their user meets them: verdict, files, resuming, the noise of the host. The
//! stack that does nothing stands for base and head, so that no TLS library is needed.

mod common;

use common::{NOOP, files, mini::POLICY, record, shakedown};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

const ONE: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

/// A policy that asks for little, so that tests are short.
fn policy(folder: &Path) -> PathBuf {
    let path = folder.join("policy.toml");
    fs::write(&path, POLICY).unwrap();
    path
}

/// `compare` of the stack with itself, up to its options.
fn compare(folder: &Path) -> assert_cmd::Command {
    let mut command = shakedown(folder);
    command
        .env("SHAKEDOWN_HISTORY", folder.join("history"))
        .args(["compare", "--suite", "smoke", "--only", ONE, "--policy"])
        .arg(policy(folder));
    command
}

#[test]
fn the_verdict_comes_first_and_can_be_judged_again_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let compared = compare(folder.path()).arg("--out").arg(&out).args([NOOP, NOOP]).assert();
    let said = String::from_utf8(compared.success().get_output().stdout.clone()).unwrap();
    let first = said.lines().next().unwrap();
    assert!(first.contains("unchanged") || first.contains("inconclusive"), "{said}");
    assert!(said.contains("an A/A comparison") && said.contains("not calibrated"), "{said}");
    assert!(said.contains("Time: building"), "{said}");
    let names: Vec<_> =
        files(&out).iter().map(|f| f.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(names, ["judgement.json", "record.json", "report.html", "report.md"]);
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    let verdict = report.find(first).expect("the report has the verdict");
    assert!(verdict < report.find("## ").unwrap(), "the verdict is not first: {report}");

    let again = shakedown(folder.path())
        .args(["gate", "--json", "--policy"])
        .arg(policy(folder.path()))
        .arg(&out)
        .assert()
        .success();
    let again = String::from_utf8(again.get_output().stdout.clone()).unwrap();
    assert_eq!(again, fs::read_to_string(out.join("judgement.json")).unwrap());
}

#[test]
fn a_killed_comparison_is_finished_as_it_would_have_been() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("shakedown"));
    let mut child = command
        .current_dir(common::root())
        .env("SHAKEDOWN_LOCK", folder.path().join("lock"))
        .args(["compare", "--suite", "smoke", "--only", "handshake-*/tls1.3/**", "--seed", "5"])
        .arg("--policy")
        .arg(policy(folder.path()))
        .arg("--history")
        .arg(folder.path().join("history"))
        .arg("--out")
        .arg(&out)
        .args([NOOP, NOOP])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The driver is built first, which takes minutes where all CPUs are taken.
    let deadline = Instant::now() + Duration::from_secs(600);
    let trials = || shakedown_schedule::load_record(&out).map_or(0, |record| record.trials.len());
    while trials() < 5 {
        assert!(Instant::now() < deadline, "no trial was saved in ten minutes");
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be killed");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = shakedown_schedule::load_record(&out).unwrap();
    assert!(before.finish.is_none() && before.trials.len() >= 5);

    let mut resume = shakedown(folder.path());
    resume.args(["compare", "--policy"]).arg(policy(folder.path())).arg("--resume").arg(&out);
    resume.assert().success();
    let after = record(&out);
    assert!(after.finish.is_some());
    assert_eq!(after.trials[..before.trials.len()], before.trials[..], "a trial was lost");
    assert!(out.join("judgement.json").exists());
}

#[test]
fn a_run_of_three_subjects_is_not_resumed_as_a_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut run = shakedown(folder.path());
    run.args(["run", "--suite", "smoke", "--only", ONE, "--out"]).arg(&out);
    run.args([NOOP, NOOP, NOOP]).assert().success();
    let mut resume = shakedown(folder.path());
    let refused = resume.args(["compare", "--resume"]).arg(&out).assert().code(2);
    let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(said.contains("is of a plain run: finish it with `shakedown run --resume"), "{said}");
}

#[test]
fn the_noise_of_the_host_is_learned_from_the_history() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first");
    compare(folder.path()).arg("--out").arg(&first).args([NOOP, NOOP]).assert().success();
    // What the host did to these trials is not what is tested here.
    let mut unchanged = record(&first);
    unchanged.trials.iter_mut().for_each(|trial| trial.flaws.clear());
    let path = folder.path().join("unchanged.json");
    fs::write(&path, serde_json::to_string(&unchanged).unwrap()).unwrap();
    let mut add = shakedown(folder.path());
    add.args(["history", "add", "--history"]).arg(folder.path().join("history")).arg(&path);
    add.assert().success();

    let out = folder.path().join("out");
    compare(folder.path()).arg("--out").arg(&out).args([NOOP, NOOP]).assert().success();
    let calibration = record(&out).calibration.expect("the record carries the noise");
    assert_eq!(calibration.runs, [unchanged.id]);
    assert!(calibration.noise.iter().all(|noise| noise.blocks >= 2), "{calibration:?}");
}

#[test]
fn a_calibration_tells_the_noise_of_each_condition() {
    let folder = tempfile::tempdir().unwrap();
    let noise = folder.path().join("noise");
    let history = folder.path().join("history");
    let mut calibrate = shakedown(folder.path());
    calibrate
        .args(["host", "calibrate", NOOP, "--suite", "smoke", "--only", ONE, "--blocks", "6"])
        .args(["--conditions", "one-binary,relinked", "--limit", "100000", "--json", "--policy"])
        .arg(policy(folder.path()))
        .arg("--history")
        .arg(&history)
        .arg("--out")
        .arg(&noise);
    let told = calibrate.assert();
    let output = told.get_output();
    if output.status.success() {
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(told["conditions"].as_array().unwrap().len(), 2, "{told}");
        assert_eq!(told["fit"], true, "{told}");
        assert!(history.join("runs").is_dir(), "the relinked run is kept");
    } else {
        // Other tests may disturb the host too much. Then the record must show it: in more than
        // half of the pairs, and so in more than a quarter of the trials.
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("Quiet the host"), "{said}");
        let last = ["relinked", "one-binary"].map(|name| noise.join(name));
        let last = last.iter().find(|folder| folder.join("record.json").exists()).unwrap();
        let trials = record(last).trials;
        let disturbed = trials.iter().filter(|trial| !trial.flaws.is_empty()).count();
        assert!(disturbed * 4 > trials.len(), "{disturbed} of {}: {said}", trials.len());
    }
}
