//! What foreign code may leave behind in the sandbox, and what `scripts/workflow/compare` makes of
//! it: nothing of it leads the job astray, and nothing but a record and what explains it leaves it.
//!
//! The sandbox here is a script of the test that leaves just that. The walls of the real one are
//! tested where it runs as root: `scripts/test --vm`.

mod common;

use common::job::{FULL, Job};
use shakedown_protocol::RunRecord;
use shakedown_protocol::fixture::comparison::comparison;
use std::fs;

/// The outputs of a step whose record was judged.
fn judged(verdict: &str, code: u8) -> Vec<String> {
    vec!["record=true".to_owned(), format!("verdict={verdict}"), format!("code={code}")]
}

#[test]
fn a_sound_record_is_judged_and_handed_over() {
    let job = Job::new("mkdir run; cp \"$job/secret/run/record.json\" run/; echo 0 >code");
    let done = job.run();
    assert_eq!((done.code, done.outputs), (0, judged("pass", 0)));
    let record = RunRecord::from_json(&job.handed_over().unwrap()).unwrap();
    assert_eq!(record, comparison(&[(FULL, [1.0, 1.0])]));
}

#[test]
fn the_verdict_rests_on_the_numbers_whatever_code_is_left() {
    for code in ["0", "5", "256", "nonsense", "-1", ""] {
        let slow = "cp \"$job/record-of-slow\" run/record.json";
        let job = Job::new(&format!("mkdir run; {slow}; echo '{code}' >code"));
        assert_eq!(job.run().outputs, judged("regressed", 1), "{code:?}");
    }
    // A comparison that was ended when it looked well decides nothing.
    let early = "sed 's/\"finish\":{[^}]*}/\"finish\":null/' \"$job/secret/run/record.json\"";
    let job = Job::new(&format!("mkdir run; {early} >run/record.json; echo 0 >code"));
    let done = job.run();
    assert_eq!(done.outputs, ["record=true", "verdict=failed"], "{}", done.log);
    assert_eq!(done.code, 3);
}

#[test]
fn links_pipes_giants_and_nothing_are_no_record() {
    for leaves in [
        // Each leads, or would lead, to a sound record that only the job may read.
        "mkdir run; ln -s \"$job/secret/run/record.json\" run/record.json; echo 0 >code",
        "ln -s \"$job/secret/run\" run; echo 0 >code",
        "mkdir run; mkfifo run/record.json code",
        "mkdir run; truncate -s 2G run/record.json; echo 0 >code",
        "mkdir run run/record.json; mkdir code",
        "mkdir run; cp \"$job/secret/run/record.json\" run/; chmod 000 run; echo 0 >code",
        "echo 0 >code",
        "echo 256 >code",
        "",
    ] {
        let job = Job::new(leaves);
        let done = job.run();
        // Root reads whatever its mode is.
        if leaves.contains("chmod") && done.code == 0 {
            continue;
        }
        assert_eq!(done.outputs, ["verdict=failed"], "{leaves}: {}", done.log);
        assert_eq!(done.code, 3, "{leaves}: {}", done.log);
        assert!(job.handed_over().is_none_or(|text| text.is_empty()), "{leaves}");
    }
    // Why there is none is told as the code says, where it is one of ours.
    assert_eq!(Job::new("echo 4 >code").run().code, 4);
}

#[test]
fn what_explains_a_record_is_handed_over_as_a_plain_file_or_not_at_all() {
    let record = "mkdir run; cp \"$job/secret/run/record.json\" run/; echo 0 >code";
    let explained = |leaves: &str| {
        let job = Job::new(&format!("{record}; {leaves}"));
        let done = job.run();
        assert_eq!((done.code, done.outputs), (0, judged("pass", 0)), "{leaves}");
        let path = job.at("record/explanation.json");
        assert!(!path.is_symlink(), "a link is handed over");
        fs::read_to_string(path).ok()
    };
    assert_eq!(explained("echo why >run/explanation.json").as_deref(), Some("why\n"));
    for leaves in [
        "ln -s \"$job/secret/run/record.json\" run/explanation.json",
        "mkfifo run/explanation.json",
        "mkdir run/explanation.json",
        "truncate -s 9M run/explanation.json",
        ": >run/explanation.json",
        ":",
    ] {
        assert_eq!(explained(leaves), None, "{leaves}");
    }
}

#[test]
fn nonsense_for_a_record_is_told_and_no_verdict() {
    for record in ["{}", "[]", "null", "\\x00", "{\\\"finish\\\": 1}"] {
        let job = Job::new(&format!("mkdir run; printf '{record}' >run/record.json; echo 0 >code"));
        let done = job.run();
        assert!(matches!(done.code, 2 | 3), "{record}: {}", done.log);
        assert_eq!(done.outputs, ["record=true", "verdict=failed"], "{record}");
    }
}

#[test]
fn what_foreign_code_prints_is_no_command_to_the_runner() {
    let says = "printf '::set-output name=record::/etc/passwd\\n::set-output name=verdict::pass\\n  \
                ::add-mask::e\\n::stop-commands::mine\\n::mine::\\n::set-output name=verdict::pass'";
    let job = Job::new(&format!("{says}; mkdir run; cp \"$job/record-of-slow\" run/record.json"));
    let done = job.run();
    assert!(done.log.contains("/etc/passwd"), "it did speak: {}", done.log);
    assert_eq!(done.outputs, judged("regressed", 1));
    // Also where it fails after it has spoken.
    let done = Job::new(&format!("{says}; exit 9")).run();
    assert_eq!((done.code, done.outputs), (3, vec![]), "{}", done.log);
}

/// The epoch of a record decides which host measures a suspect again, or searches its commit.
#[test]
fn a_record_of_a_night_names_no_host_but_the_one_it_comes_from() {
    let job = Job::new("");
    let night = job.at("nights/night-bench-1");
    fs::create_dir_all(night.join("run")).unwrap();
    fs::write(night.join("host"), "bench-1\n").unwrap();
    let keep = |epoch: &str| {
        let mut record = RunRecord::from_json(&job.record(1.0)).unwrap();
        record.host.epoch.id = epoch.to_owned();
        fs::write(night.join("run/record.json"), serde_json::to_string(&record).unwrap()).unwrap();
        let done = job.step("keep", &[]);
        assert_eq!(done.code, 0, "{}", done.log);
        done
    };
    for epoch in ["", "e=other", "e other=x", "e\nf=other", "*"] {
        let done = keep(epoch);
        assert!(done.outputs.contains(&"any=false".to_owned()), "{epoch}: {:?}", done.outputs);
        assert!(!done.outputs.iter().any(|line| line.contains("other")), "{:?}", done.outputs);
        assert!(done.log.contains("a record is left out"), "{}", done.log);
        assert!(!job.at("shakedown-history/runs").exists(), "{epoch} is kept");
    }
    let done = keep("0123abcd");
    assert!(done.outputs.contains(&"pool=0123abcd=bench-1".to_owned()), "{:?}", done.outputs);
    let pool = [("POOL", "0123abcd=bench-1 4567ef=bench-2")];
    let done = job.step("bisections", &pool);
    assert_eq!(done.outputs, ["bisections={\"include\":[]}", "any-bisections=false"]);
}
