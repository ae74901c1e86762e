//! Compares base with head in each metric of each scenario side.

use super::{
    absent,
    accepted::{Acceptance, acceptance},
    comparison::{Comparison, ComparisonWarning, Detail, Disturbance},
    consequence::Consequence,
    input::Input,
};
use crate::{
    blocks::{Blocks, blocks},
    policy::Settings,
    rule::{CountRule, Reason, TimeDecision, TimeRule, Verdict},
};
use shakedown_protocol::{Better, CertificateKey, Metric, Side};
use shakedown_summary::{
    failed_trials,
    series::{Key, Observation},
    stats::median,
};

/// Every comparison, in the plan's order.
pub(super) fn all(input: &Input<'_>) -> Vec<Comparison> {
    input.keys().into_iter().filter_map(|key| one(input, key)).collect()
}

/// The values of a subject.
fn points<'i>(input: &'i Input<'_>, name: &'i str, key: Key) -> &'i [Observation] {
    input.series.get(&(name, key)).map_or(&[], Vec::as_slice)
}

fn one(input: &Input<'_>, key: Key) -> Option<Comparison> {
    let base = points(input, &input.base.name, key);
    let head = points(input, &input.head.name, key);
    let values =
        |points: &[Observation]| points.iter().map(|point| point.value).collect::<Vec<f64>>();
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
        reason: Reason::NotMeasured,
        disturbance: None,
        base: median(&values(base)),
        head: median(&values(head)),
        base_trials: base.len(),
        head_trials: head.len(),
        change: None,
        low: None,
        high: None,
        minimum_detectable_effect: None,
        settings: input.policy.settings(&key.scenario, key.side, key.metric, stack),
        accepted: None,
        exceeded: None,
        detail: Detail::Nothing,
        warnings: Vec::new(),
    };
    if let Some(broken) = absent::broken(input, &key) {
        set(&mut found, broken);
    } else if base.is_empty() || head.is_empty() {
        let absent = absent::absent(input, &key, &found)?;
        set(&mut found, absent);
    } else if key.metric.is_count() {
        count(input, key, &values(base), &values(head), &mut found);
    } else {
        time(input, key, base, head, &mut found);
    }
    match acceptance(input, &key, found.verdict, &found.settings, &found.detail) {
        Some(Acceptance::Covers(entry)) => found.accepted = Some(entry),
        Some(Acceptance::Exceeded(entry)) => found.exceeded = Some(entry),
        None => {}
    }
    found.consequence = Consequence::of(found.verdict, found.accepted.is_some(), &found.settings);
    for entry in [input.base, input.head] {
        let n = points(input, &entry.name, key).len();
        let subject = entry.name.clone();
        let failed = failed_trials(input.record, &entry.name, &key, n);
        found
            .warnings
            .extend(failed.map(|trials| ComparisonWarning::FailedTrials { subject, trials }));
    }
    Some(found)
}

fn set(found: &mut Comparison, absent: absent::AbsenceVerdict) {
    found.verdict = absent.verdict;
    found.open = absent.open;
    found.reason = absent.reason;
}

fn count(input: &Input<'_>, key: Key, base: &[f64], head: &[f64], found: &mut Comparison) {
    let Settings { margin, non_inferiority_margin, .. } = found.settings;
    let rule = CountRule {
        margin,
        allowance: allowance(&key),
        non_inferiority_margin: non_inferiority_margin.max(margin),
        runs: input.policy.budget.count_runs,
    };
    let decision = rule.decide(base, head, input.finished());
    found.verdict = decision.verdict;
    found.open = decision.open;
    found.reason = decision.reason.clone();
    (found.change, found.low, found.high) = (decision.change, decision.low, decision.high);
    found.minimum_detectable_effect = decision.minimum_detectable_effect;
    found.detail = Detail::Counts(decision);
}

/// What chance alone may add: an ECDSA signature is a DER pair of numbers whose leading zeros
/// are left out, so that its length varies by a few bytes from one handshake to the next. A
/// change of the code that moves the randomness moves the length.
fn allowance(key: &Key) -> f64 {
    const DER: f64 = 4.0;
    // Blinding, signatures and retries allocate at one time or another, averaged over the
    // operations: less than half an allocation in each is no change of the code.
    const HALF: f64 = 0.5;
    let signs = key.scenario.tls().is_some_and(|tls| {
        let ecdsa = matches!(tls.key, CertificateKey::EcdsaP256 | CertificateKey::EcdsaP384);
        let signs = match key.side {
            Side::Server | Side::Send => true,
            Side::Client | Side::Receive => tls.client_auth,
            Side::Both | Side::Local => false,
        };
        ecdsa && signs && !tls.resumes()
    });
    match key.metric {
        Metric::WireBytes if signs => DER,
        Metric::Allocations => HALF,
        _ => 0.0,
    }
}

fn time(
    input: &Input<'_>,
    key: Key,
    base: &[Observation],
    head: &[Observation],
    found: &mut Comparison,
) {
    let blocks = blocks(input.record, &key, base, head, input.policy.budget.pairs);
    let decision = decide(input, key, &blocks, &found.settings);
    found.warnings.extend(warnings(&blocks));
    found.verdict = decision.verdict;
    found.open = decision.open;
    found.reason = decision.reason.clone();
    if blocks.disturbed() > 0 && decision.verdict == Verdict::Inconclusive {
        found.disturbance = Some(Disturbance {
            disturbed: blocks.disturbed(),
            blocks: blocks.complete.len(),
            flaws: blocks.pairs().flat_map(|pair| &pair.flaws).copied().collect(),
        });
    }
    // The rule counts up as worse; people read the change of the number.
    let higher = key.metric.better() == Better::Higher;
    let change =
        |log: Option<f64>| log.map(|log| if higher { (-log).exp_m1() } else { log.exp_m1() });
    let (low, high) = (change(decision.low), change(decision.high));
    found.change = change(decision.effect);
    (found.low, found.high) = if higher { (high, low) } else { (low, high) };
    found.minimum_detectable_effect = decision.minimum_detectable_effect;
    found.detail = Detail::Time(decision);
}

fn decide(input: &Input<'_>, key: Key, blocks: &Blocks, settings: &Settings) -> TimeDecision {
    // A record of an older design has fewer blocks, of more pairs. Never more than the policy allows: a
    // record could put off its verdict by them.
    let max_blocks = input.policy.budget.blocks.min(input.record.plan.blocks).max(1);
    let rule = TimeRule {
        margin: settings.margin,
        non_inferiority_margin: settings.non_inferiority_margin.max(settings.margin),
        max_blocks,
        false_alarms: input.policy.false_alarms,
        tests: input.tests,
    };
    let sigma = input.noise.get(key.scenario, key.side, key.metric);
    // Disturbed blocks are made up for, but not without end.
    let last = input.finished() || blocks.complete.len() >= 2 * max_blocks as usize;
    rule.decide(sigma, &blocks.effects(), last)
}

/// What a reader must know about the blocks.
fn warnings(blocks: &Blocks) -> Vec<ComparisonWarning> {
    let excluded: usize = blocks.complete.iter().map(|block| block.excluded.len()).sum();
    let (trials, incomplete) = (blocks.unpaired_trials, blocks.incomplete_pairs);
    let single_link = blocks.complete.len() >= 2 && blocks.links() == 1;
    let all = [
        (excluded > 0, ComparisonWarning::ExcludedPairs { pairs: excluded }),
        (trials > 0, ComparisonWarning::UnpairedTrials { trials }),
        (incomplete > 0, ComparisonWarning::IncompleteBlock { pairs: incomplete }),
        (single_link, ComparisonWarning::SingleLink),
    ];
    all.into_iter().filter(|(holds, _)| *holds).map(|(_, warning)| warning).collect()
}
