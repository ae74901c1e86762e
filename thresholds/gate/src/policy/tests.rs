use super::*;
use shakedown_protocol::{Metric, Scenario, Side};
use shakedown_summary::fixture::{BULK, FULL, TICKET};

const GOOD: &str = include_str!("../../../pr.toml");

fn known() -> KnownNames {
    let mut scenarios: Vec<Scenario> = [FULL, TICKET, BULK].map(|id| id.parse().unwrap()).to_vec();
    scenarios.push(shakedown_summary::fixture::memory(100).parse().unwrap());
    scenarios.push("handshake-full/tls1.2/aes256-gcm/x25519/rsa-2048".parse().unwrap());
    KnownNames { scenarios, stacks: vec!["openssl".to_owned(), "rustls".to_owned()] }
}

fn settings(policy: &Policy, id: &str, metric: Metric) -> Settings {
    let scenario: Scenario = id.parse().unwrap();
    policy.settings(&scenario, scenario.sides()[0], metric, "rustls")
}

#[test]
fn the_shipped_policy_is_sound() {
    let policy = Policy::shipped().unwrap();
    policy.check(&known()).unwrap();
    let time = settings(&policy, FULL, Metric::Handshakes);
    assert_eq!((time.margin, time.non_inferiority_margin, time.action), (0.01, 0.03, Action::Fail));
    assert_eq!(settings(&policy, FULL, Metric::Instructions).margin, 0.002);
    assert_eq!(settings(&policy, FULL, Metric::Allocations).margin, 0.0);
    assert_eq!(settings(&policy, FULL, Metric::LatencyP99).action, Action::Report);
    assert_eq!(settings(&policy, FULL, Metric::PeakHeap).margin, 0.005);
}

#[test]
fn the_shipped_exceptions_are_sound() {
    let today = "2026-11-21".parse().unwrap();
    let text = include_str!("../../../accepted.toml");
    let policy = Policy::shipped().unwrap().with_accepted(text, "accepted.toml", today).unwrap();
    assert_eq!(policy.accepted, []);
}

#[test]
fn later_overrides_win_and_leave_their_lines() {
    let text = format!(
        "{GOOD}\n[[override]]\nscenario = \"handshake-*/tls1.3/**\"\nstack = \"rustls\"\nmetric = \"handshakes\"\nmargin = \"2 %\"\nreason = \"r\"\n"
    );
    let policy = Policy::parse(&text, "p.toml").unwrap();
    policy.check(&known()).unwrap();
    let found = settings(&policy, FULL, Metric::Handshakes);
    assert_eq!(found.margin, 0.02);
    assert_eq!(found.lines.len(), 2, "defaults and one override");
    assert_eq!(settings(&policy, BULK, Metric::Throughput).margin, 0.01);
    let scenario: Scenario = FULL.parse().unwrap();
    let other = policy.settings(&scenario, Side::Client, Metric::Handshakes, "openssl");
    assert_eq!(other.margin, 0.01);
}

#[test]
fn a_driver_of_the_repository_is_a_folder_inside_of_it() {
    assert_eq!(Policy::shipped().unwrap().own_driver, None);
    let with =
        |path: &str| Policy::parse(&format!("{GOOD}\n[driver]\npath = {path:?}\n"), "p.toml");
    assert_eq!(with("bench/driver").unwrap().own_driver.as_deref(), Some("bench/driver"));
    for outside in ["", "/x", "../x", "bench/../../x", "bench//x", ".", "a/./b"] {
        let error = with(outside).unwrap_err();
        assert!(error.message.contains("inside the repository"), "{outside}: {error}");
    }
    let escape = format!("{GOOD}\n[driver]\npath = \"a\\u001b\"\n");
    assert!(
        Policy::parse(&escape, "p.toml").unwrap_err().message.contains("inside the repository")
    );
    assert!(Policy::parse(&format!("{GOOD}\n[driver]\nurl = \"x\"\n"), "p.toml").is_err());
}

/// The message of every mistake.
#[test]
fn mistakes_are_told_with_file_and_line() {
    let add = |entry: &str| format!("{GOOD}\n[[override]]\n{entry}\nreason = \"r\"\n");
    let texts = [
        GOOD.replace("minutes = 10", "minuets = 10"),
        GOOD.replace("[joint]", "[joined]"),
        GOOD.replace("margin = \"1 %\"", "margin = 0.01"),
        GOOD.replace("margin = \"1 %\"", "margin = \"-1 %\""),
        GOOD.replace("margin = \"1 %\"", "margin = \"5 %\""),
        GOOD.replace("action = \"fail\"", "action = \"explode\""),
        GOOD.replace("blocks = 10", "blocks = 1"),
        GOOD.replace("\"1 %\"   # share", "\"0 %\"   # share"),
        GOOD.replace("metric = \"latency-*\"", "metric = \"latencies\""),
        GOOD.replace("[budget]", "[budget"),
        add("margin = \"2 %\"\nnon-inferiority-margin = \"1 %\""),
        add("action = \"report\"\ninconclusive = \"fail\""),
        add("metric = \"handshakes\""),
        add("metric = \"latency-*\"\nmargin = \"3 %\""),
        add("scenario = []\nmargin = \"2 %\""),
        add("scenario = \"bulk/***\"\nmargin = \"2 %\""),
        add("scenario = \"bluk/**\"\nmargin = \"2 %\""),
        add("stack = \"opensll\"\nmargin = \"2 %\""),
        add("scenario = \"bulk/**\"\nmetric = \"handshakes\"\nmargin = \"2 %\""),
        add("metric = \"handshakes\"\nmargin = \"4 %\""),
        add(
            "metric = \"throughput\"\nmargin = \"2 %\"\nreason = \"first\"\n\n[[override]]\nmargin = \"2 %\"",
        ),
        add("margin = \"2 %\"").replace("reason = \"r\"", "reason = \" \""),
        add("margin = \"2 %\"").replace("\nreason = \"r\"", ""),
    ];
    let told: Vec<String> = texts
        .iter()
        .map(|text| {
            let error = Policy::parse(text, "p.toml").and_then(|policy| policy.check(&known()));
            error.expect_err(text).to_string()
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

const ENTRY: &str = r#"
[[accepted]]
scenario = "handshake-full/**"
metric = "handshakes"
size = "4 %"
reason = "slower check"
by = "somebody"
link = "https://example.org/1"
expires = 2026-12-31
"#;

fn accept(text: &str, today: &str) -> Result<Policy, PolicyError> {
    let policy = Policy::shipped()?.with_accepted(text, "accepted.toml", today.parse().unwrap())?;
    policy.check(&known())?;
    Ok(policy)
}

#[test]
fn an_acceptance_covers_what_it_names_until_its_day() {
    let policy = accept(ENTRY, "2026-12-31").unwrap();
    let find = |id: &str| {
        let scenario: Scenario = id.parse().unwrap();
        policy.accepted(
            AcceptedKind::Regressed,
            &scenario,
            Side::Client,
            Metric::Handshakes,
            "rustls",
        )
    };
    assert_eq!(find(FULL).unwrap().size, 0.04);
    assert_eq!(find(TICKET), None);
}

#[test]
fn acceptances_that_can_not_be_used_are_told() {
    let cases = [
        (ENTRY.to_owned(), "2027-01-01"),
        (ENTRY.replace("size = \"4 %\"\n", ""), "2026-11-21"),
        (ENTRY.replace("by = \"somebody\"\n", ""), "2026-11-21"),
        (ENTRY.replace("somebody", ""), "2026-11-21"),
        (ENTRY.replace("size", "kind = \"missing\"\nsize"), "2026-11-21"),
        (ENTRY.replace("2026-12-31", "\"soon\""), "2026-11-21"),
        (ENTRY.replace("2026-12-31", "12:00:00"), "2026-11-21"),
        (ENTRY.replace("handshake-full", "hadnshake-full"), "2026-11-21"),
        (format!("{ENTRY}{ENTRY}"), "2026-11-21"),
        (ENTRY.replace("[[accepted]]", "[[excepted]]"), "2026-11-21"),
    ];
    let told: Vec<String> = cases
        .iter()
        .map(|(text, today)| accept(text, today).expect_err(text).to_string())
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_parsing_panic(cut in 0usize..1500, text in ".{0,20}") {
        let cut = GOOD.char_indices().map(|(at, _)| at).take_while(|at| *at <= cut).last().unwrap_or(0);
        let _ = Policy::parse(&format!("{}{text}{}", &GOOD[..cut], &GOOD[cut..]), "p.toml");
    }
}
