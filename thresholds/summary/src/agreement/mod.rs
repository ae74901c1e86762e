//! Do hosts of one hardware class agree? Each has measured the same two subjects; a host that is faster or
//! slower than the others of its class, or that sees another ratio of the two subjects, is an outlier.
//!
//! Of each host, a block's level is the median over all series of the logarithm of its rates, less what
//! the class reached in that series: noise of single series goes, and what moves a whole host stays. The
//! level of the host is the mean over its blocks. It is compared with the median of the levels of the
//! others, with an interval from the blocks of all of them (Student's t, Bonferroni over hosts and
//! quantities). An interval that lies beyond the margin on one side makes an outlier; those
//! that are furthest out are found first, and are no reference for the others then. The interval covers what
//! moves within a run; what moves between two runs of one host is for the margin.

mod interval;
mod levels;

use interval::{Level, factors};
use levels::{BlockLevels, levels};
use serde::Serialize;
use shakedown_protocol::RunRecord;
use std::collections::{BTreeMap, BTreeSet};

/// Blocks that a record needs.
const BLOCKS: usize = 5;

/// What hosts are compared in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgreementQuantity {
    /// The speed of the first subject.
    First,
    /// The speed of the second subject.
    Second,
    /// How many times as fast as the first subject the second one is.
    Ratio,
}

/// One host in one quantity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostFactor {
    /// The quantity.
    pub quantity: AgreementQuantity,
    /// How many times as much as the median of the other hosts that are no outliers. A speed above 1: this
    /// host is faster.
    pub factor: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Whether the interval lies beyond the margin.
    pub outlier: bool,
}

/// One host of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostAgreement {
    /// Name of the host.
    pub host: String,
    /// Its epoch.
    pub epoch: String,
    /// Blocks that count.
    pub blocks: usize,
    /// One for each quantity; none of a host without others of its class.
    pub factors: Vec<HostFactor>,
}

impl HostAgreement {
    /// Whether it is an outlier in any quantity.
    pub fn is_outlier(&self) -> bool {
        self.factors.iter().any(|factor| factor.outlier)
    }
}

/// The hosts with one processor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostClass {
    /// Model of the processor.
    pub cpu: String,
    /// Rates that all of them have measured: scenario and side.
    pub series: usize,
    /// Its hosts, by name.
    pub hosts: Vec<HostAgreement>,
}

/// What a cross-check found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetAgreement {
    /// The two subjects.
    pub subjects: [String; 2],
    /// Probability that all intervals of a class cover, if the blocks of a host are independent.
    pub coverage: f64,
    /// What a factor must exceed, as a share: 0.01 is 1 %.
    pub margin: f64,
    /// One for each model of processor: those are never compared with each other.
    pub classes: Vec<HostClass>,
}

impl FleetAgreement {
    /// The hosts that do not agree.
    pub fn outliers(&self) -> impl Iterator<Item = &HostAgreement> {
        self.classes.iter().flat_map(|class| &class.hosts).filter(|host| host.is_outlier())
    }
}

/// Why records can't be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgreementError {
    /// There is no record.
    #[error("name the records of at least one host")]
    Nothing,
    /// A record does not have two subjects.
    #[error("the record of {0} has {1} subjects: a cross-check measures the same two on each host")]
    Subjects(String, usize),
    /// Records have other subjects, sources or plans.
    #[error("{0} and {1} measured different things: {2}")]
    Different(String, String, &'static str),
    /// Two records of one host.
    #[error("there are two records of {0}: give one for each host")]
    Twice(String),
    /// Too few blocks.
    #[error("{0} has {1} blocks with rates of both subjects: at least {BLOCKS} are needed")]
    Blocks(String, usize),
}

/// Compares the hosts of each class. `margin` is a share, `coverage` the probability that all intervals of a
/// class cover at once.
///
/// # Errors
/// Records that do not measure the same.
pub fn agreement(
    records: &[RunRecord],
    margin: f64,
    coverage: f64,
) -> Result<FleetAgreement, AgreementError> {
    let first = records.first().ok_or(AgreementError::Nothing)?;
    let mut names = BTreeSet::new();
    let mut classes: BTreeMap<&str, Vec<&RunRecord>> = BTreeMap::new();
    for record in records {
        comparable(first, record)?;
        if !names.insert(&record.host.name) {
            return Err(AgreementError::Twice(record.host.name.clone()));
        }
        classes.entry(&record.host.cpu.model).or_default().push(record);
    }
    let classes = classes.into_iter().map(|(cpu, mut hosts)| {
        hosts.sort_by(|a, b| a.host.name.cmp(&b.host.name));
        class(cpu, &hosts, margin, coverage)
    });
    Ok(FleetAgreement {
        subjects: [&first.subjects[0], &first.subjects[1]].map(|entry| entry.name.clone()),
        coverage,
        margin,
        classes: classes.collect::<Result<_, _>>()?,
    })
}

fn comparable(first: &RunRecord, other: &RunRecord) -> Result<(), AgreementError> {
    let host = |record: &RunRecord| record.host.name.clone();
    let different = |what| Err(AgreementError::Different(host(first), host(other), what));
    if other.subjects.len() != 2 {
        return Err(AgreementError::Subjects(host(other), other.subjects.len()));
    }
    for (one, two) in first.subjects.iter().zip(&other.subjects) {
        if one.name != two.name {
            return different("other subjects");
        }
        if one.artifact.source.sha256 != two.artifact.source.sha256 {
            return different("other sources of one subject");
        }
    }
    let plan = |record: &RunRecord| (record.plan.suite.clone(), record.plan.measure_ms);
    if plan(first) != plan(other) { different("another suite, or other times") } else { Ok(()) }
}

fn class(
    cpu: &str,
    hosts: &[&RunRecord],
    margin: f64,
    coverage: f64,
) -> Result<HostClass, AgreementError> {
    let (series, all) = levels(hosts);
    for (record, found) in hosts.iter().zip(&all) {
        let blocks = found.ratio.len();
        if blocks < BLOCKS {
            return Err(AgreementError::Blocks(record.host.name.clone(), blocks));
        }
    }
    let quantities =
        [AgreementQuantity::First, AgreementQuantity::Second, AgreementQuantity::Ratio];
    let tests = quantities.len() * hosts.len();
    let level = 1.0 - (1.0 - coverage) / tests as f64;
    let mut found: Vec<HostAgreement> = hosts
        .iter()
        .zip(&all)
        .map(|(record, levels)| HostAgreement {
            host: record.host.name.clone(),
            epoch: record.host.epoch.id.clone(),
            blocks: levels.ratio.len(),
            factors: Vec::new(),
        })
        .collect();
    for quantity in quantities {
        let each: Vec<Level> =
            all.iter().map(|levels| Level::of(blocks_of(levels, quantity))).collect();
        for (host, factor) in found.iter_mut().zip(factors(&each, level, margin)) {
            let Some(([low, factor, high], outlier)) = factor else { continue };
            host.factors.push(HostFactor { quantity, factor, low, high, outlier });
        }
    }
    Ok(HostClass { cpu: cpu.to_owned(), series, hosts: found })
}

fn blocks_of(levels: &BlockLevels, quantity: AgreementQuantity) -> &[f64] {
    match quantity {
        AgreementQuantity::First => &levels.first,
        AgreementQuantity::Second => &levels.second,
        AgreementQuantity::Ratio => &levels.ratio,
    }
}

#[cfg(test)]
mod tests;
