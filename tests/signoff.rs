//! `shakedown signoff` from two names to a folder: built, measured, judged, and everything that
//! stands against the candidate told at once.

mod common;

use common::{files, nights::History, record, root, shakedown};
use serde_json::Value;
use shakedown_protocol::RunRecord;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

/// A project like this one, whose stack that does nothing has a variant that does more of it.
struct Project {
    folder: PathBuf,
    /// Both measured and signed off: `noop+slow` against `noop`.
    slow: (i32, Value),
}

/// What each flight does, and what the variant adds to it.
const FLIGHT: &str = "            self.steps -= 1;";
const ONCE: &str = "\n            std::hint::black_box(vec![0_u8; 4096]);";
const TWICE: &str =
    "\n            #[cfg(feature = \"slow\")]\n            std::hint::black_box(vec![0_u8; 64]);";
const VARIANT: &str = "\n[[variant]]\nname = \"slow\"\ndescription = \"One more allocation\"\nfeatures = [\"slow\"]\n";

impl Project {
    /// Measured once for all tests of this file.
    fn get() -> &'static Self {
        static PROJECT: OnceLock<Project> = OnceLock::new();
        PROJECT.get_or_init(|| {
            // Nothing drops what is kept for all tests: the folder is the same one each time.
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("signoff");
            let _ = fs::remove_dir_all(&folder);
            let mut project = Self { folder, slow: (0, Value::Null) };
            let wanted =
                ["ls-files", "bench", "thresholds/*.toml", "Cargo.toml", "rust-toolchain.toml"];
            let listed = Command::new("git").current_dir(root()).args(wanted).output().unwrap();
            for file in String::from_utf8(listed.stdout).unwrap().lines() {
                let to = project.at("tool").join(file);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(root().join(file), to).unwrap();
            }
            project.edit(
                "bench/drivers/noop/src/main.rs",
                FLIGHT,
                &format!("{FLIGHT}{ONCE}{TWICE}"),
            );
            project.edit(
                "bench/drivers/noop/Cargo.toml",
                "\n[dependencies]",
                "\n[features]\nslow = []\n\n[dependencies]",
            );
            let catalog = project.at("tool/bench/catalog/stacks/noop.toml");
            fs::write(&catalog, fs::read_to_string(&catalog).unwrap() + VARIANT).unwrap();
            fs::write(project.at("none.toml"), "").unwrap();
            project.slow = project.sign_off("slow", ["noop+slow", "noop"], &[]);
            project
        })
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.at("tool").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from:?}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    /// Exit code and JSON of a sign-off into the folder `out`, without a history unless `more`
    /// names one.
    fn sign_off(&self, out: &str, [candidate, baseline]: [&str; 2], more: &[&str]) -> (i32, Value) {
        let mut command = shakedown(&self.folder);
        command.env("SHAKEDOWN_ROOT", self.at("tool")).env("SHAKEDOWN_HISTORY", self.at("nights"));
        command.args(["signoff", "--json", "--candidate", candidate, "--baseline", baseline]);
        command.arg("--policy").arg(root().join("tests/act/policy.toml"));
        if !more.contains(&"--record") {
            command.arg("--suite").arg(root().join("tests/act/tiny.toml"));
        }
        if !more.contains(&"--accepted") {
            command.arg("--accepted").arg(self.at("none.toml"));
        }
        let done = command.args(more).arg("--out").arg(self.at(out)).output().unwrap();
        let told = serde_json::from_slice(&done.stdout);
        let told = told.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&done.stderr)));
        (done.status.code().unwrap(), told)
    }

    /// A file that accepts whatever is worse.
    fn accept(&self, name: &str) -> String {
        let entry = "[[accepted]]\nscenario = \"**\"\nsize = \"900 %\"\nreason = \"it is a test\"\n\
                     by = \"ada\"\nlink = \"https://x.example/1\"\nexpires = 2100-01-01\n";
        let path = self.at(name);
        fs::write(&path, entry).unwrap();
        path.display().to_string()
    }

    /// The same once more, of the record that was measured, after `edit`.
    fn again(&self, out: &str, edit: impl Fn(&mut RunRecord), more: &[&str]) -> (i32, Value) {
        let mut measured = record(&self.at("slow"));
        edit(&mut measured);
        let path = self.at(&format!("{out}.json"));
        fs::write(&path, serde_json::to_string(&measured).unwrap()).unwrap();
        let arguments = [&["--record", path.to_str().unwrap()][..], more].concat();
        self.sign_off(out, ["noop+slow", "noop"], &arguments)
    }
}

/// Reasons of a kind.
fn against(told: &Value, kind: &str) -> Vec<String> {
    let all = told["against"].as_array().unwrap().iter();
    let ours = all.filter(|one| one["kind"] == kind);
    ours.map(|one| one["what"].as_str().unwrap().to_owned()).collect()
}

fn check(folder: &Path) -> Output {
    let arguments = ["--check", "--strict", "SHA256SUMS"];
    Command::new("sha256sum").args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn a_candidate_that_regressed_is_refused_with_everything_that_this_rests_on() {
    let project = Project::get();
    let (code, told) = &project.slow;
    assert_eq!(*code, 1, "{told:#}");
    assert_eq!(told["ready"], false);
    let regressed = against(told, "regressed");
    assert!(regressed.iter().any(|what| what.contains("allocations")), "{regressed:?}");
    assert!(regressed[0].contains("accept it in thresholds/accepted.toml"), "{regressed:?}");
    let folder = project.at("slow");
    let names: Vec<String> = files(&folder)
        .iter()
        .map(|f| f.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "SHA256SUMS",
            "accepted.toml",
            "against.json",
            "history.json",
            "host.json",
            "judgement.json",
            "policy.toml",
            "provenance.json",
            "record.json",
            "report.html",
            "report.md",
            "signoff.html",
            "signoff.md",
        ]
    );
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let policy = fs::read_to_string(root().join("tests/act/policy.toml")).unwrap();
    assert_eq!(read("policy.toml"), policy, "the policy is the one that judged");
    let provenance: Value = serde_json::from_str(&read("provenance.json")).unwrap();
    assert_eq!(provenance[1]["asked"], "noop+slow");
    assert!(provenance[1]["artifact"]["links"].as_array().unwrap().len() > 1, "{provenance:#}");
    let page = read("signoff.html");
    assert!(page.contains("allocations") && page.contains("@media print"), "{page}");

    let checked = check(&folder);
    assert!(checked.status.success(), "{checked:?}");
    let listed = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(listed.lines().count(), names.len() - 1, "every file is in the list: {listed}");
    // Whoever changes a number afterwards is found out.
    let copy = project.at("forged");
    fs::create_dir(&copy).unwrap();
    for file in files(&folder) {
        fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
    }
    fs::write(copy.join("against.json"), "[]\n").unwrap();
    assert!(!check(&copy).status.success(), "a forged folder passes");
}

#[test]
fn what_was_accepted_passes_and_is_shown() {
    let project = Project::get();
    let accepted = project.accept("accepted.toml");
    let fit = |record: &mut RunRecord| record.host.fit = true;
    let (code, told) = project.again("accepted", fit, &["--accepted", &accepted]);
    assert_eq!(against(&told, "regressed"), [""; 0]);
    assert_eq!(code, 5, "there is no history still: {told:#}");
    let page = fs::read_to_string(project.at("accepted/signoff.md")).unwrap();
    assert!(page.contains("it is a test") && page.contains("by ada"), "{page}");
}

#[test]
fn a_host_that_was_not_fit_refuses_and_one_that_was_does_not() {
    let project = Project::get();
    // This machine may be either: the record says which.
    let found = record(&project.at("slow")).host.fit;
    assert_eq!(against(&project.slow.1, "host").is_empty(), found);
    let fit = |fit: bool| move |record: &mut RunRecord| record.host.fit = fit;
    let (_, told) = project.again("fit", fit(true), &[]);
    assert_eq!(against(&told, "host"), [""; 0]);
    let (code, told) = project.again("unfit", fit(false), &[]);
    assert_eq!((code, against(&told, "host").len()), (1, 1), "the regression is graver");
    let accepted = project.accept("unfit.toml");
    let (code, _) = project.again("unfit-only", fit(false), &["--accepted", &accepted]);
    assert_eq!(code, 4);
    assert!(against(&told, "host")[0].contains("host check"), "{told:#}");
}

#[test]
fn an_open_suspect_refuses_and_so_does_a_confirmed_change() {
    let project = Project::get();
    let history = History::with_a_change();
    let found = history.json(&["history", "changes"]);
    let id = found[0]["id"].as_str().unwrap();
    let nights = history.dir().display().to_string();
    let same = ["noop", "noop@0.1.0"];
    let (code, told) = project.sign_off("suspect", same, &["--history", &nights]);
    let suspects = against(&told, "suspect");
    assert!(suspects.len() == 1 && suspects[0].contains(id), "{told:#}");
    assert!(suspects[0].contains("shakedown confirm"), "{suspects:?}");
    assert_eq!(against(&told, "regressed"), [""; 0]);
    assert!(matches!(code, 4 | 5), "unfit, or inconclusive: {code}");
    // The same code twice, and a host whose noise nobody knows: no evidence of anything.
    let lacks = against(&told, "evidence").join("\n");
    assert!(lacks.contains("the same code") && lacks.contains("not calibrated"), "{lacks}");
    assert!(!lacks.contains("no history"), "{lacks}");

    history.call(&["history", "decide", id, "confirmed", "--evidence", "a test"]).success();
    let path = project.at("suspect/record.json").display().to_string();
    let (code, told) =
        project.sign_off("confirmed", same, &["--record", &path, "--history", &nights]);
    assert_eq!((code, against(&told, "suspect")), (1, vec![]), "{told:#}");
    assert!(against(&told, "regressed")[0].contains(id), "{told:#}");
    let page = fs::read_to_string(project.at("confirmed/signoff.md")).unwrap();
    assert!(page.contains("13 runs"), "{page}");
}

#[test]
fn missing_evidence_refuses_one_by_one() {
    let project = Project::get();
    let lacks = |out: &str, edit: &dyn Fn(&mut RunRecord)| {
        let (code, told) = project.again(out, edit, &[]);
        assert_ne!(code, 0);
        against(&told, "evidence").join("\n")
    };
    let measured = against(&project.slow.1, "evidence").join("\n");
    assert!(measured.contains("no history") && !measured.contains("not finished"), "{measured}");
    assert!(lacks("unfinished", &|r| r.finish = None).contains("not finished"));
    let one_link = |r: &mut RunRecord| r.subjects[1].artifact.links.truncate(1);
    assert!(lacks("one-link", &one_link).contains("not relinked"));
    let swapped = |r: &mut RunRecord| r.subjects[0].asked = "noop@path:elsewhere".parse().unwrap();
    assert!(lacks("another", &swapped).contains("noop@path:elsewhere where baseline"));
}
