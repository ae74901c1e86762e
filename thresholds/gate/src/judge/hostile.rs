//! Records that lie, or that nobody thought of.

use super::{
    judge,
    tests::{BASE, HEAD, blocks, empty, shipped},
};
use shakedown_protocol::{LostReason, Meter, RunCompletion, TrialOutcome};
use shakedown_summary::fixture::{self, FULL};

#[test]
fn records_that_can_not_be_judged_are_told() {
    let sound = || {
        let mut record = empty(&[FULL]);
        blocks(&mut record, FULL, 1, [1.0, 1.0]);
        record
    };
    let mut cases: Vec<shakedown_protocol::RunRecord> = Vec::new();
    let mut case = |edit: &dyn Fn(&mut shakedown_protocol::RunRecord)| {
        let mut record = sound();
        edit(&mut record);
        cases.push(record);
    };
    case(&|record| record.subjects.push(fixture::entry("openssl@3.5.5")));
    case(&|record| record.calibration.as_mut().unwrap().epoch = "another".to_owned());
    case(&|record| record.trials.retain(|trial| trial.subject == BASE));
    case(&|record| record.trials.clear());
    case(&|record| {
        let twin = record.trials[0].clone();
        record.trials.push(twin);
    });
    case(&|record| record.trials[5].subject = "nobody".to_owned());
    case(&|record| {
        let TrialOutcome::Measured(measured) = &mut record.trials[5].outcome else { panic!() };
        measured.sides[0].samples[0].nanoseconds = 0;
    });
    case(&|record| {
        let TrialOutcome::Measured(measured) = &mut record.trials[5].outcome else { panic!() };
        measured.sides[0].latency = Some(shakedown_protocol::Latency {
            count: 1,
            p50: 0,
            p90: 1,
            p99: 1,
            p999: 1,
            max: 1,
            histogram: String::new(),
        });
    });
    // As `run` measures: each subject once.
    case(&|record| {
        let mut seen = std::collections::BTreeSet::new();
        record.trials.retain(|trial| seen.insert((trial.subject.clone(), trial.block)));
    });
    for head in [true, false] {
        case(&|record| {
            for trial in record.trials.iter_mut().filter(|t| (t.subject == HEAD) == head) {
                let reason = LostReason::Killed { signal: 11 };
                trial.outcome = TrialOutcome::Lost { reason, stderr: String::new() };
            }
        });
    }
    let told: Vec<String> =
        cases.iter().map(|record| judge(record, &shipped()).unwrap_err().to_string()).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn huge_and_tiny_values_are_judged_without_panic() {
    let id = fixture::memory(2);
    let mut record = empty(&[FULL, &id]);
    for block in (0..24).map(|pair| pair / 2) {
        fixture::rate(&mut record, block, BASE, FULL, [1e-9, 1e15]);
        fixture::rate(&mut record, block, HEAD, FULL, [1e15, 1e-9]);
        fixture::peak(&mut record, block, BASE, &id, 0);
        fixture::peak(&mut record, block, HEAD, &id, u64::MAX);
    }
    let judgement = judge(&record, &shipped()).unwrap();
    assert!(serde_json::to_string(&judgement).unwrap().len() > 100);
    record.finish = Some(RunCompletion { at_ms: 0, planned: u64::MAX });
    judge(&record, &shipped()).unwrap();
}

proptest::proptest! {
    /// Whatever trials are missing, judging ends with an error or a verdict, and a finished
    /// run leaves nothing open.
    #[test]
    fn records_with_holes_never_panic(keep in proptest::collection::vec(proptest::bool::ANY, 80)) {
        let mut record = empty(&[FULL]);
        blocks(&mut record, FULL, 4, [0.97, 1.0]);
        let mut keep = keep.into_iter();
        record.trials.retain(|_| keep.next().unwrap_or(true));
        if let Ok(judgement) = judge(&record, &shipped()) {
            proptest::prop_assert!(judgement.open().is_empty());
        }
    }
}

#[test]
fn a_comparison_is_told_from_a_run_by_its_counts_too() {
    let mut record = empty(&[FULL]);
    blocks(&mut record, FULL, 1, [1.0, 1.0]);
    record.trials.iter_mut().for_each(|trial| trial.meter = Meter::Instructions);
    assert!(record.is_paired());
    // As `run` measures: each meter once.
    let mut seen = std::collections::BTreeSet::new();
    record.trials.retain(|trial| seen.insert(trial.subject.clone()));
    for at in 0..record.trials.len() {
        let timed = record.trials[at].clone();
        record.trials.push(shakedown_protocol::Trial { meter: Meter::Time, ..timed });
    }
    assert!(!record.is_paired());
}
