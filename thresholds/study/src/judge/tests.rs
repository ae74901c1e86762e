use super::*;
use shakedown_protocol::fixture::{Noisy, host};
use shakedown_summary::fixture::{count, rate, record};

const OLD: &str = "openssl@3.4.1";
const NEW: &str = "openssl@3.5.5";
const DEFAULT: &str = "handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256";
const X25519: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

fn study() -> Study {
    Study::parse(include_str!("../fixture.toml")).unwrap()
}

/// Blocks in which the new release has this factor, up to noise.
fn measured(blocks: u32, factor: f64, noise: f64, draws: &mut Noisy) -> RunRecord {
    let mut made = record(&[OLD, NEW], &[DEFAULT, X25519]);
    for block in 0..blocks {
        let mut spread = || (noise * draws.draw()).exp();
        let old = [2000.0 * spread(), 3000.0 * spread()];
        let new = [2000.0 * factor * spread(), 3000.0 * factor * spread()];
        rate(&mut made, block, OLD, DEFAULT, old);
        rate(&mut made, block, NEW, DEFAULT, new);
    }
    made
}

fn judged(record: Option<RunRecord>) -> StudyJudgement {
    let run = StudyRecord { record, missing: BTreeMap::new() };
    judge_study(&study(), StudyMode::Full, &host("e"), &[("versions".to_owned(), run)].into())
}

fn verdict(blocks: u32, factor: f64, noise: f64, draws: &mut Noisy) -> ClaimVerdict {
    judged(Some(measured(blocks, factor, noise, draws))).claims[0].verdict
}

#[test]
fn the_interval_decides() {
    let mut draws = Noisy(3);
    assert_eq!(verdict(10, 0.867, 0.01, &mut draws), ClaimVerdict::Confirmed);
    assert_eq!(verdict(10, 1.0, 0.01, &mut draws), ClaimVerdict::Refuted);
    assert_eq!(verdict(10, 0.867, 0.3, &mut draws), ClaimVerdict::Undecided);
    assert_eq!(verdict(2, 0.867, 0.0, &mut draws), ClaimVerdict::Undecided, "too few blocks");
}

/// At the end of the accepted range, where each wrong verdict is as likely as it gets.
#[test]
fn a_wrong_verdict_is_as_rare_as_promised() {
    let mut draws = Noisy(11);
    // Noise enters four times; the medians of ratios have their center here.
    let end = 16300.0 / 18806.0 * 1.05;
    let runs = 1000;
    let decided =
        (0..runs).filter(|_| verdict(8, end, 0.02, &mut draws) != ClaimVerdict::Undecided).count();
    // An interval of coverage 95 % leaves each end out in at most 2.5 % and four standard errors.
    let share = decided as f64 / f64::from(runs);
    assert!(share < 0.05 + 4.0 * (0.05 * 0.95 / f64::from(runs)).sqrt(), "{share}");
}

#[test]
fn counts_that_repeat_decide_at_once() {
    let mut made = record(&[OLD, NEW], &[DEFAULT, X25519]);
    for block in 0..2 {
        for (id, bytes) in [(DEFAULT, [1900, 3000]), (X25519, [700, 2000])] {
            count(&mut made, block, NEW, id, shakedown_protocol::Meter::Heap, bytes);
        }
    }
    let row = &judged(Some(made)).claims[1].rows[0];
    // The fixture puts the same bytes on the wire in each scenario.
    assert_eq!((row.measured, row.exact, row.n), (Some(1.0), true, 2));
    assert_eq!(row.verdict, ClaimVerdict::Refuted);
}

#[test]
fn what_is_missing_is_said() {
    let claims = judged(None).claims;
    assert_eq!(claims[0].verdict, ClaimVerdict::Undecided);
    assert_eq!(
        claims[0].rows[0].gap,
        Some(RowGap::Run("run versions was not measured".to_owned()))
    );
    assert_eq!(claims[2].verdict, ClaimVerdict::NotMeasurable);
    assert_eq!(claims[2].why.as_deref(), Some("no stack is measured over QUIC"));

    let missing = [(OLD.to_owned(), "no such release".to_owned())].into();
    let run = StudyRecord { record: Some(record(&[NEW], &[DEFAULT, X25519])), missing };
    let records = [("versions".to_owned(), run)].into();
    let judgement = judge_study(&study(), StudyMode::Tiny, &host("e"), &records);
    assert_eq!(
        judgement.claims[0].rows[0].gap,
        Some(RowGap::Value {
            subject: NEW.to_owned(),
            absence: shakedown_summary::Absence::NotPlanned,
        })
    );
    assert_eq!(judgement.subjects[0].missing.as_deref(), Some("no such release"));
    assert_eq!(judgement.subjects[0].stands_for.as_deref(), Some("3.4.0"));
}

/// A study may be judged again on another host than the one that it was measured on.
#[test]
fn the_host_is_the_one_that_measured() {
    let mut measured = measured(10, 1.0, 0.01, &mut Noisy(3));
    measured.host.name = "bench-7".to_owned();
    assert_ne!(judged(None).host.name, "bench-7");
    assert_eq!(judged(Some(measured)).host.name, "bench-7");
}

#[test]
fn a_host_that_lacks_something_says_what() {
    let mut small = host("e");
    small.cpu.online = 2;
    let needs = |cpus, features: &[&str]| ClaimNeeds {
        cpus,
        cpu_features: features.iter().map(|name| (*name).to_owned()).collect(),
    };
    assert_eq!(
        unmet_needs(&needs(80, &[]), &small).as_deref(),
        Some("needs 80 CPUs; this host has 2")
    );
    assert_eq!(
        unmet_needs(&needs(2, &["avx512f"]), &small).as_deref(),
        Some("needs a CPU with avx512f; this host's has none")
    );
    assert_eq!(unmet_needs(&needs(2, &[]), &small), None);
}
