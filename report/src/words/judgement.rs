//! A judgement and its comparisons.

use super::{absence::failed_trials, flaw::flaw, reason::reason};
use shakedown_gate::{
    Comparison, ComparisonWarning, Difference, Judgement, JudgementWarning, Provenance, Reason,
    Verdict, VerdictCounts, policy::Share,
};
use std::collections::BTreeSet;

/// "2 regressed, 1 improved, 57 unchanged, 1 inconclusive".
pub fn headline(counts: &VerdictCounts) -> String {
    let parts = [
        (counts.broken, "broken"),
        (counts.missing, "missing"),
        (counts.regressed, "regressed"),
        (counts.accepted, "accepted"),
        (counts.improved, "improved"),
        (counts.unchanged, "unchanged"),
        (counts.inconclusive, "inconclusive"),
    ];
    let some: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if some.is_empty() { "nothing was judged".to_owned() } else { some.join(", ") }
}

/// What reports call a verdict on one metric.
pub const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "unchanged",
        other => other.name(),
    }
}

/// Whether any time could be judged.
pub fn times_judged(judgement: &Judgement) -> bool {
    let mut all = judgement.comparisons.iter();
    all.any(|found| {
        found.is_gated() && !found.metric.is_count() && found.verdict != Verdict::Inconclusive
    })
}

/// What a verdict rests on.
#[derive(Debug)]
pub(crate) struct Basis {
    /// As a sentence.
    pub sentence: String,
    /// Whether it says that the host disturbed all blocks: nothing else need say so.
    pub all_disturbed: bool,
}

/// What a verdict rests on, where no time or no count was judged: the headline alone does not say it.
pub(crate) fn rests_on(judgement: &Judgement) -> Option<Basis> {
    let gated = |counts: bool| {
        let all = judgement.comparisons.iter();
        all.filter(move |found| found.is_gated() && found.metric.is_count() == counts)
    };
    let judged = |counts| gated(counts).any(|found| found.verdict != Verdict::Inconclusive);
    let (what, open, rest) = match (judged(false), judged(true)) {
        (false, true) => {
            ("timed metric", gated(false), "counts alone, which host load does not affect")
        }
        (true, false) => ("count", gated(true), "times alone"),
        _ => return None,
    };
    let open: Vec<&Comparison> = open.collect();
    let reasons: BTreeSet<String> = open.iter().map(|found| why_in_short(found)).collect();
    let discarded = |found: &&Comparison| match &found.disturbance {
        Some(host) if found.reason == Reason::NoBlocks => Some(host.blocks),
        _ => None,
    };
    let disturbed = open.first().and_then(discarded).filter(|_| reasons.len() == 1);
    let why = match (reasons.first(), reasons.len(), disturbed) {
        (None, ..) => format!("no {what} was measured"),
        (.., Some(blocks)) => {
            format!("all {blocks} blocks of timed trials were discarded as too noisy")
        }
        (Some(why), 1, None) => format!("no {what} could be judged: {why}"),
        _ => format!("no {what} could be judged (see Inconclusive for the reasons)"),
    };
    let sentence = format!("The verdict rests on {rest}: {why}.");
    Some(Basis { sentence, all_disturbed: disturbed.is_some() })
}

/// What the host did in the blocks of which none could be used.
pub(crate) fn disturbances(found: &Comparison) -> Option<String> {
    let host = found.disturbance.as_ref().filter(|_| found.reason == Reason::NoBlocks)?;
    let flaws: Vec<&str> = host.flaws.iter().map(|one| flaw(*one)).collect();
    (!flaws.is_empty()).then(|| format!("what disturbed them: {}", flaws.join(", ")))
}

/// Why the verdict of a comparison is what it is.
pub fn why(found: &Comparison) -> String {
    let host = found.disturbance.iter().flat_map(|host| &host.flaws);
    let flaws: Vec<&str> = host.map(|one| flaw(*one)).collect();
    let flaws = if flaws.is_empty() { String::new() } else { format!(" ({})", flaws.join(", ")) };
    why_with(found, &flaws)
}

/// The same without what the host did in detail.
pub(crate) fn why_in_short(found: &Comparison) -> String {
    why_with(found, "")
}

fn why_with(found: &Comparison, flaws: &str) -> String {
    let mut text = reason(&found.reason);
    if let Some(host) = &found.disturbance {
        let (disturbed, blocks) = (host.disturbed, host.blocks);
        text = if found.reason == Reason::NoBlocks {
            format!("the host disturbed all {blocks} blocks{flaws}")
        } else {
            format!("the host disturbed {disturbed} of {blocks} blocks{flaws}; {text}")
        };
    }
    if let Some(entry) = &found.exceeded {
        let size = Share(entry.size);
        text += &format!("; grown beyond the {size} accepted in {}:{}", entry.file, entry.line);
    }
    text
}

/// What a reader of a comparison must know.
pub fn comparison_warning(warning: &ComparisonWarning) -> String {
    match warning {
        ComparisonWarning::ExcludedPairs { pairs: 1 } => {
            "1 pair disturbed by the host is excluded".to_owned()
        }
        ComparisonWarning::ExcludedPairs { pairs } => {
            format!("{pairs} pairs disturbed by the host are excluded")
        }
        ComparisonWarning::UnpairedTrials { trials } => {
            format!("{trials} trials have no partner in their block")
        }
        ComparisonWarning::IncompleteBlock { pairs } => {
            format!("{pairs} pairs belong to no complete block")
        }
        ComparisonWarning::SingleLink => {
            "one link only: the effect of code layout is not averaged out".to_owned()
        }
        ComparisonWarning::FailedTrials { subject, trials } => {
            format!("{subject}: {}", failed_trials(trials))
        }
    }
}

/// What a reader of a judgement must know.
///
/// `times` is whether any time was judged: what concerns times alone is told only then.
pub fn judgement_warning(warning: &JudgementWarning, times: bool) -> String {
    match warning {
        JudgementWarning::NotCalibrated if times => {
            "This host is not calibrated. Times are judged by the spread of this run alone; with fewer than six links \
             of each side, a large noise is assumed. Counts are not affected. To calibrate the host: `shakedown host calibrate`"
                .to_owned()
        }
        JudgementWarning::NotCalibrated => {
            "This host is not calibrated, which concerns times alone. To calibrate it: `shakedown host calibrate`"
                .to_owned()
        }
        JudgementWarning::NotRelinked => {
            "Not relinked: an effect of code layout may look like a change".to_owned()
        }
        JudgementWarning::ApiDiffers { surfaces } => format!(
            "The library's API differs ({}): part of a change may come from the driver",
            surfaces.join(", ")
        ),
        JudgementWarning::Unfinished => "The run did not finish".to_owned(),
    }
}

/// A difference between base and head besides the source of the library.
pub fn difference(difference: &Difference) -> String {
    let what = match &difference.what {
        Provenance::Driver => "driver".to_owned(),
        Provenance::DriverSource => "driver sources".to_owned(),
        Provenance::Flags => "flags".to_owned(),
        Provenance::Rustc => "rustc".to_owned(),
        Provenance::Compilers => "compilers".to_owned(),
        Provenance::Environment(name) => name.clone(),
        Provenance::Api(surface) => format!("driver's {surface}"),
        Provenance::Crate(name) => format!("crate {name}"),
    };
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
    format!("{what}: {} -> {}", value(&difference.base), value(&difference.head))
}
