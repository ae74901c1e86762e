//! Why a verdict is what it is.

use super::absence::{absence, cause};
use shakedown_gate::{
    Reason,
    policy::Share,
    rule::{ChangeDirection, Limit},
};

/// Why a verdict is what it is.
pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::NotMeasured => "not measured yet".to_owned(),
        Reason::BothBroken { first } => format!("base is broken as well: {}", cause(first)),
        Reason::HeadBroken { first } => format!("head negotiates something else: {}", cause(first)),
        Reason::HeadFails { failed, trials, first } => {
            format!("head fails in {failed} of {trials} trials, base in none: {}", cause(first))
        }
        Reason::HeadLost { absence: why } => format!("head: {}", absence(why)),
        Reason::HeadMissing { absence: why } => {
            format!("base has it, head does not: {}", absence(why))
        }
        Reason::New { absence: why } => format!("new: base has no value ({})", absence(why)),
        Reason::BothMissing { absence: why } => {
            format!("neither side has a value: {}", absence(why))
        }
        Reason::RunsSoFar { runs } => format!("{runs} runs each of base and head so far"),
        Reason::CountChanged { change, margin, allowance, exact, runs } => {
            let way = if *change == ChangeDirection::Worse { "more" } else { "less" };
            let how = if *exact { "exact" } else { "without overlap" };
            let tolerated = tolerated(*margin, *allowance);
            format!("{way} than {tolerated}, {how} in {runs} runs each of base and head")
        }
        Reason::CountWithinMargin { margin, allowance, runs } => {
            format!(
                "exact in {runs} runs each of base and head, within {}",
                tolerated(*margin, *allowance)
            )
        }
        Reason::CountNotInferior { non_inferiority_margin } => {
            format!("not exact; growth of {} or more is ruled out", Share(*non_inferiority_margin))
        }
        Reason::CountsOverlap { runs } => {
            format!("not repeatable: base and head still overlap after {runs} runs each")
        }
        Reason::TooFewRuns { exact, runs, required } => {
            let what = if *exact { "beyond what is tolerated" } else { "not exactly repeatable" };
            format!("{what}, but only {runs} of the {required} runs needed of base and head")
        }
        Reason::NoBlocks => "no usable block".to_owned(),
        Reason::BlocksSoFar { blocks, max_blocks } => {
            format!("{blocks} of up to {max_blocks} blocks so far")
        }
        Reason::TimeChanged { change, margin, blocks } => {
            let way = if *change == ChangeDirection::Worse { "worse" } else { "better" };
            let margin = Share(*margin);
            format!(
                "{way} by more than the tolerated {margin} and by more than noise explains ({blocks} blocks)"
            )
        }
        Reason::BlocksDisagree => {
            "the change comes and goes: only some parts of the run are beyond what is tolerated"
                .to_owned()
        }
        Reason::TimeNotInferior { non_inferiority_margin } => {
            format!(
                "a change for the worse of {} or more is ruled out",
                Share(*non_inferiority_margin)
            )
        }
        Reason::TooFewBlocks { blocks, max_blocks } => {
            format!("too few blocks: {blocks} of {max_blocks}")
        }
        Reason::TooNoisy { limit, blocks } => format!("{} ({blocks} blocks)", of_limit(*limit)),
    }
}

fn of_limit(limit: Limit) -> String {
    match limit {
        Limit::BetweenPairs => {
            "noisy host: the pairs differ by more than those of unchanged code do".to_owned()
        }
        Limit::NotCalibrated => {
            "the host is not calibrated, so its noise is assumed to be large".to_owned()
        }
        Limit::UnchangedBuilds { sigma } => {
            format!("unchanged builds of this scenario differ by {}", Share(sigma))
        }
    }
}

/// What a count may grow by.
fn tolerated(margin: f64, allowance: f64) -> String {
    let margin = Share(margin);
    if allowance > 0.0 {
        format!("the tolerated {margin} plus {allowance} for chance")
    } else {
        format!("the tolerated {margin}")
    }
}
