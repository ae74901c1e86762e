//! Base against head in one metric of one scenario side.

use super::{
    consequence::{Consequence, acceptance, consequence},
    input::Input,
    pairs::{Units, units},
};
use crate::{
    policy::{Accepted, Settings},
    rule::{CountDecision, CountRule, Verdict, WallDecision, WallRule},
};
use serde::Serialize;
use shakedown_protocol::{
    Better, CertificateKey, DriverRefusal, Metric, Scenario, Side, TrialOutcome, Unit,
};
use shakedown_summary::{State, losses, why};
use shakedown_summary::{
    series::{Key, Point},
    stats::median,
};
use std::collections::BTreeSet;

/// The numbers behind a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Detail {
    /// Of the wall clock rule.
    Wall(WallDecision),
    /// Of the rule for counts.
    Counts(CountDecision),
    /// There are no numbers.
    Nothing,
}

/// Base against head in one metric of one scenario side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The scenario.
    pub scenario: Scenario,
    /// The side.
    pub side: Side,
    /// The metric.
    pub metric: Metric,
    /// Unit of `base` and `head`.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether further trials could decide it; never once the run has finished.
    pub open: bool,
    /// What follows.
    pub consequence: Consequence,
    /// Why, in words.
    pub reason: String,
    /// Median over the trials of base.
    pub base: Option<f64>,
    /// Median over the trials of head.
    pub head: Option<f64>,
    /// Trials of base.
    pub base_trials: usize,
    /// Trials of head.
    pub head_trials: usize,
    /// Head over base, minus 1, as the rule sees it: by pairs for times, by medians for counts.
    pub change: Option<f64>,
    /// Lower end of the interval of `change`: 95 % for times; for counts the least that the
    /// runs allow.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Smallest change for the worse that would have been called, as a share.
    pub smallest: Option<f64>,
    /// The policy's settings for it.
    pub settings: Settings,
    /// The acceptance that keeps a regression from failing.
    pub accepted: Option<Accepted>,
    /// Every number between the trials and the verdict.
    pub detail: Detail,
    /// What a reader must know, in words.
    pub warnings: Vec<String>,
}

/// Every comparison, in the plan's order.
pub(super) fn all(input: &Input<'_>) -> Vec<Comparison> {
    input.keys().into_iter().filter_map(|key| one(input, key)).collect()
}

/// The values of a subject.
pub(crate) fn points<'i>(input: &'i Input<'_>, name: &'i str, key: Key) -> &'i [Point] {
    input.series.get(&(name, key)).map_or(&[], Vec::as_slice)
}

fn one(input: &Input<'_>, key: Key) -> Option<Comparison> {
    let base = points(input, &input.base.name, key);
    let head = points(input, &input.head.name, key);
    let values = |points: &[Point]| points.iter().map(|point| point.value).collect::<Vec<f64>>();
    let stack = &input.head.asked.stack;
    let mut found = Comparison {
        scenario: key.scenario,
        side: key.side,
        metric: key.metric,
        unit: key.metric.unit(),
        better: key.metric.better(),
        verdict: Verdict::Inconclusive,
        open: false,
        consequence: Consequence::None,
        reason: String::new(),
        base: median(&values(base)),
        head: median(&values(head)),
        base_trials: base.len(),
        head_trials: head.len(),
        change: None,
        low: None,
        high: None,
        smallest: None,
        settings: input.policy.settings(&key.scenario, key.side, key.metric, stack),
        accepted: None,
        detail: Detail::Nothing,
        warnings: Vec::new(),
    };
    if broken(input, &key, &mut found) {
        // Told already.
    } else if base.is_empty() || head.is_empty() {
        absent(input, key, &mut found)?;
    } else if key.metric.is_count() {
        count(input, key, &values(base), &values(head), &mut found);
    } else {
        wall(input, key, base, head, &mut found);
    }
    found.accepted = acceptance(input, key, &mut found);
    found.consequence = consequence(&found);
    for entry in [input.base, input.head] {
        let n = points(input, &entry.name, key).len();
        let lost = losses(input.record, &entry.name, &key, n);
        found.warnings.extend(lost.map(|text| format!("{}: {text}", entry.name)));
    }
    Some(found)
}

/// Head negotiated something else, or crashes where base does not.
fn broken(input: &Input<'_>, key: &Key, found: &mut Comparison) -> bool {
    let meter = shakedown_summary::series::meter(key.metric);
    let failures = |name: &str| {
        let trials = input.record.trials.iter().filter(move |trial| {
            trial.subject == name && trial.scenario == key.scenario && trial.meter == meter
        });
        let (mut all, mut wrong, mut lost, mut first) = (0, 0, 0, None);
        for trial in trials {
            all += 1;
            match &trial.outcome {
                TrialOutcome::Measured(_)
                | TrialOutcome::Refused(DriverRefusal::Unsupported(_)) => continue,
                TrialOutcome::Refused(DriverRefusal::Broken(reason)) => {
                    wrong += 1;
                    first.get_or_insert(reason.clone());
                }
                TrialOutcome::Refused(DriverRefusal::Failed(reason))
                | TrialOutcome::Lost { reason, .. } => {
                    lost += 1;
                    first.get_or_insert(reason.clone());
                }
            }
        }
        (all, wrong, lost, first.unwrap_or_default())
    };
    let (all, wrong, lost, reason) = failures(&input.head.name);
    let (_, base_wrong, base_lost, _) = failures(&input.base.name);
    // One crash may be the host's (memory ran out); a second one beside a sound base is not.
    let crashes = lost >= 2 && base_lost == 0;
    if wrong == 0 && !crashes {
        return false;
    }
    if base_wrong > 0 {
        found.reason = format!("base is broken as well: {reason}");
        return true;
    }
    found.verdict = Verdict::Broken;
    found.reason = match wrong {
        0 => format!("head fails in {lost} of {all} trials, base in none: {reason}"),
        _ => format!("head negotiates something else: {reason}"),
    };
    true
}

/// One side or both have no value. `None` where there is nothing to say.
fn absent(input: &Input<'_>, key: Key, found: &mut Comparison) -> Option<()> {
    let why = |name: &str| why(input.record, name, &key);
    let (base_state, base_reason) = why(&input.base.name);
    let (head_state, head_reason) = why(&input.head.name);
    let waits = |state| state == State::Missing && !input.finished();
    let (has_base, has_head) = (found.base_trials > 0, found.head_trials > 0);
    if (!has_base && waits(base_state)) || (!has_head && waits(head_state)) {
        found.open = true;
        found.reason = "not measured yet".to_owned();
        return Some(());
    }
    match (has_base, has_head) {
        (true, _) if head_state == State::Lost => {
            found.verdict = Verdict::Broken;
            found.reason = format!("head: {head_reason}");
        }
        (true, _) => {
            found.verdict = Verdict::Missing;
            found.reason = format!("base has it, head does not: {head_reason}");
        }
        (false, true) => {
            found.verdict = Verdict::Pass;
            found.reason = format!("new: base has no value ({base_reason})");
        }
        (false, false) => {
            // Neither library can do it: no finding, and the summary tells.
            if base_state == State::Unsupported && head_state == State::Unsupported {
                return None;
            }
            found.reason = format!("neither side has a value: {head_reason}");
        }
    }
    Some(())
}

fn count(input: &Input<'_>, key: Key, base: &[f64], head: &[f64], found: &mut Comparison) {
    let rule = count_rule(input, &key, &found.settings, found.settings.margin);
    let decision = rule.decide(base, head, input.finished());
    found.verdict = decision.verdict;
    found.open = decision.open;
    found.reason.clone_from(&decision.reason);
    (found.change, found.low, found.high) = (decision.change, decision.low, decision.high);
    found.smallest = decision.smallest;
    found.detail = Detail::Counts(decision);
}

pub(super) fn count_rule(
    input: &Input<'_>,
    key: &Key,
    settings: &Settings,
    margin: f64,
) -> CountRule {
    CountRule {
        margin,
        slack: slack(key),
        bound: settings.bound.max(margin),
        runs: input.policy.budget.count_runs,
    }
}

/// What chance alone may add: an ECDSA signature is a DER pair of numbers whose leading zeros
/// are left out, so that its length varies by a few bytes from one handshake to the next. A
/// change of the code that moves the randomness moves the length.
fn slack(key: &Key) -> f64 {
    const DER: f64 = 4.0;
    // Blinding, signatures and retries allocate at one time or another, averaged over the
    // operations: less than half an allocation in each is no change of the code.
    const HALF: f64 = 0.5;
    let ecdsa = matches!(key.scenario.key, CertificateKey::EcdsaP256 | CertificateKey::EcdsaP384);
    let signs = match key.side {
        Side::Server | Side::Send => true,
        Side::Client | Side::Receive => key.scenario.client_auth,
        Side::Both => false,
    };
    match key.metric {
        Metric::WireBytes if ecdsa && signs && !key.scenario.resumes() => DER,
        Metric::Allocations => HALF,
        _ => 0.0,
    }
}

fn wall(input: &Input<'_>, key: Key, base: &[Point], head: &[Point], found: &mut Comparison) {
    let units = units(input.record, &key, base, head, input.policy.budget.pairs);
    let decision = decide(input, key, &units, &found.settings, found.settings.margin);
    tell(&units, found);
    found.verdict = decision.verdict;
    found.open = decision.open;
    found.reason.clone_from(&decision.reason);
    if units.disturbed() > 0 && decision.verdict == Verdict::Inconclusive {
        let flaws: BTreeSet<&str> =
            units.pairs().flat_map(|pair| &pair.flaws).map(|flaw| flaw.name()).collect();
        found.reason = format!(
            "noisy host: {} of {} blocks disturbed ({}); {}",
            units.disturbed(),
            units.units.len(),
            flaws.into_iter().collect::<Vec<_>>().join(", "),
            decision.reason
        );
    }
    // The rule counts up as worse; people read the change of the number.
    let higher = key.metric.better() == Better::Higher;
    let change =
        |log: Option<f64>| log.map(|log| if higher { (-log).exp_m1() } else { log.exp_m1() });
    let (low, high) = (change(decision.low), change(decision.high));
    found.change = change(decision.effect);
    (found.low, found.high) = if higher { (high, low) } else { (low, high) };
    found.smallest = decision.smallest;
    found.detail = Detail::Wall(decision);
}

pub(super) fn decide(
    input: &Input<'_>,
    key: Key,
    units: &Units,
    settings: &Settings,
    margin: f64,
) -> WallDecision {
    let blocks = input.policy.budget.blocks;
    let rule = WallRule {
        margin,
        bound: settings.bound.max(margin),
        blocks,
        false_alarms: input.policy.false_alarms,
        tests: input.tests,
    };
    let sigma = input.sigmas.get(key.scenario, key.side, key.metric);
    // Disturbed blocks are made up for, but not without end.
    let last = input.finished() || units.units.len() >= 2 * blocks as usize;
    rule.decide(sigma, &units.logs(), units.layouts(), last)
}

/// Warnings about the pairs.
fn tell(units: &Units, found: &mut Comparison) {
    let aside: usize = units.units.iter().map(|unit| unit.aside.len()).sum();
    if aside > 0 {
        let pairs = if aside == 1 { "pair" } else { "pairs" };
        found.warnings.push(format!("{aside} {pairs} disturbed by the host set aside"));
    }
    if units.unpaired > 0 {
        found.warnings.push(format!("{} trials have no partner in their block", units.unpaired));
    }
    if units.waiting > 0 {
        found.warnings.push(format!("{} pairs belong to no complete block", units.waiting));
    }
    if units.units.len() >= 2 && units.layouts() == 1 {
        found.warnings.push("one link only: luck of the layout is not averaged out".to_owned());
    }
}
