//! From the comparisons to the judgement on the whole record.

use super::{
    comparison::{Comparison, Detail},
    consequence::Consequence,
    input::Input,
    judgement::{Judgement, JudgementWarning, VerdictCounts},
};
use crate::{
    rule::{SigmaSource, Verdict},
    unchanged::{Difference, Provenance, differences, same_code},
};

pub(super) fn judgement(input: &Input<'_>, comparisons: Vec<Comparison>) -> Judgement {
    let gravest = comparisons.iter().map(|found| found.consequence).max();
    let consequence = gravest.unwrap_or(Consequence::None);
    let (base, head) = (&input.base.artifact, &input.head.artifact);
    let calibrated = calibrated(&comparisons);
    let differences = differences(base, head);
    Judgement {
        run: input.record.id.clone(),
        policy: input.policy.file.clone(),
        base: input.base.name.clone(),
        head: input.head.name.clone(),
        same_code: same_code(base, head),
        calibrated,
        tests: input.tests,
        false_alarms: input.policy.false_alarms,
        verdict: verdict(&comparisons, consequence),
        consequence,
        counts: counts(&comparisons),
        warnings: warnings(input, calibrated, &differences),
        differences,
        comparisons,
    }
}

/// The worst that fails; else doubt about anything that could have failed; else the good news.
fn verdict(comparisons: &[Comparison], consequence: Consequence) -> Verdict {
    let fails = |verdict| {
        comparisons.iter().any(|c| c.consequence == Consequence::Fail && c.verdict == verdict)
    };
    let gated = |verdict| comparisons.iter().any(|c| c.verdict == verdict && c.is_gated());
    if consequence == Consequence::Fail {
        let order = [Verdict::Regressed, Verdict::Broken, Verdict::Missing];
        return order.into_iter().find(|&verdict| fails(verdict)).unwrap_or(Verdict::Regressed);
    }
    let order = [Verdict::Inconclusive, Verdict::Improved];
    order.into_iter().find(|&verdict| gated(verdict)).unwrap_or(Verdict::Pass)
}

fn counts(comparisons: &[Comparison]) -> VerdictCounts {
    let mut counts = VerdictCounts::default();
    for found in comparisons.iter().filter(|found| found.is_gated()) {
        *match found.verdict {
            _ if found.accepted.is_some() => &mut counts.accepted,
            Verdict::Pass => &mut counts.unchanged,
            Verdict::Regressed => &mut counts.regressed,
            Verdict::Improved => &mut counts.improved,
            Verdict::Inconclusive => &mut counts.inconclusive,
            Verdict::Missing => &mut counts.missing,
            Verdict::Broken => &mut counts.broken,
        } += 1;
    }
    counts
}

fn calibrated(comparisons: &[Comparison]) -> bool {
    comparisons.iter().all(|found| match &found.detail {
        Detail::Time(time) => time.sigma.source != SigmaSource::Assumed,
        _ => true,
    })
}

fn warnings(
    input: &Input<'_>,
    calibrated: bool,
    differences: &[Difference],
) -> Vec<JudgementWarning> {
    let mut warnings = Vec::new();
    if !calibrated {
        warnings.push(JudgementWarning::NotCalibrated);
    }
    if input.base.artifact.links.len() < 2 || input.head.artifact.links.len() < 2 {
        warnings.push(JudgementWarning::NotRelinked);
    }
    let surfaces: Vec<String> = differences
        .iter()
        .filter_map(|difference| match &difference.what {
            Provenance::Api(surface) => Some(surface.clone()),
            _ => None,
        })
        .collect();
    if !surfaces.is_empty() {
        warnings.push(JudgementWarning::ApiDiffers { surfaces });
    }
    if !input.finished() {
        warnings.push(JudgementWarning::Unfinished);
    }
    warnings
}
