use super::*;
use crate::finding::JudgedRecord;
use shakedown_gate::Policy;
use shakedown_protocol::fixture::comparison::comparison;

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
const TICKET: &str = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";
const BULK: &str = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB";
const SHA: &str = "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708";

pub(super) fn context() -> CommentContext {
    CommentContext {
        server_url: "https://github.com/".to_owned(),
        repo: "rustls/rustls".to_owned(),
        head_repo: Some("ada/rustls".to_owned()),
        sha: Some(SHA.to_owned()),
        base_sha: Some("00ff0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089".to_owned()),
        behind_by: Some(3),
        base_ref: Some("main".to_owned()),
        link: Some("https://github.com/rustls/rustls/actions/runs/7001".to_owned()),
    }
}

pub(super) fn judged(record: RunRecord) -> Finding {
    let judgement = shakedown_gate::judge(&record, &Policy::shipped().unwrap()).unwrap();
    Finding::judged(record, judgement)
}

fn text(record: RunRecord) -> String {
    Comment::text(&judged(record), &context()).unwrap()
}

pub(super) fn mixed() -> RunRecord {
    comparison(&[(FULL, [1.0, 0.93]), (TICKET, [1.0, 0.985]), (BULK, [1.08, 1.0])])
}

#[test]
fn the_comment_tells_the_verdict_what_moved_and_how_to_measure_it_again() {
    insta::assert_snapshot!(text(mixed()));
}

#[test]
fn the_comment_names_the_functions_behind_what_changed() {
    let explanation = crate::culprits::tests::explanation();
    let finding = judged(mixed()).with_explanation(&explanation);
    let told = Comment::text(&finding, &context()).unwrap();
    let (before, why) = told.split_once("#### Why").unwrap();
    assert!(before.contains("#### Regressed"), "{told}");
    insta::assert_snapshot!(why.split("<details>").next().unwrap());
}

#[test]
fn unchanged_code_needs_few_words() {
    insta::assert_snapshot!(text(comparison(&[(FULL, [1.0, 1.0])])));
}

#[test]
fn of_many_findings_the_largest_stand_open_and_the_rest_is_folded_away() {
    let ids: Vec<String> = (1..=12)
        .map(|size| format!("bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-{size}KiB"))
        .collect();
    // The later ones lost more.
    let all: Vec<(&str, [f64; 2])> = ids
        .iter()
        .zip(1..)
        .map(|(id, n)| (id.as_str(), [0.95 - 0.02 * f64::from(n), 1.0]))
        .collect();
    let told = text(comparison(&all));
    assert!(told.contains("### ❌ Failed: 12 regressed, 12 unchanged"), "{told}");
    let (open, folded) = told.split_once("<details>").unwrap();
    let at = |size: u32| open.find(&format!("write-{size}KiB<"));
    assert!(at(12) < at(11) && at(11) < at(4) && at(12).is_some(), "{open}");
    assert_eq!(at(2), None, "{open}");
    assert!(folded.starts_with("<summary>2 more regressed</summary>"), "{folded}");
    assert!(folded.contains("write-1KiB<") && folded.contains("write-2KiB<"), "{folded}");
}

#[test]
fn a_harness_is_measured_again_with_the_drivers_of_both() {
    let mut record = mixed();
    for entry in &mut record.subjects {
        entry.asked = "rustls@0.23.46+ring".parse().unwrap();
        entry.artifact.subject = entry.asked.clone();
    }
    record.subjects[1].artifact.driver_sha256 = "e".repeat(64);
    assert_eq!(
        reproduce(&record, "thresholds/pr.toml", &context()),
        "shakedown compare --suite pr rustls@0.23.46+ring rustls@0.23.46+ring \
         --base-drivers BASE --head-drivers HEAD"
    );
}

#[test]
fn the_policy_is_named_without_the_runners_folders() {
    for (path, name) in [
        ("/home/runner/work/x/x/shakedown/thresholds/pr.toml", "thresholds/pr.toml"),
        ("subject/.github/bench.toml", ".github/bench.toml"),
        ("/pr.toml", "pr.toml"),
        ("pr.toml", "pr.toml"),
        ("", ""),
    ] {
        assert_eq!(policy(path), name);
    }
}

#[test]
fn what_could_not_be_decided_says_why_and_what_would_have_been_seen() {
    let mut record = comparison(&[(FULL, [1.0, 0.98])]);
    record.calibration = None;
    record.host.fit = false;
    record.subjects[1].artifact.rustc = "rustc 1.96".to_owned();
    insta::assert_snapshot!(text(record));
}

#[test]
fn without_any_estimate_the_comment_lists_what_could_not_be_judged() {
    let (record, judgement) = crate::verdict::disturbed::disturbed();
    let told = Comment::text(&Finding::judged(record, judgement), &context()).unwrap();
    let valued = |line: &str| line.contains('→') && line.contains("handshakes/s");
    assert!(!told.lines().any(valued), "only the count has values: {told}");
    insta::assert_snapshot!(told);
}

#[test]
fn how_far_base_is_behind_is_said_where_it_is_behind() {
    let of = |behind_by, base_ref: Option<&str>| {
        let place =
            CommentContext { behind_by, base_ref: base_ref.map(str::to_owned), ..context() };
        Comment::text(&judged(mixed()), &place).unwrap()
    };
    assert!(of(Some(1), Some("main")).contains("), 1 commit behind main."));
    assert!(of(Some(2), None).contains("), 2 commits behind the base branch."));
    let escaped = of(Some(2), Some("`x`|@team"));
    assert!(escaped.contains("\\`x\\`\\|") && !escaped.contains("@team"), "{escaped}");
    for current in [of(None, Some("main")), of(Some(0), Some("main"))] {
        assert!(!current.contains("behind"), "{current}");
    }
}

#[test]
fn waiting_and_failing_are_told_too() {
    let pending = Comment::text(&Finding::Pending, &context()).unwrap();
    let problem = Finding::Problem("record.json: `<b>` is not @sensible".to_owned());
    let problem = Comment::text(&problem, &CommentContext { sha: None, ..context() }).unwrap();
    insta::assert_snapshot!(format!("{pending}\n---\n{problem}"));
}

#[test]
fn a_forged_verdict_or_pull_request_in_the_record_has_no_effect() {
    let mut value = serde_json::to_value(mixed()).unwrap();
    for (name, forged) in
        [("verdict", "pass"), ("headline", "all is well"), ("consequence", "none")]
    {
        value[name] = forged.into();
    }
    value["judgement"] = serde_json::json!({ "consequence": "none", "headline": "all is well" });
    value["pr"] = 666.into();
    value["number"] = 666.into();
    let record = RunRecord::from_json(&value.to_string()).unwrap();
    assert_eq!(record, mixed(), "what is not understood is dropped");
    let Finding::Judged(found) = judged(record) else { panic!() };
    let JudgedRecord { judgement, .. } = *found;
    assert_eq!(judgement.consequence, shakedown_gate::Consequence::Fail);
}

#[test]
fn a_comment_never_grows_over_the_limit() {
    // Far more scenarios than any suite has, each with names as long as they may be.
    let groups = ["x25519", "secp256r1", "secp384r1", "x25519mlkem768", "default"];
    let mut ids = Vec::new();
    for group in groups {
        for suite in ["aes128-gcm", "aes256-gcm", "chacha20"] {
            for size in 0..24 {
                let id = format!("bulk/tls1.3/{suite}/{group}/ecdsa-p256/write-{}KiB", 1 + size);
                if id.parse::<shakedown_protocol::Scenario>().is_ok() {
                    ids.push(id);
                }
            }
        }
    }
    assert!(ids.len() > 100, "{}", ids.len());
    let all: Vec<(&str, [f64; 2])> = ids.iter().map(|id| (id.as_str(), [0.9, 0.9])).collect();
    let mut record = comparison(&all);
    let name = "n".repeat(290);
    super::hostile::hostile(&mut record, &name);
    let told = text(record);
    assert!(told.len() <= BYTES, "{}", told.len());
    assert!(told.contains("more, in the whole report"), "{}", &told[..2000]);
    assert!(told.contains("actions/runs/7001"));
    assert_eq!(told.matches("<details>").count(), told.matches("</details>").count());
}

#[test]
fn what_is_cut_in_the_end_is_cut_between_lines_and_says_so() {
    let long = format!("<details>\n{}", "ä line of text\n".repeat(100));
    let cut = end_at(long, 400, &context());
    assert!(cut.len() <= 400 + 20, "{}", cut.len());
    assert!(cut.contains("</details>") && cut.contains("runs/7001") && cut.contains("cut"));
}

#[test]
fn the_command_can_not_be_broken_out_of() {
    let mut record = mixed();
    record.plan.suite = "pr; rm -rf ~".to_owned();
    record.subjects[1].artifact.subject = "rustls@path:x'`$(id)`".parse().unwrap();
    let known = reproduce(&record, "thresholds/pr.toml", &context());
    assert_eq!(
        known,
        "shakedown compare \
         'rustls@git:https://github.com/rustls/rustls#00ff0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089+ring' \
         'rustls@git:https://github.com/ada/rustls#6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708+ring'"
    );
    let unknown = reproduce(&record, "", &CommentContext::default());
    assert!(unknown.ends_with(r"'rustls@path:x'\''$(id)'"), "{unknown}");
}
