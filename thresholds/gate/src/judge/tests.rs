mod policy;
mod reproducibility;

use super::*;
use crate::rule::{Reason, Verdict};
use crate::unchanged::{Difference, Provenance};
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
            "{} {} {}: {} {change} ({}) {} {}",
            c.scenario.family(),
            c.side,
            c.metric,
            c.verdict,
            c.consequence,
            serde_json::to_string(&c.reason).unwrap(),
            serde_json::to_string(&(&c.disturbance, &c.warnings)).unwrap()
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
    assert_eq!((judgement.verdict, judgement.consequence), (Verdict::Regressed, Consequence::Fail));
    let counts = VerdictCounts { regressed: 1, improved: 1, unchanged: 4, ..Default::default() };
    assert_eq!(judgement.counts, counts);
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
        assert_eq!(judgement.warnings[0], JudgementWarning::NotCalibrated);
        let found = find(&judgement, Side::Client, Metric::Handshakes);
        assert_eq!(found.verdict, verdict, "{factor}: {:?}", found.reason);
        assert!(found.minimum_detectable_effect.unwrap() > 0.04);
    }
}

/// Comparisons of before each pair had links of its own: four blocks of ten pairs, one link in each.
#[test]
fn records_with_one_link_a_block_are_judged_still() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 4, [1.0, 0.95]);
    assert_eq!((record.plan.blocks, shipped().budget.blocks), (4, 10));
    let judgement = judge(&record, &shipped()).unwrap();
    let of = |side| find(&judgement, side, Metric::Handshakes);
    assert_eq!(of(Side::Client).verdict, Verdict::Pass);
    assert_eq!(of(Side::Server).verdict, Verdict::Regressed);
    let Detail::Time(time) = &of(Side::Server).detail else { panic!() };
    assert_eq!((time.links, time.pairs, time.blocks.len()), (4, 40, 4));
}

#[test]
fn a_disturbed_host_is_inconclusive_and_never_red() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 4, [0.7, 0.7]);
    let some = |trial: &mut shakedown_protocol::Trial| trial.flaws = vec![Flaw::Stolen];
    record.trials.iter_mut().step_by(3).for_each(some);
    let judgement = judge(&record, &shipped()).unwrap();
    assert_eq!(
        (judgement.verdict, judgement.consequence),
        (Verdict::Inconclusive, Consequence::Warn)
    );
    insta::assert_snapshot!(verdicts(&judgement).join("\n"));
}

#[test]
fn single_disturbed_pairs_are_excluded_on_both_sides() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 2, [1.0, 1.0]);
    record.trials[3].flaws = vec![Flaw::Throttled];
    let judgement = judge(&record, &shipped()).unwrap();
    let found = find(&judgement, Side::Client, Metric::Handshakes);
    assert_eq!(found.warnings, [ComparisonWarning::ExcludedPairs { pairs: 1 }]);
    let Detail::Time(time) = &found.detail else { panic!("{found:?}") };
    assert_eq!(time.blocks.iter().map(|block| block.pairs).collect::<Vec<_>>(), [9, 10]);
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
    assert_eq!(judge(&record, &policy).unwrap().consequence, Consequence::Fail);
}

#[test]
fn a_record_that_can_not_be_judged_ends_the_interim_analyses() {
    let policy = shipped();
    let mut record = empty(&[FULL]);
    record.finish = None;
    let mut interim = InterimAnalysis::new(&policy);
    assert!(!interim.open(&record).is_empty() && interim.error().is_none());
    record.subjects.pop();
    assert!(interim.open(&record).is_empty() && interim.error().is_some());
}

#[test]
fn half_a_block_is_not_looked_at() {
    let mut record = empty(&[FULL]);
    record.finish = None;
    blocks(&mut record, FULL, 1, [1.0, 1.0]);
    record.trials.truncate(11);
    let judgement = judge(&record, &shipped()).unwrap();
    let found = find(&judgement, Side::Client, Metric::Handshakes);
    assert!(found.open && found.change.is_none());
    assert_eq!(found.reason, Reason::NoBlocks);
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
    assert_eq!((judgement.verdict, judgement.consequence), (Verdict::Broken, Consequence::Fail));
    insta::assert_snapshot!(verdicts(&judgement).join("\n"));
}

#[test]
fn the_same_link_in_every_block_is_judged_with_a_warning() {
    let mut record = empty(&[FULL]);
    for block in (0..60).map(|pair| pair / 2) {
        fixture::rate(&mut record, block, BASE, FULL, [2000.0 + f64::from(block % 3), 5000.0]);
        fixture::rate(&mut record, block, HEAD, FULL, [2000.0, 3000.0]);
    }
    let judgement = judge(&record, &shipped()).unwrap();
    let found = find(&judgement, Side::Server, Metric::Handshakes);
    assert_eq!(found.verdict, Verdict::Regressed, "{:?}", found.reason);
    assert_eq!(found.warnings, [ComparisonWarning::SingleLink]);
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
    insta::assert_json_snapshot!(judge(&record, &shipped()).unwrap().differences);
}

#[test]
fn a_comparison_across_two_forms_of_an_api_warns() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 1, [1.0, 1.0]);
    let warnings = |record: &_| judge(record, &shipped()).unwrap().warnings;
    let differs = JudgementWarning::ApiDiffers { surfaces: vec!["io".to_owned()] };
    for subject in &mut record.subjects {
        subject.artifact.surfaces.insert("io".to_owned(), "streams".to_owned());
    }
    assert!(!warnings(&record).contains(&differs));
    record.subjects[1].artifact.surfaces.insert("io".to_owned(), "handler".to_owned());
    assert!(warnings(&record).contains(&differs));
    let difference = Difference {
        what: Provenance::Api("io".to_owned()),
        base: Some("streams".to_owned()),
        head: Some("handler".to_owned()),
    };
    assert_eq!(judge(&record, &shipped()).unwrap().differences, [difference]);
}
