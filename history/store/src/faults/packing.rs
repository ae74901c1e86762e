//! Packing months.

use super::fresh;
use crate::{
    Document, RunName, Store,
    testing::{NOW, record, text},
};
use proptest::prelude::*;
use shakedown_protocol::{RunRecord, Sample, TrialOutcome};
use std::collections::BTreeMap;

#[test]
fn packing_loses_nothing() {
    let (_folder, store) = fresh();
    for night in 0..40 {
        store.add(&text(night, "e1", 1000.0 + night as f64), NOW).unwrap();
    }
    let names = store.names().unwrap();
    let before: Vec<String> = names.iter().map(|name| store.read(name).unwrap()).collect();
    let packed = store.compact("2100-01").unwrap();
    assert_eq!(packed.runs, 40);
    assert!(packed.after * 3 < packed.before, "{packed:?}");
    assert_eq!(store.names().unwrap(), names);
    let after: Vec<String> = names.iter().map(|name| store.read(name).unwrap()).collect();
    assert_eq!(before, after);
    assert_eq!(store.verify(false).unwrap().whole, 40);
    assert!(!store.add(&text(3, "e1", 1003.0), NOW).unwrap().new, "a packed run is there");
    // A late run is packed into its month.
    store.add(&text(3, "e2", 1.0), NOW).unwrap();
    assert_eq!(store.compact("2100-01").unwrap().months, 1);
    assert_eq!(store.compact("2100-01").unwrap().months, 0);
    assert_eq!(store.verify(false).unwrap().whole, 41);
}

/// What is done to a history, in any order.
#[derive(Debug, Clone)]
enum FaultStep {
    /// A run comes in: its night, its host's epoch, and its raw samples.
    Add(u64, &'static str, Vec<u64>),
    /// The months before this one are packed.
    Pack(&'static str),
}

fn step() -> impl Strategy<Value = FaultStep> {
    let samples = proptest::collection::vec(1u64..u64::MAX / 2, 1..6);
    let epoch = prop_oneof![Just("e1"), Just("e2")];
    let before = prop_oneof![Just("2026-12"), Just("2027-01"), Just("2027-02"), Just("2100-01")];
    prop_oneof![
        4 => (0u64..110, epoch, samples).prop_map(|(night, epoch, samples)| FaultStep::Add(night, epoch, samples)),
        1 => before.prop_map(FaultStep::Pack),
    ]
}

fn run(night: u64, epoch: &str, samples: &[u64]) -> RunRecord {
    let mut run = record(night, epoch, &[("rustls@git:HEAD", [1000.0, 500.0])]);
    let TrialOutcome::Measured(measured) = &mut run.trials[0].outcome else { unreachable!() };
    let sample = |&nanoseconds| Sample { operations: 7, nanoseconds, bytes: 0, thread: 0 };
    measured.sides[0].samples = samples.iter().map(sample).collect();
    run
}

fn everything_is_there(store: &Store, wanted: &BTreeMap<RunName, RunRecord>) {
    let found = store.verify(false).unwrap();
    assert_eq!((found.whole, found.problems), (wanted.len(), vec![]));
    for (name, run) in wanted {
        assert_eq!(store.document(name).unwrap(), Document::Run(Box::new(run.clone())));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is packed when, every raw sample of every run is still there.
    #[test]
    fn packing_at_any_time_loses_no_raw_sample(steps in proptest::collection::vec(step(), 1..16)) {
        let (_folder, store) = fresh();
        let mut wanted = BTreeMap::new();
        for step in steps {
            match step {
                FaultStep::Add(night, epoch, samples) => {
                    let run = run(night, epoch, &samples);
                    let text = serde_json::to_string(&run).unwrap();
                    wanted.insert(store.add(&text, NOW).unwrap().name, run);
                }
                FaultStep::Pack(before) => {
                    store.compact(before).unwrap();
                    everything_is_there(&store, &wanted);
                }
            }
        }
        store.compact("2100-01").unwrap();
        everything_is_there(&store, &wanted);
    }
}
