//! The values of a record's trials, sorted by what they are values of.

use shakedown_protocol::{Flaw, Meter, Metric, RunRecord, Scenario, Side, Trial};
use std::collections::BTreeMap;

/// What a series of values is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Index of the scenario in the plan, so that series come in the plan's order.
    pub index: usize,
    /// The scenario.
    pub scenario: Scenario,
    /// The side.
    pub side: Side,
    /// The metric.
    pub metric: Metric,
}

/// What one trial says about one key.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Block of the trial.
    pub block: u32,
    /// Place within the block.
    pub position: u32,
    /// Link of the artifact that ran.
    pub link: u32,
    /// Value of the trial.
    pub value: f64,
    /// What the host did to the trial.
    pub flaws: Vec<Flaw>,
}

/// The series of every subject and key.
pub type Series<'a> = BTreeMap<(&'a str, Key), Vec<Observation>>;

/// Sorts the record's values into series; within a series by block and position.
pub fn series(record: &RunRecord) -> Series<'_> {
    let places = places(record);
    let mut found = Series::new();
    for trial in &record.trials {
        let Some(&index) = places.get(&trial.scenario) else { continue };
        for (side, metric, value) in values(trial) {
            let key = Key { index, scenario: trial.scenario, side, metric };
            found.entry((trial.subject.as_str(), key)).or_default().push(Observation {
                block: trial.block,
                position: trial.position,
                link: trial.link,
                value,
                flaws: trial.flaws.clone(),
            });
        }
    }
    for points in found.values_mut() {
        points.sort_by_key(|point| (point.block, point.position));
    }
    found
}

/// Where each scenario stands in the plan.
pub fn places(record: &RunRecord) -> BTreeMap<Scenario, usize> {
    record.plan.scenarios.iter().enumerate().map(|(index, scenario)| (*scenario, index)).collect()
}

/// The trial's values that can be believed: a counting meter slows the library down, so that
/// rates seen under it are left out.
pub fn values(trial: &Trial) -> Vec<(Side, Metric, f64)> {
    let mut values = trial.values();
    values.retain(|(_, metric, value)| value.is_finite() && trial.meter == meter(*metric));
    values
}

/// The instrument that yields a metric.
pub const fn meter(metric: Metric) -> Meter {
    match metric {
        Metric::Instructions => Meter::Instructions,
        Metric::Allocations
        | Metric::AllocatedBytes
        | Metric::PeakHeap
        | Metric::WireBytes
        | Metric::Records
        | Metric::Flights => Meter::Heap,
        Metric::LockOperations | Metric::LockWaits => Meter::Locks,
        Metric::Handshakes
        | Metric::Operations
        | Metric::Throughput
        | Metric::LatencyP50
        | Metric::LatencyP99
        | Metric::PeakMemory
        | Metric::SessionMemory => Meter::Time,
    }
}

/// Every metric that some meter can yield for a scenario.
pub fn possible(scenario: &Scenario) -> Vec<Metric> {
    let has = |metric: &Metric| match metric {
        Metric::PeakMemory | Metric::SessionMemory => scenario.is_memory(),
        _ if scenario.is_memory() => false,
        rate if rate.is_rate() => scenario.rate() == Some(*rate),
        _ if !scenario.repeats() => false,
        Metric::WireBytes | Metric::Records | Metric::Flights => scenario.tls().is_some(),
        // A primitive is shorter than a reading of the clock: only batches of it are timed.
        Metric::LatencyP50 | Metric::LatencyP99 => scenario.tls().is_some(),
        _ => true,
    };
    Metric::ALL.iter().copied().filter(has).collect()
}

/// The metrics that a meter yields at least, for a scenario: what a row is made for even
/// where nothing was measured.
pub fn expected(scenario: &Scenario, meter: Meter) -> Vec<Metric> {
    match meter {
        Meter::Time if scenario.is_memory() => vec![Metric::PeakMemory, Metric::SessionMemory],
        Meter::Time => scenario.rate().into_iter().collect(),
        _ if !scenario.repeats() => Vec::new(),
        Meter::Heap => vec![Metric::Allocations],
        Meter::Instructions => vec![Metric::Instructions],
        Meter::Locks => vec![Metric::LockOperations, Metric::LockWaits],
    }
}
