//! A comparison made by hand, as a stranger might hand it over.

use shakedown_protocol::{
    Outcome, RunRecord, Scenario, SubjectEntry, Trial,
    fixture::{self, Noisy},
};

/// Name of base.
pub const BASE: &str = "rustls@path:base+ring";
/// Name of head.
pub const HEAD: &str = "rustls@path:head+ring";

/// A finished comparison over these scenarios. Head has the factors on the rates of the two
/// sides; three blocks of ten pairs, 0.3 % noise, which the calibration knows.
///
/// # Panics
/// If a scenario's id is none.
pub fn comparison(scenarios: &[(&str, [f64; 2])]) -> RunRecord {
    let ids: Vec<Scenario> =
        scenarios.iter().map(|(id, _)| id.parse().expect("a scenario")).collect();
    let mut record = empty(&ids);
    for (scenario, (_, factors)) in ids.iter().zip(scenarios) {
        let mut noisy = Noisy(scenario.to_string().len() as u64);
        for block in 0..3 {
            for pair in 0..10 {
                let order = if pair % 2 == 0 { [BASE, HEAD] } else { [HEAD, BASE] };
                for (place, name) in order.into_iter().enumerate() {
                    let factors = if name == HEAD { *factors } else { [1.0, 1.0] };
                    let position = pair * 2 + place as u32;
                    let trial = trial(*scenario, name, [block, position], factors, &mut noisy);
                    record.trials.push(trial);
                }
            }
        }
    }
    record
}

fn trial(
    scenario: Scenario,
    subject: &str,
    [block, position]: [u32; 2],
    factors: [f64; 2],
    noisy: &mut Noisy,
) -> Trial {
    let rates = [2000.0, 5000.0].into_iter().zip(factors);
    let rates: Vec<f64> =
        rates.map(|(rate, factor)| rate * factor * (1.0 + 0.003 * noisy.draw())).collect();
    let sides = fixture::timed(&scenario, [rates[0], rates[1]]);
    let mut trial = fixture::trial(subject, scenario, [block, position]);
    trial.link = block;
    trial.outcome = Outcome::Measured(fixture::measured(scenario, sides));
    trial
}

fn entry(name: &str, digit: &str) -> SubjectEntry {
    let mut entry = fixture::entry(name, "path", Some(&digit.repeat(40)));
    entry.artifact.source.sha256 = digit.repeat(64);
    entry.artifact.links = ["a", "b", "c"].map(|link| link.repeat(64)).to_vec();
    entry.driver.library = "rustls 0.23.46".to_owned();
    entry
}

fn empty(scenarios: &[Scenario]) -> RunRecord {
    let subjects = vec![entry(BASE, "5"), entry(HEAD, "6")];
    let mut record = fixture::record("0123456789abcdef", subjects, scenarios);
    record.id = "20261121T070809Z-test".to_owned();
    record.host.name = "bench-1".to_owned();
    record.host.cpu.model = "Xeon E-2386G".to_owned();
    record.host.kernel = "6.1.0".to_owned();
    record.host.system = "Debian GNU/Linux 12".to_owned();
    record.plan.suite = "pr".to_owned();
    record.calibration = Some(fixture::calibration(&record.host.epoch.id, scenarios));
    record
}
