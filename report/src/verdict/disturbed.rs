//! A comparison on a host so noisy that no time could be judged, for tests.

use shakedown_gate::{
    Comparison, Judgement, Policy, Reason, Verdict, VerdictCounts, rule::ChangeDirection,
};
use shakedown_protocol::{Flaw, Metric, RunRecord, fixture::comparison::comparison};

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
const BULK: &str = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB";

/// Not all times were disturbed by the same.
pub(crate) fn disturbed() -> (RunRecord, Judgement) {
    let record = comparison(&[(FULL, [1.0, 0.9]), (BULK, [1.0, 0.9])]);
    let policy = Policy::shipped().unwrap();
    let mut judgement = shakedown_gate::judge(&record, &policy).unwrap();
    for found in judgement.comparisons.iter_mut().filter(|found| !found.metric.is_count()) {
        let other = if found.scenario.to_string() == FULL { Flaw::Stolen } else { Flaw::Waited };
        found.verdict = Verdict::Inconclusive;
        found.reason = Reason::NoBlocks;
        let flaws = [Flaw::Preempted, other];
        let host = serde_json::json!({ "disturbed": 4, "blocks": 4, "flaws": flaws });
        found.disturbance = serde_json::from_value(host).unwrap();
        (found.change, found.low, found.high) = (None, None, None);
        found.minimum_detectable_effect = None;
    }
    judgement.comparisons.push(counted(&judgement.comparisons[0]));
    judgement.counts = VerdictCounts { regressed: 1, inconclusive: 4, ..Default::default() };
    (record, judgement)
}

/// Instructions that were really seen once.
fn counted(time: &Comparison) -> Comparison {
    let mut found = Comparison {
        metric: Metric::Instructions,
        unit: Metric::Instructions.unit(),
        better: Metric::Instructions.better(),
        verdict: Verdict::Regressed,
        reason: Reason::CountChanged {
            change: ChangeDirection::Worse,
            margin: 0.002,
            allowance: 0.0,
            exact: false,
            runs: 8,
        },
        disturbance: None,
        base: Some(7_456_110.2),
        head: Some(7_488_614.5),
        change: Some(0.004_36),
        low: Some(0.004_3),
        high: Some(0.004_51),
        ..time.clone()
    };
    (found.settings.margin, found.settings.non_inferiority_margin) = (0.002, 0.01);
    found
}
