//! What nights, confirmations, backfills and sign-offs measure is built in the sandbox: they refuse without
//! one, take nothing but records out of it, and what was fetched before is enough to build.

mod common;

use common::{
    job::Job,
    nights::{History, argument},
    record, shakedown,
    toy::{TOY, Toy, night},
};
use shakedown_protocol::{Meter, RunRecord};
use std::{fs, path::Path, sync::Mutex};

const NIGHT: [(&str, &str); 4] =
    [("SUITE", "quick"), ("SUBJECTS", "rustls openssl"), ("ONLY", "**"), ("NOISE_BLOCKS", "2")];

#[test]
fn foreign_code_is_not_built_where_there_is_no_sandbox() {
    let job = Job::new("");
    fs::create_dir(job.at("subject")).unwrap();
    let variables = [("SHAKEDOWN_SANDBOX", ""), ("SUSPECT", "0"), ("STACK", "x"), ("TAG", "v1")];
    let named = [("CANDIDATE", "rustls"), ("BASELINE", "rustls@0.23")];
    let jobs = [
        "measure",
        "backfill",
        "confirm",
        "bisect",
        "study",
        "signoff",
        "compare",
        "cross-check measure",
    ];
    let study = [("STUDY", "x"), ("FORM", "full")];
    for script in jobs {
        let all = [&NIGHT[..], &variables, &named, &study, &[("SUBJECT", "subject")]].concat();
        let done = job.step(script, &all);
        assert_eq!(done.code, 2, "{script}: {}", done.log);
        assert!(done.log.contains("this host has no sandbox"), "{script}: {}", done.log);
    }
    // Who wrote `none` is told what that means.
    job.script("bin/cargo", "exit 1");
    let done = job.step("measure", &[&NIGHT[..], &[("SHAKEDOWN_SANDBOX", "none")]].concat());
    assert!(done.log.contains("::warning::SHAKEDOWN_SANDBOX=none"), "{}", done.log);
}

/// The files below a folder.
fn all(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(all(&entry.path()).iter().map(|below| format!("{name}/{below}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

#[test]
fn a_night_takes_records_out_of_the_sandbox_and_writes_its_reports_itself() {
    let sound = "mkdir -p run/in-tree noise/relinked; echo 0 >code
        for to in run run/in-tree noise/relinked; do cp \"$job/secret/run/record.json\" $to/; done
        echo '<script>' >run/report.md; echo x >noise/noise.json; ln -s /etc/passwd run/report.html
        echo '::set-output name=fit::true'";
    let job = Job::new(sound);
    let done = job.step("measure", &NIGHT);
    assert_eq!((done.code, done.outputs.len()), (0, 0), "{}", done.log);
    let expected = [
        "noise/relinked/record.json",
        "run/in-tree/record.json",
        "run/in-tree/report.md",
        "run/record.json",
        "run/report.md",
    ];
    assert_eq!(all(&job.at("night")), expected);
    let report = fs::read_to_string(job.at("night/run/report.md")).unwrap();
    assert!(report.contains("handshake-full") && !report.contains("<script>"), "{report}");
    assert!(fs::read_to_string(job.at("summary")).unwrap().contains("handshake-full"));
    assert!(!job.at("room").exists(), "what foreign code was given is gone");
}

#[test]
fn what_is_no_finished_record_is_no_night() {
    for (leaves, code) in [
        ("mkdir run; ln -s \"$job/secret/run/record.json\" run/record.json; echo 0 >code", 3),
        ("ln -s \"$job/secret/run\" run", 3),
        ("mkdir run; mkfifo run/record.json", 3),
        (
            "mkdir run; sed 's/\"finish\":{[^}]*}/\"finish\":null/' \"$job/secret/run/record.json\" >run/record.json",
            3,
        ),
        ("echo 4 >code", 4),
        ("exit 9", 3),
    ] {
        let job = Job::new(leaves);
        let done = job.step("measure", &NIGHT);
        assert_eq!(done.code, code, "{leaves}: {}", done.log);
        assert!(leaves.contains("finish") || !job.at("night/run/report.md").exists(), "{leaves}");
    }
}

/// Three records: one whose names say something else in Markdown and to the runner, one that is none, one that is sound.
#[test]
fn what_is_measured_again_is_shown_by_its_report_only() {
    let job = Job::new(
        r#"mkdir -p runs/a runs/b runs/c
        cp "$job/evil" runs/a/record.json
        echo '{"subjects":[{"artifact":{"subject":"@org/team","source":{}}}]}' >runs/b/record.json
        cp "$job/secret/run/record.json" runs/c; echo 0 >code"#,
    );
    let mut evil = RunRecord::from_json(&job.record(1.0)).unwrap();
    let text = "@org/team ![x](https://evil.example/x) <b> ##[add-mask]x";
    evil.subjects[0].driver.library = text.to_owned();
    evil.subjects[0].artifact.source.revision = Some(text.to_owned());
    fs::write(job.at("evil"), serde_json::to_string(&evil).unwrap()).unwrap();
    job.shakedown(&["history", "add", "secret/run"]);
    let done = job.step("backfill", &[]);
    assert_eq!(done.code, 0, "{}", done.log);
    let summary = fs::read_to_string(job.at("summary")).unwrap();
    assert!(summary.contains("handshake-full") && summary.contains("evil.example"), "{summary}");
    for wrong in ["@org", "](https", "<b>", "##["] {
        assert!(!summary.contains(wrong), "{wrong} in {summary}");
    }
    let taken = all(&job.at("backfill"));
    assert_eq!(taken, ["1/record.json", "1/report.md", "3/record.json", "3/report.md"]);
}

/// What foreign code says of verdicts stays where it is.
#[test]
fn a_study_is_judged_by_the_records_that_come_out() {
    const ONE: &str = "mkdir -p study/sent; cp \"$job/secret/run/record.json\" study/sent/";
    let lies =
        "mkdir study/lies; cp study/sent/record.json study/lies; echo '<script>' >study/verdicts.md
        echo '{\"study\":\"lies\"}' >study/verdicts.json; echo 0 >code";
    let text = include_str!("act/study.toml").replace("\"noop\"", "\"rustls@path:base+ring\"");
    let judged = ["measured/sent/record.json", "measured/verdicts.json", "measured/verdicts.md"];
    for (leaves, code, told, taken) in [
        (format!("{ONE}; {lies}"), 0, "", &judged[..]),
        (format!("{ONE}; echo 124 >code"), 3, "nothing took more than 7 minutes", &[]),
        (format!("{ONE}; echo 2 >code"), 3, "nothing could not be measured", &[]),
        (ONE.to_owned(), 3, "nothing could not be measured", &[]),
        ("echo 0 >code".to_owned(), 3, "no record that could be judged", &[]),
        ("echo 4 >code".to_owned(), 0, "::warning::the host is not fit", &[]),
    ] {
        let job = Job::new(&leaves);
        fs::write(job.at("tool/bench/catalog/studies/nothing.toml"), &text).unwrap();
        let variables = [("STUDY", "nothing"), ("FORM", "tiny"), ("STUDY_MINUTES", "7")];
        let done = job.step("study", &variables);
        assert_eq!(done.code, code, "{leaves}: {}", done.log);
        assert!(done.log.contains(told), "{leaves}: {}", done.log);
        assert_eq!(all(&job.at("study")), taken, "{leaves}");
        if !taken.is_empty() {
            let summary = fs::read_to_string(job.at("summary")).unwrap();
            assert!(summary.contains("The server sends something"), "{summary}");
            assert!(!summary.contains("<script>"), "{summary}");
        }
    }
}

#[test]
fn of_a_bisection_only_plain_files_are_taken() {
    let sound = "mkdir -p bisection/changes/ab bisection/changes/cd bisection/changes/EF
        echo '{}' >bisection/bisect.json; echo 0 >code
        echo why >bisection/changes/ab/explanation.json; echo x >bisection/changes/ab/record.json
        ln -s /etc/passwd bisection/changes/cd/explanation.json
        echo why >bisection/changes/EF/explanation.json";
    for (leaves, code, taken) in [
        (sound, 0, vec!["bisect.json", "changes/ab/explanation.json", "suspect"]),
        (
            "mkdir bisection; ln -s /etc/passwd bisection/bisect.json; echo 0 >code",
            3,
            vec!["suspect"],
        ),
        ("mkdir bisection; truncate -s 9M bisection/bisect.json; echo 0 >code", 3, vec!["suspect"]),
        ("", 3, vec!["suspect"]),
        // A host that is not fit: another night tries again.
        ("echo 4 >code", 0, vec!["suspect"]),
    ] {
        let job = Job::new(leaves);
        // The history is not what this is about.
        let built = assert_cmd::cargo::cargo_bin("shakedown");
        let history =
            format!("[ \"$1\" != history ] || exit 0\nexec '{}' \"$@\"\n", built.display());
        job.script("bin/shakedown", &history);
        let done = job.step("bisect", &[("SUSPECT", "0123456789ab")]);
        assert_eq!(done.code, code, "{leaves}: {}", done.log);
        assert_eq!(all(&job.at("bisection")), taken, "{leaves}: {}", done.log);
    }
}

#[test]
fn what_was_fetched_is_measured_without_network_as_it_was_then() {
    let _upstream = UPSTREAM.lock();
    let toy = Toy::get();
    let folder = tempfile::tempdir().unwrap();
    let call = |offline: bool, arguments: &[&str]| {
        let mut command = shakedown(folder.path());
        command.envs(toy.environment()).env("SHAKEDOWN_CACHE", folder.path().join("cache"));
        if offline {
            command.env("CARGO_NET_OFFLINE", "true");
        }
        command.args(arguments).assert()
    };
    let out = folder.path().join("run");
    let run = ["run", "--suite", "smoke", "--out", out.to_str().unwrap(), TOY];
    call(true, &run).failure();
    call(false, &["build", "--fetch-only", TOY]).success();
    let artifacts = folder.path().join("cache/artifacts");
    assert!(!artifacts.exists(), "nothing was built");
    // The branch moves on, and then nobody answers.
    let commit = toy.upstream.commit_nothing("Moved on");
    let aside = toy.upstream.folder().with_extension("aside");
    fs::rename(toy.upstream.folder(), &aside).unwrap();
    call(true, &run).success();
    fs::rename(&aside, toy.upstream.folder()).unwrap();
    let built = record(&out).subjects[0].artifact.source.revision.clone().unwrap();
    assert!(built == toy.same.0 && built != commit, "{built}");
}

/// As a job on a host does it: the measuring where there is no history, the decision where there is one.
#[test]
fn a_suspect_is_measured_by_compare_decided_by_its_record_and_its_commit_found() {
    let Toy { one, two, .. } = Toy::get();
    let history = History::new().with_environment(Toy::get().environment());
    history.add((0..13).map(|number| night(number, if number < 9 { &one.1 } else { &two.1 })));
    let id = history.client_suspect();
    let said = history.text(&["confirm", &id, "--arguments"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..2], [format!("toy@git:{}", one.0), format!("toy@git:{}", two.0)]);
    let (out, nowhere) = (history.at("apart"), history.at("nowhere"));
    let options = ["--out", argument(&out), "--history", argument(&nowhere)];
    history.call(&[&["compare"], &lines[..], &options].concat()).code(1);
    let record = record(&out);
    assert!(record.trials.iter().all(|trial| trial.meter == Meter::Heap), "one instrument");

    // A record of other sources decides nothing.
    let other = history.at("other");
    fs::create_dir(&other).unwrap();
    let mut lie = record;
    lie.subjects[1].artifact.source.sha256 = "0".repeat(64);
    fs::write(other.join("record.json"), serde_json::to_string(&lie).unwrap()).unwrap();
    let refused = |arguments: &[&str], why: &str| {
        let output = history.call(arguments).code(2);
        let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(said.contains(why), "{said}");
    };
    refused(&["confirm", &id, "--record", argument(&other)], "is not what was measured before");
    assert_eq!(history.json(&["history", "changes"])[0]["state"], "suspect");

    let decided = history.json_and_exit(&["confirm", &id, "--record", argument(&out)], 1);
    assert_eq!(decided["state"], "confirmed", "{decided:#}");
    assert_eq!(history.json(&["history", "list"])[0]["name"], decided["run"]);
    refused(&["confirm", &id, "--arguments"], "was decided already");
    let _upstream = UPSTREAM.lock();
    the_commit_is_searched_and_kept(&history, &id);
}

/// Held while the repository of the miniature is moved away, or has to be there.
static UPSTREAM: Mutex<()> = Mutex::new(());

/// As the night does it: planned where the history is, searched where it is not, kept where it is.
fn the_commit_is_searched_and_kept(history: &History, id: &str) {
    let Toy { one, two, .. } = Toy::get();
    let epoch = format!("{}=bench-1", one.1.host.epoch.id);
    let plan = || history.json(&["history", "bisections", "--host", &epoch]);
    assert_eq!(plan()[0]["id"], *id, "{}", plan());
    let said = history.text(&["history", "bisect-range", id, "--arguments"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..5], ["toy", "--good", &one.0, "--bad", &two.0]);
    let (out, nowhere) = (history.at("bisection"), history.at("nowhere"));
    history.call(&[&["bisect", "--fetch-only"], &lines[..]].concat()).success();
    let options = ["--out", argument(&out), "--history", argument(&nowhere), "--minutes", "60"];
    history.call(&[&["bisect"], &lines[..], &options].concat()).success();

    // What foreign code may have made of it.
    let path = out.join("bisect.json");
    let text = fs::read_to_string(&path).unwrap();
    let keep = ["history", "bisected", id, argument(&out)];
    for (from, to, why) in [
        (&*format!("\"good\": \"{}\"", one.0), "\"good\": \"v1\"", "something else"),
        ("\"schema\": 1", "\"schema\": \"x\"", "not a bisection"),
        ("{", "", "not a bisection"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let output = history.call(&keep).failure();
        let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(said.contains(why), "{said}");
    }
    fs::write(&path, text.replace("Two records", "Two <b>@records")).unwrap();
    let said = history.text(&keep);
    assert!(said.contains(&two.0[..10]) && said.contains("shakedown compare toy@git:"), "{said}");
    assert!(!said.contains("<b>") && !said.contains("@records"), "{said}");
    assert_eq!(plan().as_array().map(Vec::len), Some(0), "it is searched once");
}
