//! The data of change points: their size, state and commits, and the runs that decided about them.

use crate::{
    StoreError,
    change::{SuspectState, SuspectSummary, TrackedSuspect, came_back},
    query::StoredRun,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Number of the newest suspects on the page of changes.
const LISTED: usize = 1000;
/// What the front page calls lately, in milliseconds, and how many suspects it looks at.
const LATELY: (i64, usize) = (30 * 86_400_000, 100);

/// Every suspect that the pages list, the worst first: regressions before improvements, the largest
/// before the smaller ones.
pub(super) fn worst_first(
    known: &[TrackedSuspect],
    runs: &BTreeSet<&str>,
) -> Result<Vec<Value>, StoreError> {
    let newest = known.iter().take(LISTED).cloned();
    let mut all: Vec<SuspectSummary> =
        newest.map(|known| SuspectSummary::new(known, None)).collect();
    let goodness = |one: &SuspectSummary| {
        let size = one.change.factor.ln().abs();
        if one.worse { -size } else { size }
    };
    all.sort_by(|a, b| {
        let dismissed = |one: &SuspectSummary| one.state == SuspectState::Dismissed;
        dismissed(a).cmp(&dismissed(b)).then(goodness(a).total_cmp(&goodness(b)))
    });
    all.iter().map(|one| change(one, &all, runs)).collect()
}

fn change(
    one: &SuspectSummary,
    all: &[SuspectSummary],
    runs: &BTreeSet<&str>,
) -> Result<Value, StoreError> {
    let mut value =
        serde_json::to_value(one).map_err(|error| StoreError::Question(error.to_string()))?;
    value["family"] = json!(one.series.scenario.split('/').next());
    value["recovered"] = json!(one.worse && came_back(one, all));
    for (decision, shown) in
        one.decisions.iter().zip(value["decisions"].as_array_mut().into_iter().flatten())
    {
        shown["run"] = json!(named_run(&decision.evidence, runs));
    }
    Ok(value)
}

/// The worst that was found in the 30 days before this one.
pub(super) fn lately(known: &[Value], newest_ms: i64) -> Vec<&Value> {
    let (days, most) = LATELY;
    let recent = known.iter().filter(|change| {
        change["first_bad"]["started_ms"].as_i64().is_some_and(|at| at >= newest_ms - days)
    });
    recent.take(most).collect()
}

/// The stored run that a decision names as its evidence.
fn named_run<'a>(evidence: &'a str, runs: &BTreeSet<&str>) -> Option<&'a str> {
    let part = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
    evidence.split(part).find(|word| runs.contains(word))
}

/// The stored runs that any decision rests on.
pub(super) fn evidence<'a>(
    known: &'a [TrackedSuspect],
    runs: &'a [StoredRun],
) -> BTreeSet<&'a str> {
    let names: BTreeSet<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let decisions = known.iter().flat_map(|known| &known.decisions);
    decisions.filter_map(|decision| named_run(&decision.evidence, &names)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Index, Store,
        change::{self, SuspectDecision},
        testing::{NOW, text},
    };

    /// A history in which the client became worse by 4 % and the server better by 2 %, and a run.
    fn known() -> (Vec<TrackedSuspect>, String) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let rate = |night: u64| {
            (1000.0 + (night * 7919 % 101) as f64 / 1e2) * if night >= 20 { 0.96 } else { 1.0 }
        };
        for night in 0..40 {
            store.add(&text(night, "e1", rate(night)), NOW).unwrap();
            let (index, _) = Index::open(&store).unwrap();
            let rule = change::Rule::for_budget(1.0, 4);
            change::scan(&store, &index, &[], &rule, NOW).unwrap();
        }
        let run = store.names().unwrap().into_iter().next().unwrap().to_string();
        (change::suspects(&store).unwrap(), run)
    }

    #[test]
    fn the_worst_comes_first_even_if_it_is_not_the_newest() {
        let (mut known, _) = known();
        let sample = known[0].clone();
        let of = |factor: f64, worse: bool, state| {
            let mut one = sample.clone();
            (one.suspect.found.factor, one.suspect.worse, one.state) = (factor, worse, state);
            one
        };
        use SuspectState::{Confirmed, Dismissed, Suspect};
        known = vec![
            of(1.5, false, Confirmed),
            of(0.99, true, Suspect),
            // Of a metric that is better when it is lower.
            of(1.3, true, Confirmed),
            of(0.5, true, Dismissed),
            of(0.8, true, Confirmed),
            of(1.02, false, Suspect),
        ];
        let found = worst_first(&known, &BTreeSet::new()).unwrap();
        let factors: Vec<f64> =
            found.iter().map(|one| one["change"]["factor"].as_f64().unwrap()).collect();
        assert_eq!(factors, [1.3, 0.8, 0.99, 1.02, 1.5, 0.5], "dismissed ones last");
    }

    #[test]
    fn a_confirmation_leads_to_its_run() {
        let (mut known, run) = known();
        assert!(known.len() >= 2);
        let one = &mut known[0];
        let evidence = format!("run {run}: first bad against last good is regressed");
        one.decisions.push(SuspectDecision {
            suspect: one.suspect.clone(),
            state: SuspectState::Confirmed,
            at_ms: NOW,
            evidence: evidence.clone(),
            bisection: None,
        });
        let names = BTreeSet::from([&*run]);
        let found = worst_first(&known[..1], &names).unwrap();
        let decisions = found[0]["decisions"].as_array().unwrap();
        assert_eq!(decisions[0]["run"], Value::Null, "the nights are no run");
        assert_eq!(decisions[1]["run"], json!(run));
        assert_eq!(named_run(&evidence, &BTreeSet::new()), None, "a run that is not stored");
        assert_eq!(named_run("see <a href=x>", &names), None);
    }

    #[test]
    fn lately_is_a_month() {
        let at = |ms: i64| json!({ "first_bad": { "started_ms": ms } });
        let day = 86_400_000;
        let known = [at(100 * day), at(69 * day), at(70 * day)];
        assert_eq!(lately(&known, 100 * day), [&known[0], &known[2]]);
    }
}
