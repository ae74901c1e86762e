//! A judgement and its comparisons.

use super::{absence::failed_trials, reason::reason};
use shakedown_gate::{
    Comparison, ComparisonWarning, Difference, Judgement, JudgementWarning, Provenance,
    VerdictCounts, policy::Share,
};

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

/// What is tolerated and what is excluded, said once for all metrics that a judgement has; nothing
/// where nothing was gated.
pub fn margins(judgement: &Judgement) -> Option<String> {
    let mut groups: Vec<(Share, Share, Vec<&str>)> = Vec::new();
    for found in judgement.comparisons.iter().filter(|found| found.is_gated()) {
        let settings = &found.settings;
        let (margin, excluded) = (Share(settings.margin), Share(settings.non_inferiority_margin));
        let name = found.metric.name();
        match groups.iter_mut().find(|(m, e, _)| (*m, *e) == (margin, excluded)) {
            Some((_, _, names)) if names.contains(&name) => {}
            Some((_, _, names)) => names.push(name),
            None => groups.push((margin, excluded, vec![name])),
        }
    }
    let said: Vec<String> = groups
        .iter()
        .map(|(margin, excluded, names)| {
            format!("{margin} and {excluded} for {}", names.join(", "))
        })
        .collect();
    (!said.is_empty()).then(|| {
        format!(
            "Regressed means worse by more than the first margin. Unchanged means that a change for the worse \
             beyond the second one is ruled out. Margins: {}.",
            said.join("; ")
        )
    })
}

/// Why the verdict of a comparison is what it is.
pub fn why(found: &Comparison) -> String {
    let mut text = reason(&found.reason);
    if let Some(host) = &found.disturbance {
        let flaws: Vec<&str> = host.flaws.iter().map(|flaw| flaw.name()).collect();
        text = format!(
            "noisy host: {} of {} blocks disturbed ({}); {text}",
            host.disturbed,
            host.blocks,
            flaws.join(", ")
        );
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
            "one link only: luck of the layout is not averaged out".to_owned()
        }
        ComparisonWarning::FailedTrials { subject, trials } => {
            format!("{subject}: {}", failed_trials(trials))
        }
    }
}

/// What a reader of a judgement must know.
pub fn judgement_warning(warning: &JudgementWarning) -> String {
    match warning {
        JudgementWarning::NotCalibrated => {
            "this host is not calibrated: large noise is assumed, and only what is far beyond the margin fails".to_owned()
        }
        JudgementWarning::NotRelinked => {
            "not relinked: luck of the layout may look like a change".to_owned()
        }
        JudgementWarning::ApiDiffers { surfaces } => format!(
            "the library's API differs ({}): part of a change may be the driver's own cost",
            surfaces.join(", ")
        ),
        JudgementWarning::Unfinished => "the run did not finish".to_owned(),
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
