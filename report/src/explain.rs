//! Every number between the samples of a scenario and its verdicts, for a reader who doubts.

use crate::{format::percent, words};
use shakedown_gate::{
    Blocks, Comparison, Detail, JudgeError, Pair, Policy, blocks, judge,
    rule::{CountDecision, TimeDecision},
};
use shakedown_protocol::{RunRecord, Scenario};
use shakedown_summary::series::{Key, Observation, Series, places, series};
use std::fmt::{self, Write as _};

/// Why nothing can be explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The record can't be judged.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// The scenario is not in the record.
    #[error("the record has no scenario `{scenario}`; it has {known}")]
    Unknown {
        /// What was asked for.
        scenario: String,
        /// What there is.
        known: String,
    },
}

/// Explains the verdicts on one scenario in plain text.
///
/// # Errors
/// When the record can't be judged or does not have the scenario.
pub fn explain(
    record: &RunRecord,
    policy: &Policy,
    scenario: &Scenario,
) -> Result<String, ExplainError> {
    let judgement = judge(record, policy)?;
    let Some(&index) = places(record).get(scenario) else {
        let known: Vec<String> = record.plan.scenarios.iter().map(ToString::to_string).collect();
        let (scenario, known) = (scenario.to_string(), known.join(", "));
        return Err(ExplainError::Unknown { scenario, known });
    };
    let explanation =
        Explanation { record, policy, series: series(record), index, tests: judgement.tests };
    let mut text = String::new();
    let heading = format!(
        "{scenario}\nrun {}, base {}, head {}, policy {}\n",
        record.id, judgement.base, judgement.head, policy.file
    );
    text.push_str(&heading);
    for found in judgement.comparisons.iter().filter(|c| c.scenario == *scenario) {
        // Writing to a string can't fail.
        let _ = explanation.comparison(&mut text, found);
    }
    Ok(text)
}

struct Explanation<'a> {
    record: &'a RunRecord,
    policy: &'a Policy,
    series: Series<'a>,
    index: usize,
    tests: usize,
}

impl Explanation<'_> {
    fn points(&self, subject: usize, found: &Comparison) -> &[Observation] {
        let (scenario, side, metric) = (found.scenario, found.side, found.metric);
        let key = Key { index: self.index, scenario, side, metric };
        let name = self.record.subjects[subject].name.as_str();
        self.series.get(&(name, key)).map_or(&[], Vec::as_slice)
    }

    fn comparison(&self, out: &mut String, found: &Comparison) -> fmt::Result {
        writeln!(
            out,
            "\n{} of {} [{}, {} is better]: {}",
            found.metric,
            found.side,
            found.unit,
            found.better,
            words::verdict(found.verdict)
        )?;
        writeln!(out, "  because: {}", words::why(found))?;
        writeln!(out, "  consequence: {}", found.consequence)?;
        let set = &found.settings;
        let lines: Vec<String> = set.lines.iter().map(ToString::to_string).collect();
        writeln!(
            out,
            "  settings: margin {}, non-inferiority margin {} ({} lines {})",
            percent(set.margin),
            percent(set.non_inferiority_margin),
            self.policy.file,
            lines.join(", ")
        )?;
        if let Some(accepted) = &found.accepted {
            writeln!(
                out,
                "  accepted up to {} until {} by {}: {} ({}, {}:{})",
                percent(accepted.size),
                accepted.expires,
                accepted.by,
                accepted.reason,
                accepted.link,
                accepted.file,
                accepted.line
            )?;
        }
        match &found.detail {
            Detail::Time(time) => self.time(out, found, time)?,
            Detail::Counts(counts) => self.counts(out, counts)?,
            Detail::Nothing => {}
        }
        for warning in &found.warnings {
            writeln!(out, "  warning: {}", words::comparison_warning(warning))?;
        }
        Ok(())
    }

    fn blocks(&self, found: &Comparison) -> Blocks {
        let (base, head) = (self.points(0, found), self.points(1, found));
        let key = Key {
            index: self.index,
            scenario: found.scenario,
            side: found.side,
            metric: found.metric,
        };
        blocks(self.record, &key, base, head, self.policy.budget.pairs)
    }

    fn time(&self, out: &mut String, found: &Comparison, time: &TimeDecision) -> fmt::Result {
        writeln!(out, "  a pair: base, head, ln of how much worse head is")?;
        let mut effects = time.blocks.iter();
        for (number, block) in self.blocks(found).complete.iter().enumerate() {
            writeln!(out, "  block {number}")?;
            block.pairs.iter().try_for_each(|one| pair(out, one, ""))?;
            block.excluded.iter().try_for_each(|one| pair(out, one, ", excluded"))?;
            if block.disturbed {
                writeln!(out, "    disturbed: does not count")?;
            } else if let Some(effect) = effects.next() {
                writeln!(out, "    effect {:+.5}", effect.effect)?;
            }
        }
        self.arithmetic(out, found, time)
    }

    fn arithmetic(&self, out: &mut String, found: &Comparison, time: &TimeDecision) -> fmt::Result {
        writeln!(
            out,
            "  sigma of unchanged builds {:.5} ({:?}, {} degrees of freedom)",
            time.sigma.value, time.sigma.source, time.sigma.degrees_of_freedom
        )?;
        writeln!(
            out,
            "  effect {}, 95 % interval {} to {}",
            number_or_none(time.effect),
            number_or_none(time.low),
            number_or_none(time.high)
        )?;
        writeln!(
            out,
            "  se {} = larger one of: calibrated {}, spread of {} pairs over {} pairs of links {}",
            number_or_none(time.se),
            number_or_none(time.se_calibrated),
            time.pairs,
            time.links,
            number_or_none(time.se_observed)
        )?;
        let segments: Vec<String> = time.segments.iter().map(|one| format!("{one:+.5}")).collect();
        writeln!(out, "  medians of its stretches of time: {}", segments.join(", "))?;
        writeln!(
            out,
            "  score {} = (effect - ln(1 + {})) / se; fails above {:.3}: {} tests jointly at {}, {} degrees of freedom, {} of {} blocks",
            number_or_none(time.score),
            percent(found.settings.margin),
            time.critical,
            self.tests,
            percent(self.policy.false_alarms),
            time.degrees_of_freedom,
            time.blocks.len(),
            self.policy.budget.blocks.min(self.record.plan.blocks)
        )?;
        match time.minimum_detectable_effect {
            Some(share) => writeln!(
                out,
                "  minimum detectable effect {}: found nine times in ten",
                percent(share)
            ),
            None => Ok(()),
        }
    }

    fn counts(&self, out: &mut String, counts: &CountDecision) -> fmt::Result {
        writeln!(out, "  base runs: {}", list(&counts.base))?;
        writeln!(out, "  head runs: {}", list(&counts.head))?;
        let share = |value: Option<f64>| value.map_or("none".to_owned(), percent);
        writeln!(
            out,
            "  {}; change {}, at least {}, at most {}",
            if counts.exact { "each side repeats exactly" } else { "does not repeat exactly" },
            share(counts.change),
            share(counts.low),
            share(counts.high)
        )?;
        let detectable = share(counts.minimum_detectable_effect);
        writeln!(out, "  minimum detectable effect: a growth above {detectable}")
    }
}

fn pair(out: &mut String, pair: &Pair, note: &str) -> fmt::Result {
    let &Pair { base, head, log_ratio, links: (b, h), .. } = pair;
    write!(out, "    {base:>14.4} {head:>14.4} {log_ratio:+.5}, links {b} and {h}{note}")?;
    let flaws: Vec<&str> = pair.flaws.iter().map(|flaw| flaw.name()).collect();
    if flaws.is_empty() { writeln!(out) } else { writeln!(out, " [{}]", flaws.join(", ")) }
}

fn number_or_none(value: Option<f64>) -> String {
    value.map_or("none".to_owned(), |value| format!("{value:+.5}"))
}

fn list(values: &[f64]) -> String {
    let shown: Vec<String> = values.iter().map(|value| format!("{value}")).collect();
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::{Flaw, Meter};
    use shakedown_summary::fixture::{self, FULL};

    #[test]
    fn every_number_is_shown() {
        let (base, head) = ("rustls@path:base", "rustls@path:head");
        let mut record = fixture::record(&[base, head], &[FULL]);
        record.plan.meters = vec![Meter::Time, Meter::Heap];
        for block in 0..2 {
            for pair in 0..10 {
                let slow = 950.0 + f64::from(pair % 3);
                fixture::rate(&mut record, block, base, FULL, [1000.0, 1000.0]);
                fixture::rate(&mut record, block, head, FULL, [slow, 1000.0]);
                let count = record.trials.len();
                record.trials[count - 2..].iter_mut().for_each(|trial| trial.link = block);
            }
            for _ in 0..4 {
                fixture::count(&mut record, block, base, FULL, Meter::Heap, [60, 60]);
                fixture::count(&mut record, block, head, FULL, Meter::Heap, [60, 61]);
            }
        }
        record.trials[4].flaws = vec![Flaw::Preempted];
        let policy = Policy::shipped().unwrap();
        let shown = explain(&record, &policy, &FULL.parse().unwrap()).unwrap();
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn a_scenario_that_is_not_there_is_shown() {
        let record = fixture::record(&["rustls@1", "rustls@2"], &[FULL]);
        let mut unfinished = record;
        unfinished.finish = None;
        let policy = Policy::shipped().unwrap();
        let other = fixture::BULK.parse().unwrap();
        let error = explain(&unfinished, &policy, &other).unwrap_err().to_string();
        assert!(error.contains("has no scenario `bulk/"), "{error}");
    }
}
