//! Whether a record contradicts itself.

use super::{RecordError, RunRecord};
use crate::{Scenario, Trial, TrialOutcome};
use std::collections::BTreeSet;

impl RunRecord {
    /// Checks that the parts of the record fit each other. Records come from pull requests:
    /// nothing in them is trusted until this has passed.
    ///
    /// # Errors
    /// Names the first contradiction.
    pub fn validate(&self) -> Result<(), RecordError> {
        let wrong = |text: String| Err(RecordError::Contradiction(text));
        let mut names = BTreeSet::new();
        for entry in &self.subjects {
            if !names.insert(entry.name.as_str()) {
                return wrong(format!("two subjects are named `{}`", entry.name));
            }
        }
        let scenarios: BTreeSet<&Scenario> = self.plan.scenarios.iter().collect();
        if self.plan.in_tree() && !scenarios.iter().all(|scenario| scenario.in_tree()) {
            return wrong("in-tree benchmarks and drivers share a plan".to_owned());
        }
        if self.plan.fallback.is_some() && !self.plan.in_tree() {
            return wrong("it fell back to in-tree benchmarks and has none".to_owned());
        }
        let mut places = BTreeSet::new();
        for (index, trial) in self.trials.iter().enumerate() {
            if !names.contains(trial.subject.as_str()) {
                return wrong(format!("trial {index} is of unknown subject `{}`", trial.subject));
            }
            if !scenarios.contains(&trial.scenario) {
                return wrong(format!("trial {index} is of unplanned `{}`", trial.scenario));
            }
            if !places.insert((trial.block, trial.scenario, trial.meter, trial.position)) {
                return wrong(format!("trial {index} stands where another one stands"));
            }
            trial_contradiction(trial)
                .map_or(Ok(()), |text| wrong(format!("trial {index}: {text}")))?;
        }
        Ok(())
    }
}

/// Something in a trial that can't be true.
fn trial_contradiction(trial: &Trial) -> Option<String> {
    let TrialOutcome::Measured(measured) = &trial.outcome else { return None };
    if measured.scenario != trial.scenario {
        return Some(format!("the driver measured `{}` instead", measured.scenario));
    }
    let differences = measured.differences();
    if !differences.is_empty() {
        let texts: Vec<String> = differences.iter().map(ToString::to_string).collect();
        return Some(texts.join("; "));
    }
    let wanted = trial.scenario.sides();
    let found: Vec<_> = measured.sides.iter().map(|result| result.side).collect();
    if found != wanted {
        return Some(format!("sides {found:?} instead of {wanted:?}"));
    }
    for result in &measured.sides {
        if result.samples.iter().any(|s| s.operations == 0 || s.nanoseconds == 0) {
            return Some(format!("a sample of {} is empty", result.side));
        }
        if result.samples.iter().any(|s| s.thread >= u64::from(trial.scenario.threads().get())) {
            return Some(format!(
                "a sample of {} is of a thread that was not asked for",
                result.side
            ));
        }
    }
    None
}
