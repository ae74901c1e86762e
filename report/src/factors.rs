//! Factors between subjects in words, and their places on a bar.

use crate::{
    coverage::UsualCoverage,
    format::{factor, factor_end},
    model::{FactorCell, FactorPosition},
};
use shakedown_summary::{EffectDirection, Factor};

/// A subject against the first in one line of a table.
pub(crate) fn compared(one: &Factor, usual: UsualCoverage) -> FactorCell {
    let bar = one.low.zip(one.factor).zip(one.high);
    let bar = bar.map(|((low, middle), high)| factor_position([low, middle, high]));
    FactorCell {
        subject: one.subject.clone(),
        text: one.factor.map_or_else(|| "–".to_owned(), factor),
        interval: usual.interval((one.low, one.high), one.coverage, factor_end),
        direction: direction_name(one.direction),
        bar,
    }
}

/// Which way a factor points, as pages name it.
pub(crate) const fn direction_name(direction: Option<EffectDirection>) -> &'static str {
    match direction {
        Some(EffectDirection::Better) => "better",
        Some(EffectDirection::Worse) => "worse",
        Some(EffectDirection::Same) => "same",
        Some(EffectDirection::Unclear) | None => "unclear",
    }
}

/// Places on a logarithmic bar from a quarter (0) over one (50) to four times (100).
pub(crate) fn factor_position(factors: [f64; 3]) -> FactorPosition {
    let [low, middle, high] = factors.map(|factor| {
        let place = 50.0 + 25.0 * factor.log2();
        (place.clamp(0.0, 100.0) * 100.0).round() / 100.0
    });
    FactorPosition { low, middle, high }
}
