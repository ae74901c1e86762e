use super::*;
use crate::{observe, testing::TestMachine};
use proptest::prelude::*;
use serde_json::json;
use shakedown_protocol::{
    Aslr, Calibration, HostWatch, Measurement, Meter, Metric, MetricNoise, Negotiated, RunPlan,
    Sample, Scenario, SideResult, Trial, TrialOutcome, WireTraffic,
};
use std::os::unix::fs::symlink;

fn scenario() -> Scenario {
    "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256".parse().unwrap()
}

/// A trial in which the server made 1000 handshakes in so many microseconds.
fn trial(block: u32, us: u64, flaws: Vec<Flaw>) -> Trial {
    let negotiated: Negotiated = serde_json::from_value(json!({
        "version": "tls1.3", "suite": "aes256-gcm", "suite_name": "TLS_AES_256_GCM_SHA384",
        "group": "x25519", "key": "ecdsa-p256", "signature": "ecdsa_secp256r1_sha256", "resumed": false,
    }))
    .unwrap();
    let sample = Sample { operations: 1000, nanoseconds: us * 1000, bytes: 0, thread: 0 };
    let server =
        SideResult { side: Side::Server, samples: vec![sample], latency: None, counts: None };
    let measured = Measurement {
        scenario: scenario(),
        negotiated: Some(negotiated),
        wire: Some(WireTraffic::default()),
        checked: 1000,
        sides: vec![server],
        memory: None,
    };
    Trial {
        block,
        position: 0,
        subject: "a".to_owned(),
        scenario: scenario(),
        meter: Meter::Time,
        link: 0,
        cpu: Some(3),
        started_ms: 1,
        watch: HostWatch::default(),
        flaws,
        outcome: TrialOutcome::Measured(measured),
    }
}

fn record(trials: Vec<Trial>) -> RunRecord {
    RunRecord {
        schema: shakedown_protocol::SCHEMA_VERSION,
        id: "20260101T000000Z-1".to_owned(),
        shakedown: "0.1.0".to_owned(),
        started_ms: 1_700_000_000_000,
        host: observe(&TestMachine::new("intel").root).unwrap(),
        plan: RunPlan {
            suite: "pr".to_owned(),
            suite_file: None,
            paired: None,
            only: Vec::new(),
            budget: None,
            counts: None,
            scenarios: vec![scenario()],
            meters: vec![Meter::Time],
            only_meters: Vec::new(),
            blocks: 3,
            seed: 1,
            aslr: Aslr::On,
            warm_up_ms: 1,
            measure_ms: 1,
            batch_ms: 1,
            operations: 1,
            tickets: 2,
            timeout_ms: 1,
            fallback: None,
            left_out: Vec::new(),
            not_built: Vec::new(),
            backfill: None,
        },
        subjects: vec![],
        unsupported: vec![],
        trials,
        calibration: None,
        finish: None,
    }
}

#[test]
fn a_run_tells_its_spread_its_flaws_and_the_noise_it_was_judged_by() {
    let mut record = record(vec![
        trial(0, 100, vec![]),
        trial(1, 100, vec![Flaw::Stolen]),
        trial(2, 100, vec![]),
    ]);
    let steady = RunHealth::of(&record);
    assert_eq!((steady.trials, steady.spread, steady.noise), (3, Some(0.0), None));
    assert!((steady.flawed["stolen"] - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(steady.at_ms, 1_700_000_000_000, "it was killed");
    // Rates of 10, 10 and 5 handshakes a microsecond: mean 25/3, deviation 5/sqrt(3).
    record.trials[2] = trial(2, 200, vec![]);
    let one = |sigma_ppm, metric| MetricNoise {
        scenario: scenario(),
        side: Side::Server,
        metric,
        blocks: 9,
        sigma_ppm,
        pair_ppm: None,
    };
    record.calibration = Some(Calibration {
        epoch: "e".to_owned(),
        runs: vec![],
        noise: vec![one(3000, Metric::Handshakes), one(9_000_000, Metric::LatencyP99)],
    });
    let noisy = RunHealth::of(&record);
    assert!((noisy.spread.unwrap() - 0.346_410).abs() < 1e-6, "{noisy:?}");
    assert_eq!(noisy.noise, Some(0.003));
    record.trials.pop();
    assert_eq!(RunHealth::of(&record).spread, None, "two trials tell no spread");
}

#[test]
fn a_trend_compares_the_last_third_with_the_others() {
    let run = |spread| RunHealth { spread: Some(spread), ..RunHealth::default() };
    let runs: Vec<RunHealth> = [1.0, 1.2, 0.8, 1.0, 2.0, 4.0].map(run).into();
    assert_eq!(trend(&runs), Some(3.0));
    assert_eq!(trend(&runs[1..]), None);
    assert_eq!(trend(&vec![run(0.0); 18]), None, "nothing to compare with");
}

#[test]
fn records_of_a_job_are_kept_as_numbers_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let (work, health) = (folder.path().join("work"), folder.path().join("health"));
    fs::create_dir_all(work.join("a/b/run")).unwrap();
    fs::create_dir_all(&health).unwrap();
    assert_eq!(keep(&health, &work).unwrap(), 0);
    assert!(runs(&health).is_empty());
    let text = serde_json::to_string(&record(vec![])).unwrap();
    fs::write(work.join("a/b/run/record.json"), &text).unwrap();
    fs::write(folder.path().join("elsewhere"), &text).unwrap();
    symlink(folder.path().join("elsewhere"), work.join("a/record.json")).unwrap();
    fs::write(work.join("record.json"), "{\"schema\": 1").unwrap();
    assert_eq!(keep(&health, &work).unwrap(), 1, "no link and no half record");
    for _ in 0..40 {
        keep(&health, &work).unwrap();
    }
    assert_eq!(runs(&health).len(), KEPT);
    assert!(keep(&folder.path().join("none"), &work).is_err());
    // The list is a job's to write: a link or a pipe in its place is no list.
    fs::remove_file(health.join(FILE)).unwrap();
    symlink(folder.path().join("elsewhere"), health.join(FILE)).unwrap();
    assert!(runs(&health).is_empty());
}

proptest! {
    #[test]
    fn whatever_stands_in_the_list_is_read_as_runs_or_as_nothing(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), bytes).unwrap();
        let _ = trend(&runs(folder.path()));
    }
}
