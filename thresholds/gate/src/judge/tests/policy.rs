//! What the policy says of a change: accepted, reported, failed.

use super::*;

#[test]
fn an_accepted_regression_passes_until_it_grows() {
    let entry = |size: &str| {
        format!(
            "[[accepted]]\nscenario = \"handshake-full/**\"\nmetric = \"handshakes\"\nsize = \"{size}\"\nreason = \"r\"\nby = \"b\"\nlink = \"l\"\nexpires = 2027-01-31\n"
        )
    };
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 3, [1.0, 0.94]);
    let today = "2026-11-21".parse().unwrap();
    let judged = |size| {
        let policy = shipped().with_accepted(&entry(size), "accepted.toml", today).unwrap();
        judge(&record, &policy).unwrap()
    };
    let enough = judged("7 %");
    assert_eq!((enough.consequence, enough.counts.accepted), (Consequence::Report, 1));
    let grown = judged("2 %");
    assert_eq!((grown.consequence, grown.counts.regressed), (Consequence::Fail, 1));
    let exceeded = find(&grown, Side::Server, Metric::Handshakes).exceeded.as_ref().unwrap();
    assert_eq!((exceeded.size, exceeded.line), (0.02, 1));
}

#[test]
fn the_policy_says_what_follows() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 1, [1.0, 0.9]);
    let consequence = |edit: &str| {
        let text = format!(
            "{}\n[[override]]\nmetric = \"handshakes\"\n{edit}\nreason = \"r\"\n",
            include_str!("../../../../pr.toml")
        );
        judge(&record, &Policy::parse(&text, "p.toml").unwrap()).unwrap().consequence
    };
    assert_eq!(consequence("inconclusive = \"warn\""), Consequence::Warn);
    assert_eq!(consequence("inconclusive = \"fail\""), Consequence::FailInconclusive);
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 3, [1.0, 1.1]);
    assert_eq!(judge(&record, &shipped()).unwrap().consequence, Consequence::Report);
    let both = format!(
        "{}\n[[override]]\nmetric = \"handshakes\"\ndirection = \"both\"\nreason = \"r\"\n",
        include_str!("../../../../pr.toml")
    );
    let judgement = judge(&record, &Policy::parse(&both, "p.toml").unwrap()).unwrap();
    assert_eq!(judgement.consequence, Consequence::Fail, "a metric that must not change");
}
