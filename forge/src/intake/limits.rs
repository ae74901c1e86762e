//! How large, deep and long what a stranger hands over may be.

use super::IntakeRefusal;
use shakedown_protocol::{RunRecord, TrialOutcome};

/// What is taken at most. The defaults are ten times what the largest comparison needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntakeLimits {
    /// Bytes of the archive.
    pub archive: u64,
    /// Bytes of the record.
    pub record: u64,
    /// Bytes of the explanation.
    pub explanation: u64,
    /// How many times larger than packed a file may be.
    pub ratio: u64,
    /// Values in the JSON text: each costs memory, however short it is.
    pub values: u64,
    /// Levels of the JSON text.
    pub depth: u32,
    /// Bytes of one string.
    pub string: usize,
    /// Trials.
    pub trials: usize,
    /// Scenarios.
    pub scenarios: usize,
    /// Blocks, links and the places within a block.
    pub rounds: u32,
    /// Characters of a name.
    pub name: usize,
}

impl Default for IntakeLimits {
    fn default() -> Self {
        Self {
            archive: 32 << 20,
            record: 64 << 20,
            explanation: 8 << 20,
            ratio: 250,
            values: 4_000_000,
            depth: 32,
            string: 64 << 10,
            trials: 100_000,
            scenarios: 1000,
            rounds: 10_000,
            name: 300,
        }
    }
}

/// Checks what is countable in a record that is otherwise sound.
pub(super) fn check(record: &RunRecord, limits: &IntakeLimits) -> Result<(), IntakeRefusal> {
    let beyond = |what: &str, found: u64, limit: u64| {
        Err(IntakeRefusal::Beyond(format!("{what}: {found}, and {limit} are the limit")))
    };
    let counts = [
        ("trials", record.trials.len(), limits.trials),
        ("scenarios", record.plan.scenarios.len(), limits.scenarios),
        ("subjects", record.subjects.len(), 16),
    ];
    for (what, found, limit) in counts {
        if found > limit {
            return beyond(what, found as u64, limit as u64);
        }
    }
    let rounds = u64::from(limits.rounds);
    let highest = record.trials.iter().map(|trial| trial.block.max(trial.link).max(trial.position));
    let highest = highest.max().unwrap_or(0).max(record.plan.blocks);
    if highest > limits.rounds {
        return beyond("blocks", u64::from(highest), rounds);
    }
    let sessions = record.trials.iter().filter_map(|trial| match &trial.outcome {
        TrialOutcome::Measured(measured) => measured.memory.map(|memory| memory.sessions),
        _ => None,
    });
    if sessions.max() == Some(u32::MAX) {
        return beyond("sessions", u64::from(u32::MAX), u64::from(u32::MAX) - 1);
    }
    names(record, limits)
}

/// Names appear in tables, file names and markers.
fn names(record: &RunRecord, limits: &IntakeLimits) -> Result<(), IntakeRefusal> {
    let subjects = record.subjects.iter().flat_map(|entry| {
        [entry.name.as_str(), entry.artifact.id.as_str(), entry.driver.library.as_str()]
    });
    let own = [&*record.id, &*record.plan.suite, &*record.host.name, &*record.host.epoch.id];
    for name in own.into_iter().chain([&*record.shakedown]).chain(subjects) {
        if name.chars().count() > limits.name {
            let start: String = name.chars().take(40).flat_map(char::escape_default).collect();
            return Err(IntakeRefusal::Beyond(format!(
                "a name of more than {} characters: {start}",
                limits.name
            )));
        }
        if name.chars().any(char::is_control) {
            let start: String = name.chars().take(40).flat_map(char::escape_default).collect();
            return Err(IntakeRefusal::Beyond(format!("a name with control characters: {start}")));
        }
    }
    Ok(())
}
