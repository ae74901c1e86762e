//! Setting the knobs, one after the other.

use super::{
    ChangeOutcome, ROUNDS, SettingChange, TuneError, TuneOptions, change, read, read_states,
};
use crate::{
    Assignment, CpuSet, HostRoot, KnobSpec, Profile, assign,
    journal::{Journal, JournalEntry, JournalHeader, OriginalValue, Refusals},
    setting::Setting,
    state::SettingState,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
};

/// One tuning, from what the journal knows to what was done.
pub(super) struct Tuner<'a> {
    root: &'a HostRoot,
    options: &'a TuneOptions,
    benchmark: CpuSet,
    journal: Journal,
    boot: String,
    refusals: Refusals,
    /// What was done, by order of knob and setting.
    pub changes: BTreeMap<(u32, Setting), SettingChange>,
    /// What somebody else changed since the machine was tuned.
    foreign: BTreeSet<Setting>,
}

impl<'a> Tuner<'a> {
    pub fn new(
        root: &'a HostRoot,
        options: &'a TuneOptions,
        benchmark: CpuSet,
        journal: Journal,
        boot: String,
    ) -> Self {
        let (refusals, changes, foreign) = Default::default();
        Self { root, options, benchmark, journal, boot, refusals, changes, foreign }
    }

    /// Sets what differs.
    pub fn run(&mut self, profile: &Profile) -> Result<(), TuneError> {
        self.foreign = self.find_foreign()?;
        let originals = self.originals(profile)?;
        let begun = self.journal.log.header.is_some();
        let settled = begun && self.journal.log.done && self.journal.log.leave.is_none();
        let quiet = self.differing(profile)?.is_empty();
        if quiet && (settled || !begun) {
            return self.finish_refusals();
        }
        if !begun {
            let header = JournalHeader::new(self.boot.clone(), self.benchmark.to_string());
            self.journal.add(self.root, JournalEntry::Begin(header))?;
        }
        if !originals.is_empty() {
            self.journal.add(self.root, JournalEntry::Originals(originals))?;
        }
        for _ in 0..ROUNDS {
            let mut moved = false;
            for knob in &profile.knobs {
                moved |= self.set_knob(knob)?;
            }
            if !moved {
                break;
            }
        }
        self.note_side_effects()?;
        if !self.journal.log.done {
            self.journal.add(self.root, JournalEntry::Done)?;
        }
        self.finish_refusals()
    }

    /// Found before anything is set: setting one setting can move another.
    fn find_foreign(&self) -> Result<BTreeSet<Setting>, TuneError> {
        let log = &self.journal.log;
        let mut foreign = BTreeSet::new();
        for original in log.originals.iter().filter(|_| log.done && log.leave.is_none()) {
            if read(self.root, &original.setting)?.is_some_and(|now| !log.is_ours(original, &now)) {
                foreign.insert(original.setting.clone());
            }
        }
        Ok(foreign)
    }

    /// The halves of the machine as they are now: threads may have gone.
    pub fn cpus(&self) -> Assignment {
        Assignment::with(self.root, &self.benchmark)
    }

    /// How every setting stands that the journal does not know yet. Read before anything is set:
    /// setting one can move another.
    fn originals(&self, profile: &Profile) -> Result<Vec<OriginalValue>, TuneError> {
        let cpus = self.cpus();
        let mut known: BTreeSet<Setting> =
            self.journal.log.originals.iter().map(|original| original.setting.clone()).collect();
        let mut originals = Vec::new();
        for knob in &profile.knobs {
            for SettingState { setting, found, wanted, .. } in read_states(self.root, knob, &cpus)?
            {
                if known.insert(setting.clone()) {
                    let knob = knob.name.clone();
                    originals.push(OriginalValue { setting, knob, was: found, wanted });
                }
            }
        }
        Ok(originals)
    }

    fn differing(&self, profile: &Profile) -> Result<Vec<Setting>, TuneError> {
        let cpus = self.cpus();
        let mut found = Vec::new();
        for knob in &profile.knobs {
            let states = read_states(self.root, knob, &cpus)?.into_iter();
            found.extend(
                states.filter(|s| !s.good && s.wanted.is_some()).map(|state| state.setting),
            );
        }
        Ok(found)
    }

    /// Sets the settings of a knob that differ. Returns whether anything moved.
    fn set_knob(&mut self, knob: &KnobSpec) -> Result<bool, TuneError> {
        let mut moved = false;
        for state in read_states(self.root, knob, &self.cpus())? {
            if let (false, Some(wanted)) = (state.good, state.wanted.clone()) {
                moved |= self.set(knob, &state, &wanted)?;
            }
        }
        Ok(moved)
    }

    fn set(
        &mut self,
        knob: &KnobSpec,
        state: &SettingState,
        wanted: &str,
    ) -> Result<bool, TuneError> {
        if self.foreign.contains(&state.setting) && !self.options.force {
            self.tell(knob, state, wanted, ChangeOutcome::Changed { now: state.found.clone() });
            return Ok(false);
        }
        if self.journal.log.original(&state.setting).is_none() {
            // It came up in the middle, as a CPU does: as it is now, it was.
            let original = OriginalValue {
                setting: state.setting.clone(),
                knob: knob.name.clone(),
                was: state.found.clone(),
                wanted: Some(wanted.to_owned()),
            };
            self.journal.add(self.root, JournalEntry::Originals(vec![original]))?;
        }
        let log = &self.journal.log;
        let last = log.ours.get(&state.setting).and_then(|values| values.last());
        if last.map(String::as_str) != Some(wanted) {
            let (setting, to) = (state.setting.clone(), wanted.to_owned());
            self.journal.add(self.root, JournalEntry::Set { setting, to })?;
        }
        thread::sleep(self.options.pause);
        let outcome = match state.setting.write(self.root, wanted) {
            Err(error) => {
                self.refusals.0.insert(state.setting.to_string(), error.to_string());
                let error = error.to_string();
                if knob.refusable {
                    ChangeOutcome::Stays { error }
                } else {
                    ChangeOutcome::Refused { error }
                }
            }
            Ok(()) => self.outcome(state, wanted)?,
        };
        let moved = !matches!(outcome, ChangeOutcome::Refused { .. } | ChangeOutcome::Stays { .. });
        if moved {
            self.refusals.0.remove(&state.setting.to_string());
        }
        self.tell(knob, state, wanted, outcome);
        Ok(moved)
    }

    /// What a setting says after it was set.
    fn outcome(&mut self, state: &SettingState, wanted: &str) -> Result<ChangeOutcome, TuneError> {
        match read(self.root, &state.setting)? {
            Some(now) if now == wanted => Ok(ChangeOutcome::Set),
            None => Ok(ChangeOutcome::Gone),
            Some(now) => {
                let (setting, to) = (state.setting.clone(), now.clone());
                self.journal.add(self.root, JournalEntry::Became { setting, to })?;
                Ok(ChangeOutcome::Became { now })
            }
        }
    }

    /// Keeps the first `from` and the last outcome of a setting.
    fn tell(
        &mut self,
        knob: &KnobSpec,
        state: &SettingState,
        wanted: &str,
        outcome: ChangeOutcome,
    ) {
        let key = (knob.order, state.setting.clone());
        let new = change(knob, state, wanted, outcome);
        let from = self.changes.get(&key).map_or_else(|| new.from.clone(), |old| old.from.clone());
        self.changes.insert(key, SettingChange { from, ..new });
    }

    /// Writes down what moved although nobody set it: setting the governor moves the
    /// preference, setting the boost of all policies that of each. Later it would look like
    /// somebody else's work.
    fn note_side_effects(&mut self) -> Result<(), TuneError> {
        for original in self.journal.log.originals.clone() {
            let setting = original.setting.clone();
            let Some(now) = read(self.root, &setting)? else { continue };
            if !self.foreign.contains(&setting) && !self.is_known(&original, &now) {
                self.journal.add(self.root, JournalEntry::Became { setting, to: now })?;
            }
        }
        Ok(())
    }

    fn is_known(&self, original: &OriginalValue, now: &str) -> bool {
        let ours = self.journal.log.ours.get(&original.setting);
        now == original.was || ours.is_some_and(|values| values.iter().any(|value| value == now))
    }

    fn finish_refusals(&mut self) -> Result<(), TuneError> {
        if self.changes.is_empty() {
            // Nothing was tried, so nothing is known anew.
            return Ok(());
        }
        self.journal.refusals(self.root, &self.refusals)
    }

    /// Things to know.
    pub fn notes(&self) -> Vec<String> {
        use crate::partition::{IsolationMethod, isolation_method};
        let mut notes = Vec::new();
        if self.benchmark.is_empty() {
            notes.push("one core only: nothing can be kept free for benchmarks".to_owned());
            return notes;
        }
        let skipped = self.options.skip.iter().any(|name| name == "isolated-cpus");
        let ours = crate::partition::cpus(self.root).is_some();
        match isolation_method(self.root) {
            _ if skipped => {}
            IsolationMethod::Partition if ours => {}
            IsolationMethod::Cpusets if ours => notes.push(
                "no cpusets in cgroup v2: the benchmark CPUs are kept free with cgroup v1".to_owned(),
            ),
            _ if assign::isolated(self.root).is_some() => {
                notes.push("the benchmark CPUs were isolated before, and stay so".to_owned());
            }
            _ => notes.push(
                "the benchmark CPUs could not be isolated: trials are pinned to them, and others may come there"
                    .to_owned(),
            ),
        }
        notes
    }
}
