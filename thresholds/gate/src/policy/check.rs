//! What a policy must not say.

use super::{
    globs::matches_one,
    model::Policy,
    select::Select,
    settings::{Action, InconclusiveAction, Override},
    share::Share,
    source::{PolicyError, PolicyText},
};
use crate::rule::MIN_BLOCKS;
use shakedown_protocol::{Metric, Scenario};

/// Everything that globs may be about: the scenarios of the suites and the stacks of the
/// catalog.
#[derive(Debug, Clone, Default)]
pub struct KnownNames {
    /// Every scenario of every suite.
    pub scenarios: Vec<Scenario>,
    /// Every stack.
    pub stacks: Vec<String>,
}

/// Numbers that are out of range.
pub(super) fn numbers(
    source: &PolicyText<'_>,
    policy: &Policy,
    budget_line: usize,
    alarms_line: usize,
) -> Result<(), PolicyError> {
    let budget = policy.budget;
    let ranges = [
        ("blocks", budget.blocks, MIN_BLOCKS as u32..=64),
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
pub(super) fn contradictions(source: &PolicyText<'_>, policy: &Policy) -> Result<(), PolicyError> {
    let defaults = &policy.defaults;
    if defaults.margin > defaults.non_inferiority_margin {
        let line = defaults.lines[0];
        return Err(source.error(line, inverted(defaults.margin, defaults.non_inferiority_margin)));
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

fn itself(source: &PolicyText<'_>, each: &Override) -> Result<(), PolicyError> {
    let set = &each.set;
    if set.names().is_empty() {
        let text = "sets nothing: give margin, non-inferiority-margin, direction, action, inconclusive or missing";
        return Err(source.error(each.line, text));
    }
    if let (Some(margin), Some(non_inferiority)) = (set.margin, set.non_inferiority_margin)
        && margin > non_inferiority
    {
        return Err(source.error(each.line, inverted(margin, non_inferiority)));
    }
    if set.action == Some(Action::Report) && set.inconclusive == Some(InconclusiveAction::Fail) {
        let text =
            "contradicts itself: `action = \"report\"` never fails, `inconclusive = \"fail\"` does";
        return Err(source.error(each.line, text));
    }
    Ok(())
}

fn inverted(margin: f64, non_inferiority_margin: f64) -> String {
    format!(
        "contradicts itself: a margin of {} tolerates what a non-inferiority margin of {} excludes; the non-inferiority margin must be at least the margin",
        Share(margin),
        Share(non_inferiority_margin)
    )
}

impl Policy {
    /// Checks the policy against what exists: globs over scenarios and stacks that match
    /// nothing, overrides that later ones undo everywhere, and settings that contradict each
    /// other where several overrides meet.
    ///
    /// # Errors
    /// Names the first, with file and line.
    pub fn check(&self, known: &KnownNames) -> Result<(), PolicyError> {
        let source = PolicyText { file: &self.file, text: "" };
        for each in &self.overrides {
            names(&source, each.line, &each.select, known)?;
        }
        for (index, each) in self.overrides.iter().enumerate() {
            self.has_effect(&source, index, each, known)?;
        }
        for each in &self.accepted {
            let source = PolicyText { file: &each.file, text: "" };
            names(&source, each.line, &each.select, known)?;
        }
        self.meetings(&source, known)
    }

    /// An override that later ones undo wherever it matches says nothing.
    fn has_effect(
        &self,
        source: &PolicyText<'_>,
        index: usize,
        each: &Override,
        known: &KnownNames,
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
    fn meetings(&self, source: &PolicyText<'_>, known: &KnownNames) -> Result<(), PolicyError> {
        for (id, scenario, metric, stack) in cells(known) {
            for &side in scenario.sides() {
                let found = self.settings(scenario, side, metric, stack);
                if found.margin > found.non_inferiority_margin {
                    let line = found.lines.last().copied().unwrap_or(1);
                    let text = inverted(found.margin, found.non_inferiority_margin);
                    return Err(source.error(line, format!("{text} (for {metric} of {id})")));
                }
            }
        }
        Ok(())
    }
}

/// Every combination that exists of scenario, metric and stack.
fn cells(known: &KnownNames) -> impl Iterator<Item = (String, &Scenario, Metric, &str)> {
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
    source: &PolicyText<'_>,
    line: usize,
    select: &Select,
    known: &KnownNames,
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
