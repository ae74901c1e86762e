use super::*;
use crate::rule::Verdict;
use shakedown_protocol::{
    DriverRefusal, Flaw, Meter, Metric, Side, TrialOutcome, Unsupported,
    fixture::{Noisy, calibration},
};
use shakedown_summary::fixture::{self, BULK, FULL, TICKET};

pub(super) const BASE: &str = "rustls@path:base";
pub(super) const HEAD: &str = "rustls@path:head";

/// Adds blocks of ten ABBA pairs, freshly linked, with 0.3 % noise; head has these factors
/// on its two rates.
pub(super) fn blocks(
    record: &mut shakedown_protocol::RunRecord,
    id: &str,
    count: u32,
    factors: [f64; 2],
) {
    let mut noisy = Noisy(id.len() as u64);
    for block in 0..count {
        for pair in 0..10 {
            let order = if pair % 2 == 0 { [BASE, HEAD] } else { [HEAD, BASE] };
            for name in order {
                let factors = if name == HEAD { factors } else { [1.0, 1.0] };
                let rates = [2000.0, 5000.0];
                let value = |i: usize, noise: f64| rates[i] * factors[i] * (1.0 + 0.003 * noise);
                let rates = [value(0, noisy.draw()), value(1, noisy.draw())];
                fixture::rate(record, block, name, id, rates);
                record.trials.last_mut().unwrap().link = block;
            }
        }
    }
}

pub(super) fn empty(ids: &[&str]) -> shakedown_protocol::RunRecord {
    let mut record = fixture::record(&[BASE, HEAD], ids);
    for (entry, digit) in record.subjects.iter_mut().zip(["5", "6"]) {
        entry.artifact.source.sha256 = digit.repeat(64);
    }
    let calibration = calibration(&record.host.epoch.id, &record.plan.scenarios);
    record.calibration = Some(calibration);
    record
}

pub(super) fn shipped() -> Policy {
    Policy::shipped().unwrap()
}

fn verdicts(judgement: &Judgement) -> Vec<String> {
    let one = |c: &Comparison| {
        let change = c.change.map_or("-".to_owned(), |change| format!("{:+.1} %", change * 100.0));
        format!(
            "{} {} {}: {} {change} ({}) {} | {}",
            c.scenario.family(),
            c.side,
            c.metric,
            c.verdict,
            c.consequence,
            c.reason,
            c.warnings.join(" | ")
        )
    };
    judgement.comparisons.iter().map(one).collect()
}

fn find(judgement: &Judgement, side: Side, metric: Metric) -> &Comparison {
    judgement.comparisons.iter().find(|c| c.side == side && c.metric == metric).unwrap()
}

#[test]
fn a_slowdown_is_found_in_its_scenario_and_side_and_nowhere_else() {
    let mut record = empty(&[FULL, TICKET, BULK]);
    blocks(&mut record, FULL, 3, [1.0, 0.95]);
    blocks(&mut record, TICKET, 2, [1.0, 1.0]);
    blocks(&mut record, BULK, 3, [1.06, 1.0]);
    let judgement = judge(&record, &shipped()).unwrap();
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Regressed, 1));
    assert_eq!(judgement.headline, "1 regressed, 1 improved, 4 unchanged");
    assert!(judgement.calibrated && !judgement.same_code);
    insta::assert_snapshot!(verdicts(&judgement).join("\n"));
}

#[test]
fn without_calibration_only_what_is_far_beyond_fails() {
    for (factor, verdict) in [(0.96, Verdict::Inconclusive), (0.8, Verdict::Regressed)] {
        let mut record = empty(&[FULL]);
        blocks(&mut record, FULL, 4, [factor, 1.0]);
        record.calibration = None;
        let judgement = judge(&record, &shipped()).unwrap();
        assert!(!judgement.calibrated);
        assert!(judgement.warnings[0].starts_with("this host is not calibrated"));
        let found = find(&judgement, Side::Client, Metric::Handshakes);
        assert_eq!(found.verdict, verdict, "{factor}: {}", found.reason);
        assert!(found.smallest.unwrap() > 0.04);
    }
}

#[test]
fn a_disturbed_host_is_inconclusive_and_never_red() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 4, [0.7, 0.7]);
    let some = |trial: &mut shakedown_protocol::Trial| trial.flaws = vec![Flaw::Stolen];
    record.trials.iter_mut().step_by(3).for_each(some);
    let judgement = judge(&record, &shipped()).unwrap();
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Inconclusive, 0));
    insta::assert_snapshot!(verdicts(&judgement).join("\n"));
}

#[test]
fn single_disturbed_pairs_are_set_aside_on_both_sides() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 2, [1.0, 1.0]);
    record.trials[3].flaws = vec![Flaw::Throttled];
    let judgement = judge(&record, &shipped()).unwrap();
    let found = find(&judgement, Side::Client, Metric::Handshakes);
    assert_eq!(found.warnings, ["1 pair disturbed by the host set aside"]);
    let Detail::Wall(wall) = &found.detail else { panic!("{found:?}") };
    assert_eq!(wall.units.iter().map(|unit| unit.pairs).collect::<Vec<_>>(), [9, 10]);
}

#[test]
fn a_comparison_is_open_until_it_is_decided() {
    let policy = shipped();
    let mut record = empty(&[FULL, BULK]);
    record.finish = None;
    let time = |id: &str| (id.parse().unwrap(), Meter::Time);
    let open = |record: &shakedown_protocol::RunRecord| judge(record, &policy).unwrap().open();
    assert_eq!(open(&record), [time(FULL), time(BULK)].into());
    blocks(&mut record, FULL, 1, [1.0, 0.9]);
    blocks(&mut record, BULK, 1, [1.0, 1.0]);
    assert_eq!(open(&record), [time(FULL)].into(), "unchanged is decided, a slowdown wants proof");
    record.trials.retain(|trial| trial.scenario != FULL.parse().unwrap());
    blocks(&mut record, FULL, 3, [1.0, 0.9]);
    assert_eq!(open(&record), [].into());
    assert_eq!(judge(&record, &policy).unwrap().exit_code, 1);
}

#[test]
fn a_growing_record_is_judged_by_the_noise_that_it_will_carry() {
    let policy = shipped();
    let mut record = empty(&[FULL]);
    record.finish = None;
    let calibration = record.calibration.take().unwrap();
    blocks(&mut record, FULL, 1, [1.0, 1.0]);
    assert!(!Sequential::new(&policy, None).open(&record).is_empty());
    let mut known = Sequential::new(&policy, Some(&calibration));
    assert!(known.open(&record).is_empty() && known.error().is_none());
    let interim = known.judge(&record).unwrap();
    record.calibration = Some(calibration.clone());
    assert_eq!(judge(&record, &policy).unwrap(), interim);
    record.subjects.pop();
    assert!(known.open(&record).is_empty() && known.error().is_some());
}

#[test]
fn half_a_block_is_not_looked_at() {
    let mut record = empty(&[FULL]);
    record.finish = None;
    blocks(&mut record, FULL, 1, [1.0, 1.0]);
    record.trials.truncate(13);
    let judgement = judge(&record, &shipped()).unwrap();
    let found = find(&judgement, Side::Client, Metric::Handshakes);
    assert!(found.open && found.change.is_none());
    assert_eq!(found.reason, "no block counts yet");
}

#[test]
fn counts_are_gated_tightly() {
    let mut record = empty(&[FULL]);
    record.plan.meters = vec![Meter::Heap, Meter::Instructions];
    for block in 0..8 {
        for (name, more) in [(BASE, 0), (HEAD, 1)] {
            fixture::count(&mut record, block, name, FULL, Meter::Heap, [60, 70 + more]);
            fixture::count(
                &mut record,
                block,
                name,
                FULL,
                Meter::Instructions,
                [900_000, 900_000 + 100 * more],
            );
        }
    }
    for trial in record.trials.iter_mut().filter(|trial| trial.subject == HEAD) {
        let TrialOutcome::Measured(measured) = &mut trial.outcome else { panic!() };
        let wire = measured.wire.as_mut().unwrap();
        wire.client.bytes += 32;
        wire.server.bytes += 2;
    }
    let judgement = judge(&record, &shipped()).unwrap();
    insta::assert_snapshot!(verdicts(&judgement).join("\n"));
}

#[test]
fn what_is_gone_or_broken_is_told() {
    let mut record = empty(&[FULL, TICKET, BULK, &fixture::memory(100), &fixture::memory(200)]);
    blocks(&mut record, FULL, 2, [1.0, 1.0]);
    blocks(&mut record, TICKET, 2, [1.0, 1.0]);
    blocks(&mut record, BULK, 2, [1.0, 1.0]);
    let gone = |subject: &str, id: &str| Unsupported {
        subject: subject.to_owned(),
        scenario: id.parse().unwrap(),
        meter: None,
        reason: "no such suite".to_owned(),
    };
    record.trials.retain(|t| !(t.subject == HEAD && t.scenario.family() == "bulk"));
    record.unsupported.push(gone(HEAD, BULK));
    record.unsupported.push(gone(BASE, &fixture::memory(100)));
    record.unsupported.push(gone(HEAD, &fixture::memory(100)));
    record.unsupported.push(gone(BASE, &fixture::memory(200)));
    fixture::peak(&mut record, 0, HEAD, &fixture::memory(200), 5000);
    let last =
        record.trials.iter_mut().rfind(|t| t.subject == HEAD && t.scenario.resumes()).unwrap();
    last.outcome = TrialOutcome::Refused(DriverRefusal::Broken(
        "resumed: wanted true, negotiated false".to_owned(),
    ));
    let judgement = judge(&record, &shipped()).unwrap();
    assert_eq!((judgement.verdict, judgement.exit_code), (Verdict::Broken, 1));
    insta::assert_snapshot!(verdicts(&judgement).join("\n"));
}

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
    assert_eq!((enough.exit_code, enough.tally.accepted), (0, 1));
    let grown = judged("2 %");
    assert_eq!((grown.exit_code, grown.tally.regressed), (1, 1));
    insta::assert_snapshot!(find(&grown, Side::Server, Metric::Handshakes).reason);
}

#[test]
fn the_policy_says_what_follows() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 1, [1.0, 0.9]);
    let exit = |edit: &str| {
        let text = format!(
            "{}\n[[override]]\nmetric = \"handshakes\"\n{edit}\nreason = \"r\"\n",
            include_str!("../../../pr.toml")
        );
        judge(&record, &Policy::parse(&text, "p.toml").unwrap()).unwrap().exit_code
    };
    assert_eq!(exit("inconclusive = \"warn\""), 0);
    assert_eq!(exit("inconclusive = \"fail\""), 5);
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 3, [1.0, 1.1]);
    assert_eq!(judge(&record, &shipped()).unwrap().exit_code, 0);
    let both = format!(
        "{}\n[[override]]\nmetric = \"handshakes\"\ndirection = \"both\"\nreason = \"r\"\n",
        include_str!("../../../pr.toml")
    );
    let judgement = judge(&record, &Policy::parse(&both, "p.toml").unwrap()).unwrap();
    assert_eq!(judgement.exit_code, 1, "a metric that shall stay what it is");
}

#[test]
fn the_same_record_gives_the_same_verdict_bit_for_bit() {
    let mut record = empty(&[FULL, BULK]);
    blocks(&mut record, FULL, 3, [1.013, 0.97]);
    blocks(&mut record, BULK, 2, [1.0, 0.999]);
    let json = |record: &shakedown_protocol::RunRecord| {
        serde_json::to_string(&judge(record, &shipped()).unwrap()).unwrap()
    };
    let saved = serde_json::to_string(&record).unwrap();
    let read = shakedown_protocol::RunRecord::from_json(&saved).unwrap();
    assert_eq!(json(&record), json(&read));
    // The order in which a file lists trials is not the order of execution.
    record.trials.reverse();
    assert_eq!(json(&record), json(&read));
}

#[test]
fn an_ordinary_run_with_one_pair_a_block_is_judged_with_a_warning() {
    let mut record = empty(&[FULL]);
    for block in 0..30 {
        fixture::rate(&mut record, block, BASE, FULL, [2000.0 + f64::from(block % 3), 5000.0]);
        fixture::rate(&mut record, block, HEAD, FULL, [2000.0, 3000.0]);
    }
    let judgement = judge(&record, &shipped()).unwrap();
    let found = find(&judgement, Side::Server, Metric::Handshakes);
    assert_eq!(found.verdict, Verdict::Regressed, "{}", found.reason);
    assert_eq!(found.warnings, ["one link only: luck of the layout is not averaged out"]);
    assert_eq!(find(&judgement, Side::Client, Metric::Handshakes).verdict, Verdict::Pass);
}

#[test]
fn an_a_a_comparison_is_named_as_such_and_differences_are_listed() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 1, [1.0, 1.0]);
    assert!(!judge(&record, &shipped()).unwrap().same_code);
    let source = record.subjects[0].artifact.source.clone();
    record.subjects[1].artifact.source = source;
    assert!(judge(&record, &shipped()).unwrap().same_code);
    let artifact = &mut record.subjects[1].artifact;
    artifact.rustc = "rustc 1.96".to_owned();
    artifact.crates.insert("aws-lc-sys 0.47.0".to_owned(), "abc".to_owned());
    artifact.environment.insert("CFLAGS".to_owned(), "-O3".to_owned());
    insta::assert_snapshot!(judge(&record, &shipped()).unwrap().differences.join("\n"));
}

#[test]
fn a_comparison_across_two_forms_of_an_api_warns() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 1, [1.0, 1.0]);
    let warning = |record: &_| {
        let warnings = judge(record, &shipped()).unwrap().warnings;
        warnings.into_iter().find(|text| text.starts_with("the library's API differs"))
    };
    for (subject, io) in record.subjects.iter_mut().zip(["streams", "streams"]) {
        subject.artifact.surfaces.insert("io".to_owned(), io.to_owned());
    }
    assert_eq!(warning(&record), None);
    record.subjects[1].artifact.surfaces.insert("io".to_owned(), "handler".to_owned());
    let expected = "the library's API differs (io): part of a change may be the driver's own cost";
    assert_eq!(warning(&record).as_deref(), Some(expected));
    let differences = judge(&record, &shipped()).unwrap().differences;
    assert!(differences.contains(&"driver's io: streams -> handler".to_owned()), "{differences:?}");
}
