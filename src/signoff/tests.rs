use super::*;
use shakedown_gate::{Judgement, Policy};
use shakedown_protocol::fixture::comparison::{BASE, HEAD, comparison};
use shakedown_protocol::{Knob, KnobState, RunRecord, Subject};
use shakedown_report::signoff::{
    Blocker, BlockerKind, Evidence, SUMS, StackHistory, StackRegression, write,
};

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
const BULK: &str = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB";

fn judge(record: &RunRecord, policy: &Policy) -> Judgement {
    shakedown_gate::judge(record, policy).unwrap()
}

fn nights() -> StackHistory {
    StackHistory { runs: 40, ..StackHistory::default() }
}

/// What stands against the record, by the shipped policy.
fn found(record: &RunRecord, past: &StackHistory) -> Vec<Blocker> {
    let asked: [Subject; 2] = [BASE, HEAD].map(|name| name.parse().unwrap());
    let judgement = judge(record, &Policy::shipped().unwrap());
    against(record, &judgement, asked.each_ref(), past)
}

fn kinds(all: &[Blocker]) -> Vec<BlockerKind> {
    all.iter().map(|one| one.kind).collect()
}

#[test]
fn unchanged_code_on_a_fit_host_with_a_clean_history_is_ready() {
    let record = comparison(&[(FULL, [1.0, 1.0]), (BULK, [1.02, 1.05])]);
    assert_eq!(found(&record, &nights()), []);
}

#[test]
fn each_reason_is_named_and_none_hides_another() {
    let mut record = comparison(&[(FULL, [0.93, 1.0])]);
    record.host.fit = false;
    record.host.knobs.push(Knob {
        name: "turbo".to_owned(),
        found: Some("on".to_owned()),
        wanted: Some("off".to_owned()),
        state: KnobState::Differs,
        fix: String::new(),
    });
    record.finish = None;
    record.subjects[1].artifact.links.truncate(1);
    let change = |id: &str| StackRegression { id: id.to_owned(), what: "slower".to_owned() };
    let past = StackHistory {
        runs: 3,
        open: vec![change("aa11")],
        confirmed: vec![change("bb22")],
        seen: Vec::new(),
    };
    let all = found(&record, &past);
    let told: Vec<String> = all.iter().map(|one| format!("{:?}: {}", one.kind, one.what)).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn missing_evidence_is_told_one_by_one() {
    let sound = || comparison(&[(FULL, [1.0, 1.0])]);
    let lacks = |edit: &dyn Fn(&mut RunRecord), past: &StackHistory, said: &str| {
        let mut record = sound();
        edit(&mut record);
        let all = found(&record, past);
        assert!(
            all.iter().any(|one| one.kind == BlockerKind::Evidence && one.what.contains(said)),
            "{said}: {all:?}"
        );
    };
    lacks(&|_| {}, &StackHistory::default(), "no history");
    lacks(&|r| r.calibration = None, &nights(), "not calibrated");
    lacks(&|r| r.finish = None, &nights(), "not finished");
    let same = |r: &mut RunRecord| {
        r.subjects[1].artifact = r.subjects[0].artifact.clone();
    };
    lacks(&same, &nights(), "same code");
    let another = |r: &mut RunRecord| {
        r.subjects[0].asked = "openssl@3.5".parse().unwrap();
        r.subjects[0].artifact.subject = "openssl@3.5.5".parse().unwrap();
    };
    lacks(&another, &nights(), "openssl@3.5 where baseline rustls@path:base+ring");
}

#[test]
fn an_accepted_regression_does_not_stand_against_it() {
    let record = comparison(&[(FULL, [1.0, 0.95])]);
    let entry = format!(
        "[[accepted]]\nscenario = \"{FULL}\"\nside = \"server\"\nsize = \"8 %\"\n\
         reason = \"constant time\"\nby = \"ada\"\nlink = \"https://x.example/1\"\nexpires = 2100-01-01\n"
    );
    let today = "2026-09-21".parse().unwrap();
    let policy = Policy::shipped().unwrap().with_accepted(&entry, "accepted.toml", today).unwrap();
    let asked: [Subject; 2] = [BASE, HEAD].map(|name| name.parse().unwrap());
    assert_eq!(kinds(&found(&record, &nights())), [BlockerKind::Regressed]);
    let judgement = judge(&record, &policy);
    assert_eq!(against(&record, &judgement, asked.each_ref(), &nights()), []);
}

#[test]
fn the_folder_checks_itself_and_its_pages_are_safe() {
    let mut record = comparison(&[(FULL, [1.0, 0.93])]);
    record.host.name = "<script>alert(1)</script>".to_owned();
    record.host.fit = false;
    let all = found(&record, &StackHistory::default());
    let judgement = judge(&record, &Policy::shipped().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let [baseline, candidate] = [BASE, HEAD].map(|name| name.parse().unwrap());
    let evidence = Evidence {
        baseline: &baseline,
        candidate: &candidate,
        record: &record,
        judgement: &judgement,
        past: &StackHistory::default(),
        against: &all,
        policies: &[("policy.toml", "# the policy\n".to_owned())],
        now_ms: 1_790_000_000_000,
    };
    write(folder.path(), &evidence).unwrap();
    let checked = std::process::Command::new("sha256sum")
        .args(["--check", "--strict", SUMS])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(checked.status.success(), "{checked:?}");
    let lines = String::from_utf8(checked.stdout).unwrap();
    for name in ["record.json", "signoff.md", "signoff.html", "report.html", "policy.toml"] {
        assert!(lines.contains(&format!("{name}: OK")), "{name} in {lines}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let page = read("signoff.html");
    assert!(!page.contains("<script>") && page.contains("@media print"), "{page}");
    insta::assert_snapshot!(read("signoff.md"));
    let again = RunRecord::from_json(&read("record.json")).unwrap();
    assert_eq!(again, record);
}
