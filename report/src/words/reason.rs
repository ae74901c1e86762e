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
        Reason::RunsSoFar { runs } => format!("{runs} runs a side so far"),
        Reason::CountChanged { change, margin, allowance, exact, runs } => {
            let way = if *change == ChangeDirection::Worse { "more" } else { "less" };
            let how = if *exact { "exact" } else { "separated" };
            let tolerated = tolerated(*margin, *allowance);
            format!("{way} than {tolerated}, {how} in {runs} runs a side")
        }
        Reason::CountWithinMargin { margin, allowance, runs } => {
            format!("exact in {runs} runs a side, within {}", tolerated(*margin, *allowance))
        }
        Reason::CountNotInferior { non_inferiority_margin } => {
            format!("not exact; growth by {} is excluded", Share(*non_inferiority_margin))
        }
        Reason::CountsOverlap { runs } => {
            format!("does not repeat: the runs of the two sides overlap after {runs} a side")
        }
        Reason::TooFewRuns { exact, runs, required } => {
            let what = if *exact { "is beyond the margin" } else { "does not repeat exactly" };
            format!("{what} and has {runs} of {required} runs a side")
        }
        Reason::NoBlocks => "none of its blocks could be used".to_owned(),
        Reason::BlocksSoFar { blocks, max_blocks } => {
            format!("{blocks} of up to {max_blocks} blocks so far")
        }
        Reason::TimeChanged { change, margin, blocks } => {
            let way = if *change == ChangeDirection::Worse { "worse" } else { "better" };
            let margin = Share(*margin);
            format!("{way} than the margin of {margin} in all {blocks} blocks, beyond the noise")
        }
        Reason::BlocksDisagree => {
            "the blocks disagree: not all of them are beyond the margin".to_owned()
        }
        Reason::TimeNotInferior { non_inferiority_margin } => {
            format!("worse by {} or more is excluded", Share(*non_inferiority_margin))
        }
        Reason::TooFewBlocks { blocks, max_blocks } => {
            format!("too few blocks: {blocks} of {max_blocks}")
        }
        Reason::TooNoisy { limit, blocks } => format!("{} ({blocks} blocks)", of_limit(*limit)),
    }
}

fn of_limit(limit: Limit) -> String {
    match limit {
        Limit::BetweenBlocks => {
            "noisy host: the blocks differ from each other more than unchanged code does".to_owned()
        }
        Limit::WithinBlocks => {
            "noisy host: the pairs within the blocks scatter more than the calibration saw"
                .to_owned()
        }
        Limit::NotCalibrated => {
            "the host is not calibrated, so that large noise is assumed".to_owned()
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
        format!("the margin of {margin} and {allowance} for chance")
    } else {
        format!("the margin of {margin}")
    }
}
