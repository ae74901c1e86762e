//! Tunes a machine for benchmarks, and restores it.
//!
//! [`tune`] sets what differs, knob by knob in the order of the profile, and reads all of it
//! again at the end. [`restore`] gives every setting its original. Both may be killed at any
//! moment and called again.

mod restore;
mod tuner;

pub use crate::journal::{JOURNAL, TuneError};
pub use restore::restore;

use crate::{
    Assignment, CpuSet, HostRoot, KnobSpec, Profile,
    journal::{Journal, JournalState, read_folder},
    setting::Setting,
    state::{self, SettingState},
    topology,
};
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tuner::Tuner;

/// Options of [`tune`] and [`restore`].
#[derive(Debug, Clone)]
pub struct TuneOptions {
    /// Folder of the journal.
    pub journal: PathBuf,
    /// CPUs for benchmarks, instead of the usual choice.
    pub benchmark: Option<CpuSet>,
    /// Knobs to leave alone.
    pub skip: Vec<String>,
    /// Report what would change, and change nothing.
    pub dry_run: bool,
    /// Overwrite settings that something else has changed since.
    pub force: bool,
    /// Time to wait before each change.
    pub pause: Duration,
}

impl TuneOptions {
    /// The defaults, with the machine's journal.
    pub fn new(root: &HostRoot) -> Self {
        Self {
            journal: root.path(JOURNAL.trim_start_matches('/')),
            benchmark: None,
            skip: vec![],
            dry_run: false,
            force: false,
            pause: Duration::ZERO,
        }
    }
}

/// The result for one setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum ChangeOutcome {
    /// It has the wanted value now.
    Set,
    /// A dry run would set it.
    WouldSet,
    /// The system refused the value.
    Refused {
        /// The system's error.
        error: String,
    },
    /// The system refused it, as it may for some settings of this knob; this is no failure.
    Stays {
        /// The system's error.
        error: String,
    },
    /// The system accepted the value and shows another one.
    Became {
        /// The value that it shows.
        now: String,
    },
    /// Something else has changed it since; it is left alone.
    Changed {
        /// The value that it shows.
        now: String,
    },
    /// It no longer exists.
    Gone,
}

/// One setting that differed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingChange {
    /// Name of the knob.
    pub knob: String,
    /// The file, unit or device.
    pub setting: String,
    /// Value before.
    pub from: String,
    /// Wanted value.
    pub to: String,
    /// Result.
    #[serde(flatten)]
    pub outcome: ChangeOutcome,
}

/// The result of [`tune`] or [`restore`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TuneReport {
    /// Every setting that differed, in order.
    pub changes: Vec<SettingChange>,
    /// CPUs for benchmarks.
    pub benchmark: String,
    /// Notes for the operator.
    pub notes: Vec<String>,
}

impl TuneReport {
    /// Whether every setting has its wanted value.
    pub fn is_complete(&self) -> bool {
        let done = |outcome: &ChangeOutcome| {
            matches!(
                outcome,
                ChangeOutcome::Set | ChangeOutcome::Gone | ChangeOutcome::Stays { .. }
            )
        };
        self.changes.iter().all(|change| done(&change.outcome))
    }
}

/// Setting one knob can change another, so tuning repeats. After this many rounds it gives up.
const ROUNDS: u32 = 3;

/// Tunes a machine for benchmarks.
///
/// # Errors
/// If the journal can't be written or the machine can't be read. A knob that refuses is no error.
pub fn tune(root: &HostRoot, options: &TuneOptions) -> Result<TuneReport, TuneError> {
    let mut profile = Profile::of(root)?;
    profile
        .knobs
        .retain(|knob| knob.set && knob.wanted.is_some() && !options.skip.contains(&knob.name));
    if options.dry_run {
        let log = read_folder(&options.journal)?;
        return rehearse(root, &profile, options, &log);
    }
    let mut journal = Journal::open(&options.journal)?;
    let boot = boot_id(root);
    let mut notes = Vec::new();
    if journal.log.header.as_ref().is_some_and(|header| header.boot != boot) {
        journal.outlived(root)?;
        notes.push("the machine was booted since it was tuned; it is tuned anew".to_owned());
    }
    let benchmark = benchmark(root, options, &journal.log)?;
    let mut tuner = Tuner::new(root, options, benchmark, journal, boot);
    tuner.run(&profile)?;
    notes.extend(tuner.notes());
    let benchmark = tuner.cpus().benchmark.to_string();
    Ok(TuneReport { changes: tuner.changes.into_values().collect(), benchmark, notes })
}

/// The CPUs for benchmarks: as before, as wanted, or as chosen.
fn benchmark(
    root: &HostRoot,
    options: &TuneOptions,
    log: &JournalState,
) -> Result<CpuSet, TuneError> {
    let before = log.header.as_ref().map(|header| CpuSet::parse_lossy(&header.benchmark));
    match (before, &options.benchmark) {
        (Some(before), Some(wanted)) if before != *wanted => Err(TuneError::CpuSet(format!(
            "the machine is tuned for CPUs {before}: call `shakedown host restore` before you choose {wanted}"
        ))),
        (Some(before), _) => Ok(before),
        (None, Some(wanted)) => {
            let assigned = Assignment::with(root, wanted);
            if assigned.benchmark != *wanted || assigned.housekeeping.is_empty() {
                return Err(TuneError::CpuSet(format!(
                    "CPUs {wanted} can't be for benchmarks alone: the machine has {}, and at least one must be left",
                    topology::online(root)
                )));
            }
            Ok(wanted.clone())
        }
        (None, None) => Ok(Assignment::of(root).benchmark),
    }
}

fn boot_id(root: &HostRoot) -> String {
    root.read("proc/sys/kernel/random/boot_id").unwrap_or_default()
}

fn rehearse(
    root: &HostRoot,
    profile: &Profile,
    options: &TuneOptions,
    log: &JournalState,
) -> Result<TuneReport, TuneError> {
    let cpus = Assignment::with(root, &benchmark(root, options, log)?);
    let mut changes = Vec::new();
    for knob in &profile.knobs {
        for state in read_states(root, knob, &cpus)? {
            if let (false, Some(to)) = (state.good, &state.wanted) {
                changes.push(change(knob, &state, to, ChangeOutcome::WouldSet));
            }
        }
    }
    Ok(TuneReport { changes, benchmark: cpus.benchmark.to_string(), notes: vec![] })
}

fn change(
    knob: &KnobSpec,
    state: &SettingState,
    to: &str,
    outcome: ChangeOutcome,
) -> SettingChange {
    SettingChange {
        knob: knob.name.clone(),
        setting: state.setting.to_string(),
        from: state.found.clone(),
        to: to.to_owned(),
        outcome,
    }
}

fn read_states(
    root: &HostRoot,
    knob: &KnobSpec,
    cpus: &Assignment,
) -> Result<Vec<SettingState>, TuneError> {
    state::states(root, knob, cpus)
        .map_err(|source| TuneError::Read { setting: knob.name.clone(), source })
}

fn read(root: &HostRoot, setting: &Setting) -> Result<Option<String>, TuneError> {
    setting.read(root).map_err(|source| TuneError::Read { setting: setting.to_string(), source })
}

/// Whether a machine is tuned now, by its journal.
///
/// # Errors
/// [`TuneError::Damaged`].
pub fn is_tuned(root: &HostRoot, journal: &Path) -> Result<bool, TuneError> {
    let log = read_folder(journal)?;
    Ok(log.header.is_some_and(|header| header.boot == boot_id(root)))
}

#[cfg(test)]
mod tests;
