//! What a policy must not say.

use super::{Action, Doubt, Override, Policy, PolicyError, Select, text::Source};
use crate::rule::{PROOF, percent};
use glob::Pattern;
use shakedown_protocol::{Metric, Scenario};

/// Everything that globs may be about: the scenarios of the suites and the stacks of the
/// catalog.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Every scenario of every suite.
    pub scenarios: Vec<Scenario>,
    /// Every stack.
    pub stacks: Vec<String>,
}

/// A glob must match one of the known names.
pub(super) fn matches_one<'n>(
    source: &Source<'_>,
    line: usize,
    what: &str,
    glob: &Pattern,
    known: impl Iterator<Item = &'n str>,
) -> Result<(), PolicyError> {
    let known: Vec<&str> = known.collect();
    let glob = std::slice::from_ref(glob);
    if known.iter().any(|name| super::select::any(glob, name)) {
        return Ok(());
    }
    let list =
        if known.len() <= 20 { format!(": one of {}", known.join(", ")) } else { String::new() };
    Err(source.error(line, format!("`{}` matches no {what}{list}", glob[0])))
}

/// Numbers that are out of range.
pub(super) fn numbers(
    source: &Source<'_>,
    policy: &Policy,
    budget_line: usize,
    alarms_line: usize,
) -> Result<(), PolicyError> {
    let budget = policy.budget;
    let ranges = [
        ("blocks", budget.blocks, PROOF as u32..=16),
        ("pairs", budget.pairs, 4..=100),
        ("count-runs", budget.count_runs, 4..=64),
        ("minutes", budget.minutes, 1..=1440),
    ];
    for (name, value, range) in ranges {
        if !range.contains(&value) {
            let (low, high) = (range.start(), range.end());
            let text = format!("`{name} = {value}` is out of range: {low} to {high}");
            return Err(source.error(budget_line, text));
        }
    }
    if !(0.000_1..=0.2).contains(&policy.false_alarms) {
        let text = "`false-alarms` is out of range: \"0.01 %\" to \"20 %\"";
        return Err(source.error(alarms_line, text));
    }
    Ok(())
}

/// Entries that contradict each other, or themselves.
pub(super) fn contradictions(source: &Source<'_>, policy: &Policy) -> Result<(), PolicyError> {
    let defaults = &policy.defaults;
    if defaults.margin > defaults.bound {
        let line = defaults.lines[0];
        return Err(source.error(line, bound_below(defaults.margin, defaults.bound)));
    }
    for (index, each) in policy.overrides.iter().enumerate() {
        itself(source, each)?;
        if let Some(earlier) = policy.overrides[..index].iter().find(|e| e.select == each.select) {
            let text =
                format!("selects the same as the override in line {}: join them", earlier.line);
            return Err(source.error(each.line, text));
        }
    }
    Ok(())
}

fn itself(source: &Source<'_>, each: &Override) -> Result<(), PolicyError> {
    let set = &each.set;
    if set.names().is_empty() {
        let text = "sets nothing: give margin, bound, direction, action, inconclusive or missing";
        return Err(source.error(each.line, text));
    }
    if let (Some(margin), Some(bound)) = (set.margin, set.bound)
        && margin > bound
    {
        return Err(source.error(each.line, bound_below(margin, bound)));
    }
    if set.action == Some(Action::Report) && set.inconclusive == Some(Doubt::Fail) {
        let text =
            "contradicts itself: `action = \"report\"` never fails, `inconclusive = \"fail\"` does";
        return Err(source.error(each.line, text));
    }
    Ok(())
}

fn bound_below(margin: f64, bound: f64) -> String {
    format!(
        "contradicts itself: a margin of {} tolerates what a bound of {} excludes; the bound must be at least the margin",
        percent(margin),
        percent(bound)
    )
}

impl Policy {
    /// Checks the policy against what exists: globs over scenarios and stacks that match
    /// nothing, overrides that later ones undo everywhere, and settings that contradict each
    /// other where several overrides meet.
    ///
    /// # Errors
    /// Names the first, with file and line.
    pub fn check(&self, known: &Known) -> Result<(), PolicyError> {
        let source = Source { file: &self.file, text: "" };
        for each in &self.overrides {
            names(&source, each.line, &each.select, known)?;
        }
        for (index, each) in self.overrides.iter().enumerate() {
            self.has_effect(&source, index, each, known)?;
        }
        for each in &self.accepted {
            let source = Source { file: &each.file, text: "" };
            names(&source, each.line, &each.select, known)?;
        }
        self.meetings(&source, known)
    }

    /// An override that later ones undo wherever it matches says nothing.
    fn has_effect(
        &self,
        source: &Source<'_>,
        index: usize,
        each: &Override,
        known: &Known,
    ) -> Result<(), PolicyError> {
        let mut matched = false;
        for (id, scenario, metric, stack) in cells(known) {
            for &side in scenario.sides() {
                if !each.select.matches(&id, side, metric, stack) {
                    continue;
                }
                matched = true;
                let later = self.overrides[index + 1..]
                    .iter()
                    .filter(|later| later.select.matches(&id, side, metric, stack));
                let undone: Vec<&str> = later.flat_map(|later| later.set.names()).collect();
                if each.set.names().iter().any(|name| !undone.contains(name)) {
                    return Ok(());
                }
            }
        }
        let text = if matched {
            "has no effect: later overrides set the same wherever it matches; put it behind them"
        } else {
            "matches nothing: no scenario has this combination of scenario, side, metric and stack"
        };
        Err(source.error(each.line, text))
    }

    /// Settings that are fine alone but not together.
    fn meetings(&self, source: &Source<'_>, known: &Known) -> Result<(), PolicyError> {
        for (id, scenario, metric, stack) in cells(known) {
            for &side in scenario.sides() {
                let found = self.settings(scenario, side, metric, stack);
                if found.margin > found.bound {
                    let line = found.lines.last().copied().unwrap_or(1);
                    let text = bound_below(found.margin, found.bound);
                    return Err(source.error(line, format!("{text} (for {metric} of {id})")));
                }
            }
        }
        Ok(())
    }
}

/// Every combination that exists of scenario, metric and stack.
fn cells(known: &Known) -> impl Iterator<Item = (String, &Scenario, Metric, &str)> {
    known.scenarios.iter().flat_map(move |scenario| {
        let id = scenario.to_string();
        let metrics = shakedown_summary::series::possible(scenario);
        metrics.into_iter().flat_map(move |metric| {
            let id = id.clone();
            known.stacks.iter().map(move |stack| (id.clone(), scenario, metric, stack.as_str()))
        })
    })
}

/// Each glob over scenarios and stacks must match one.
fn names(
    source: &Source<'_>,
    line: usize,
    select: &Select,
    known: &Known,
) -> Result<(), PolicyError> {
    let ids: Vec<String> = known.scenarios.iter().map(ToString::to_string).collect();
    for glob in &select.scenario {
        matches_one(source, line, "scenario", glob, ids.iter().map(String::as_str))?;
    }
    for glob in &select.stack {
        matches_one(source, line, "stack", glob, known.stacks.iter().map(String::as_str))?;
    }
    Ok(())
}
