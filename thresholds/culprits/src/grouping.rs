//! Explanations with one cause are one item.

use crate::explanation::{CulpritGroup, Explanation};
use std::collections::BTreeMap;

/// Groups explanations by the function that explains most of them, the largest change first. Those
/// without a culprit are in no group.
pub fn group<'a>(explanations: impl IntoIterator<Item = &'a Explanation>) -> Vec<CulpritGroup> {
    let mut members: BTreeMap<&str, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, explanation) in explanations.into_iter().enumerate() {
        if let Some(first) = explanation.culprits.first() {
            members.entry(&first.function).or_default().push((at, explanation.relative()));
        }
    }
    let mut causes: Vec<CulpritGroup> =
        members.into_iter().map(|(name, all)| cause(name, all)).collect();
    let size = |cause: &CulpritGroup| cause.range.map(f64::abs).into_iter().fold(0.0, f64::max);
    causes.sort_by(|a, b| size(b).total_cmp(&size(a)));
    causes
}

fn cause(function: &str, mut members: Vec<(usize, f64)>) -> CulpritGroup {
    members.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let range = members.iter().fold([f64::MAX, f64::MIN], |[low, high], (_, change)| {
        [low.min(*change), high.max(*change)]
    });
    let members = members.into_iter().map(|(at, _)| at).collect();
    CulpritGroup { function: function.to_owned(), members, range }
}
