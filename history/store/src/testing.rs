//! Records and folders for tests.

use shakedown_protocol::{RunCompletion, RunRecord, Scenario, TrialOutcome, fixture};

pub const SCENARIO: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
pub const START: u64 = 1_795_000_000_000;
pub const NOW: u64 = START + 4000 * DAY;
pub const DAY: u64 = 86_400_000;

/// A record of one night: each subject's client and server rate in one scenario.
pub fn record(night: u64, epoch: &str, subjects: &[(&str, [f64; 2])]) -> RunRecord {
    let scenarios = [SCENARIO.parse().unwrap()];
    let names: Vec<&str> = subjects.iter().map(|(name, _)| *name).collect();
    record_of(night, epoch, &names, &scenarios, |subject, _| subjects[subject].1)
}

/// A record of one night: the rates of each subject in each scenario, both by index.
pub fn record_of(
    night: u64,
    epoch: &str,
    subjects: &[&str],
    scenarios: &[Scenario],
    rates: impl Fn(usize, usize) -> [f64; 2],
) -> RunRecord {
    let revision = format!("{night:040x}");
    let entries = subjects.iter().map(|name| fixture::entry(name, "git", Some(&revision)));
    let mut record = fixture::record(epoch, entries.collect(), scenarios);
    for (at, &scenario) in scenarios.iter().enumerate() {
        for (position, subject) in subjects.iter().enumerate() {
            let mut trial = fixture::trial(subject, scenario, [0, position as u32]);
            let sides = fixture::timed(&scenario, rates(position, at));
            trial.outcome = TrialOutcome::Measured(fixture::measured(scenario, sides));
            record.trials.push(trial);
        }
    }
    record.id = format!("night-{night}");
    record.started_ms = START + night * DAY;
    record.plan.suite = "nightly".to_owned();
    record.finish = Some(RunCompletion { at_ms: START + night * DAY + 1000, planned: 1 });
    record
}

/// The record of one night as text.
pub fn text(night: u64, epoch: &str, rate: f64) -> String {
    let subjects = [("rustls@git:HEAD", [rate, rate / 2.0]), ("openssl@3.5.5", [900.0, 800.0])];
    serde_json::to_string(&record(night, epoch, &subjects)).unwrap()
}
