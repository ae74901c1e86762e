use super::*;
use crate::fixture::{self, BULK, FULL, TICKET};
use shakedown_protocol::{DriverRefusal, Flaw, Meter, Metric, Side, TrialOutcome, Unsupported};

const A: &str = "openssl@3.5.5";
const B: &str = "rustls@0.23.46";

/// Two subjects, six blocks; B is faster in handshakes by a tenth.
fn two() -> RunRecord {
    let mut record = fixture::record(&[A, B], &[FULL, BULK]);
    for block in 0..6 {
        let drift = 1.0 + f64::from(block) * 0.01;
        fixture::rate(&mut record, block, A, FULL, [1000.0 * drift, 5000.0 * drift]);
        fixture::rate(&mut record, block, B, FULL, [1100.0 * drift, 4000.0 * drift]);
        fixture::rate(&mut record, block, A, BULK, [2000.0, 2000.0]);
        fixture::rate(&mut record, block, B, BULK, [2000.0, 2020.0 - f64::from(block) * 10.0]);
    }
    record.validate().unwrap();
    record
}

fn row<'a>(summary: &'a Summary, subject: &str, id: &str, side: Side) -> &'a Row {
    let found = summary
        .rows
        .iter()
        .find(|r| r.subject == subject && r.scenario.to_string() == id && r.side == side);
    found.unwrap_or_else(|| panic!("no row {subject} {id} {side}"))
}

fn factor<'a>(summary: &'a Summary, id: &str, side: Side) -> &'a Factor {
    summary.factors.iter().find(|f| f.scenario.to_string() == id && f.side == side).unwrap()
}

#[test]
fn every_subject_has_a_row_for_every_key_in_the_order_of_the_plan() {
    let summary = summarize(&two());
    let order: Vec<String> = summary
        .rows
        .iter()
        .map(|r| format!("{} {} {}", r.scenario.family(), r.side, r.subject))
        .collect();
    insta::assert_snapshot!(order.join("\n"));
}

#[test]
fn pairing_takes_out_what_moved_both() {
    let summary = summarize(&two());
    let client = factor(&summary, FULL, Side::Client);
    assert!((client.factor.unwrap() - 1.1).abs() < 1e-6, "{client:?}");
    assert_eq!(client.direction, Some(EffectDirection::Better));
    assert_eq!(client.n, 6);
    let spread = row(&summary, A, FULL, Side::Client);
    assert!(spread.high.unwrap() / spread.low.unwrap() > 1.04, "the rows keep the drift");
    assert!(client.high.unwrap() / client.low.unwrap() < 1.0001, "the factor does not");
    assert_eq!(factor(&summary, FULL, Side::Server).direction, Some(EffectDirection::Worse));
    assert_eq!(factor(&summary, BULK, Side::Send).direction, Some(EffectDirection::Same));
    assert_eq!(factor(&summary, BULK, Side::Receive).direction, Some(EffectDirection::Unclear));
}

#[test]
fn costs_turn_the_factor_round() {
    let mut record = fixture::record(&[A, B], &[FULL]);
    record.plan.meters = vec![Meter::Heap];
    for block in 0..6 {
        fixture::count(&mut record, block, A, FULL, Meter::Heap, [100, 200]);
        fixture::count(&mut record, block, B, FULL, Meter::Heap, [50, 0]);
    }
    let summary = summarize(&record);
    let find = |side| {
        summary.factors.iter().find(|f| f.metric == Metric::Allocations && f.side == side).unwrap()
    };
    assert_eq!(find(Side::Client).factor, Some(2.0), "half the allocations: twice as good");
    let zero = find(Side::Server);
    assert_eq!(zero.factor, None, "no ratio to zero");
    assert_eq!(zero.warnings, [Warning::ZeroValues { blocks: 6 }]);
}

#[test]
fn nothing_is_silently_missing() {
    let mut record = fixture::record(&[A, B], &[FULL, TICKET, BULK, &fixture::memory(100)]);
    record.plan.meters = vec![Meter::Time, Meter::Instructions];
    fixture::rate(&mut record, 0, A, FULL, [1000.0, 5000.0]);
    let lost = fixture::trial(&record, 0, B, FULL);
    record.trials.push(lost);
    let mut broken = fixture::trial(&record, 0, B, TICKET);
    broken.outcome =
        TrialOutcome::Refused(DriverRefusal::Broken("resumed: wanted true".to_owned()));
    record.trials.push(broken);
    fixture::rate(&mut record, 1, A, TICKET, [100.0, 100.0]);
    let lost = fixture::trial(&record, 2, A, TICKET);
    record.trials.push(lost);
    record.unsupported.push(Unsupported {
        subject: B.to_owned(),
        scenario: BULK.parse().unwrap(),
        meter: None,
        reason: "no such suite".to_owned(),
    });
    let summary = summarize(&record);
    let told: Vec<String> = summary
        .rows
        .iter()
        .map(|r| {
            let what = format!("{} {} {} {}", r.subject, r.scenario.family(), r.side, r.metric);
            format!(
                "{what}: {:?} {:?} | {} {}",
                r.state,
                r.median.map(f64::round),
                serde_json::to_string(&r.absence).unwrap(),
                serde_json::to_string(&r.warnings).unwrap()
            )
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn flawed_trials_count_and_are_told() {
    let mut record = two();
    for trial in record.trials.iter_mut().filter(|t| t.subject == A).take(3) {
        trial.flaws = vec![Flaw::Preempted];
    }
    record.trials[0].flaws = vec![Flaw::Preempted, Flaw::Stolen];
    let clean = summarize(&two());
    let summary = summarize(&record);
    let found = row(&summary, A, FULL, Side::Client);
    assert_eq!(found.median, row(&clean, A, FULL, Side::Client).median);
    assert_eq!((found.n, found.flawed), (6, 2));
    let flaws = [(Flaw::Stolen, 1), (Flaw::Preempted, 2)].into();
    assert_eq!(found.warnings, [Warning::Disturbed { disturbed: 2, trials: 6, flaws }]);
}

#[test]
fn few_trials_are_told_with_their_coverage() {
    let mut record = two();
    record.trials.retain(|trial| trial.block < 3);
    let summary = summarize(&record);
    let found = row(&summary, A, FULL, Side::Client);
    assert_eq!(found.coverage, Some(0.75));
    assert_eq!(found.warnings, [Warning::LowCoverage { n: 3, coverage: 0.75 }]);
    assert_eq!(factor(&summary, FULL, Side::Client).direction, Some(EffectDirection::Unclear));
}

#[test]
fn memory_is_a_slope_over_sessions() {
    let (small, large) = (fixture::memory(100), fixture::memory(1000));
    let mut record = fixture::record(&[A, B], &[&small, &large]);
    for block in 0..3 {
        fixture::peak(&mut record, block, A, &small, 2000 + 100 * 20);
        fixture::peak(&mut record, block, A, &large, 2000 + 1000 * 20);
    }
    fixture::peak(&mut record, 0, B, &small, 5000);
    let summary = summarize(&record);
    let [a, b] = summary.memory.as_slice() else { panic!("{:?}", summary.memory) };
    assert_eq!(a.family, "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256");
    assert!((a.bytes_per_session.unwrap() - 20.0 * 1024.0).abs() < 1e-6);
    assert!((a.base_bytes.unwrap() - 2000.0 * 1024.0).abs() < 1e-3);
    assert_eq!((a.n, a.sessions.as_slice()), (3, &[100, 1000][..]));
    assert_eq!(b.bytes_per_session, None);
    assert_eq!(b.warnings, [Warning::NoSlope]);
    // A trial's own value charges the sessions with what the process needs anyway.
    let own = summary
        .rows
        .iter()
        .find(|r| r.subject == A && r.metric == Metric::SessionMemory)
        .and_then(|r| r.median);
    assert!(own.unwrap() > a.bytes_per_session.unwrap());
}

#[test]
fn a_run_tells_what_is_wrong_with_it() {
    let mut record = two();
    assert_eq!(summarize(&record).warnings, []);
    record.host.fit = false;
    record.host.virtualization = "kvm".to_owned();
    record.finish = None;
    insta::assert_json_snapshot!(summarize(&record).warnings);
}

#[test]
fn the_json_of_a_row_stays() {
    let summary = summarize(&two());
    insta::assert_json_snapshot!((&summary.rows[0], &summary.factors[0], &summary.wire[0]));
}

#[test]
fn huge_values_do_not_panic() {
    let id = fixture::memory(2);
    let mut record = fixture::record(&[A], &[&id, FULL]);
    fixture::peak(&mut record, 0, A, &id, u64::MAX);
    fixture::rate(&mut record, 0, A, FULL, [1e-9, 1e9]);
    assert_eq!(summarize(&record).rows.len(), 4);
}

#[test]
fn rates_under_a_counting_meter_are_not_rates() {
    let mut record = fixture::record(&[A], &[FULL]);
    record.plan.meters = vec![Meter::Time, Meter::Instructions];
    fixture::rate(&mut record, 0, A, FULL, [1000.0, 1000.0]);
    fixture::rate(&mut record, 1, A, FULL, [10.0, 10.0]);
    record.trials[1].meter = Meter::Instructions;
    assert_eq!(row(&summarize(&record), A, FULL, Side::Client).n, 1);
}

/// The history keeps what it once summed up. When this snapshot changes, increase [`VERSION`].
#[test]
fn other_numbers_need_another_version() {
    let values = |n: usize| (0..n).map(|i| ((i * 7919 + 13) % 101) as f64).collect::<Vec<_>>();
    let line = |n: usize| {
        let found = stats::median_interval(&values(n)).unwrap();
        format!("{n}: {} [{}, {}] {:.6}", found.median, found.low, found.high, found.coverage)
    };
    let lines: Vec<String> = [1, 2, 5, 6, 10, 40, 101].map(line).to_vec();
    insta::assert_snapshot!(format!("version {VERSION}\n{}", lines.join("\n")));
}
