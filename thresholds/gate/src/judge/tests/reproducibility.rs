//! The same record gives the same judgement, today and after a file.

use super::*;

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

/// Workflows judge once and read the file after that.
#[test]
fn a_judgement_survives_its_json() {
    let mut record = empty(&[FULL, BULK, TICKET]);
    record.plan.meters = vec![Meter::Time, Meter::Heap];
    blocks(&mut record, FULL, 4, [1.013, 0.97]);
    blocks(&mut record, BULK, 1, [1.0, 0.9]);
    for block in 0..8 {
        fixture::count(&mut record, block, BASE, FULL, Meter::Heap, [60, 70]);
        fixture::count(&mut record, block, HEAD, FULL, Meter::Heap, [60, 71]);
    }
    record.trials[3].flaws = vec![Flaw::Throttled];
    record.trials.truncate(record.trials.len() - 1);
    let lost = fixture::trial(&record, 9, HEAD, FULL);
    record.trials.push(lost);
    let judgement = judge(&record, &shipped()).unwrap();
    let text = serde_json::to_string(&judgement).unwrap();
    let read: Judgement = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    assert_eq!((read.verdict, read.consequence), (judgement.verdict, judgement.consequence));
}
