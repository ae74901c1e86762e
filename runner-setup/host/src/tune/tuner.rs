//! Setting the knobs, one after the other.

use super::{Change, Options, Outcome, ROUNDS, TuneError, change, read, read_spots};
use crate::{
    Assignment, Cpus, HostRoot, Knob, Profile, assign,
    journal::{Entry, Header, Journal, Original, Refusals},
    place::Place,
    spots::Spot,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
};

/// One tuning, from what the journal knows to what was done.
pub(super) struct Tuner<'a> {
    root: &'a HostRoot,
    options: &'a Options,
    benchmark: Cpus,
    journal: Journal,
    boot: String,
    refusals: Refusals,
    /// What was done, by order of knob and place.
    pub changes: BTreeMap<(u32, Place), Change>,
    /// What somebody else changed since the machine was tuned.
    foreign: BTreeSet<Place>,
}

impl<'a> Tuner<'a> {
    pub fn new(
        root: &'a HostRoot,
        options: &'a Options,
        benchmark: Cpus,
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
            let header = Header::new(self.boot.clone(), self.benchmark.to_string());
            self.journal.add(self.root, Entry::Begin(header))?;
        }
        if !originals.is_empty() {
            self.journal.add(self.root, Entry::Originals(originals))?;
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
            self.journal.add(self.root, Entry::Done)?;
        }
        self.finish_refusals()
    }

    /// Found before anything is set: setting one place can move another.
    fn find_foreign(&self) -> Result<BTreeSet<Place>, TuneError> {
        let log = &self.journal.log;
        let mut foreign = BTreeSet::new();
        for original in log.originals.iter().filter(|_| log.done && log.leave.is_none()) {
            if read(self.root, &original.place)?.is_some_and(|now| !log.is_ours(original, &now)) {
                foreign.insert(original.place.clone());
            }
        }
        Ok(foreign)
    }

    /// The halves of the machine as they are now: threads may have gone.
    pub fn cpus(&self) -> Assignment {
        Assignment::with(self.root, &self.benchmark)
    }

    /// How every place stands that the journal does not know yet. Read before anything is set:
    /// setting one can move another.
    fn originals(&self, profile: &Profile) -> Result<Vec<Original>, TuneError> {
        let cpus = self.cpus();
        let mut known: BTreeSet<Place> =
            self.journal.log.originals.iter().map(|original| original.place.clone()).collect();
        let mut originals = Vec::new();
        for knob in &profile.knobs {
            for Spot { place, found, wanted, .. } in read_spots(self.root, knob, &cpus)? {
                if known.insert(place.clone()) {
                    let knob = knob.name.clone();
                    originals.push(Original { place, knob, was: found, wanted });
                }
            }
        }
        Ok(originals)
    }

    fn differing(&self, profile: &Profile) -> Result<Vec<Place>, TuneError> {
        let cpus = self.cpus();
        let mut found = Vec::new();
        for knob in &profile.knobs {
            let spots = read_spots(self.root, knob, &cpus)?.into_iter();
            found.extend(spots.filter(|s| !s.good && s.wanted.is_some()).map(|spot| spot.place));
        }
        Ok(found)
    }

    /// Sets the places of a knob that differ. Returns whether anything moved.
    fn set_knob(&mut self, knob: &Knob) -> Result<bool, TuneError> {
        let mut moved = false;
        for spot in read_spots(self.root, knob, &self.cpus())? {
            if let (false, Some(wanted)) = (spot.good, spot.wanted.clone()) {
                moved |= self.set(knob, &spot, &wanted)?;
            }
        }
        Ok(moved)
    }

    fn set(&mut self, knob: &Knob, spot: &Spot, wanted: &str) -> Result<bool, TuneError> {
        if self.foreign.contains(&spot.place) && !self.options.force {
            self.tell(knob, spot, wanted, Outcome::Changed { now: spot.found.clone() });
            return Ok(false);
        }
        if self.journal.log.original(&spot.place).is_none() {
            // It came up in the middle, as a CPU does: as it is now, it was.
            let original = Original {
                place: spot.place.clone(),
                knob: knob.name.clone(),
                was: spot.found.clone(),
                wanted: Some(wanted.to_owned()),
            };
            self.journal.add(self.root, Entry::Originals(vec![original]))?;
        }
        let log = &self.journal.log;
        let last = log.ours.get(&spot.place).and_then(|values| values.last());
        if last.map(String::as_str) != Some(wanted) {
            let (place, to) = (spot.place.clone(), wanted.to_owned());
            self.journal.add(self.root, Entry::Set { place, to })?;
        }
        thread::sleep(self.options.pause);
        let outcome = match spot.place.write(self.root, wanted) {
            Err(error) => {
                self.refusals.0.insert(spot.place.to_string(), error.to_string());
                let error = error.to_string();
                if knob.refusable { Outcome::Stays { error } } else { Outcome::Refused { error } }
            }
            Ok(()) => self.outcome(spot, wanted)?,
        };
        let moved = !matches!(outcome, Outcome::Refused { .. } | Outcome::Stays { .. });
        if moved {
            self.refusals.0.remove(&spot.place.to_string());
        }
        self.tell(knob, spot, wanted, outcome);
        Ok(moved)
    }

    /// What a place says after it was set.
    fn outcome(&mut self, spot: &Spot, wanted: &str) -> Result<Outcome, TuneError> {
        match read(self.root, &spot.place)? {
            Some(now) if now == wanted => Ok(Outcome::Set),
            None => Ok(Outcome::Gone),
            Some(now) => {
                let (place, to) = (spot.place.clone(), now.clone());
                self.journal.add(self.root, Entry::Became { place, to })?;
                Ok(Outcome::Became { now })
            }
        }
    }

    /// Keeps the first `from` and the last outcome of a place.
    fn tell(&mut self, knob: &Knob, spot: &Spot, wanted: &str, outcome: Outcome) {
        let key = (knob.order, spot.place.clone());
        let new = change(knob, spot, wanted, outcome);
        let from = self.changes.get(&key).map_or_else(|| new.from.clone(), |old| old.from.clone());
        self.changes.insert(key, Change { from, ..new });
    }

    /// Writes down what moved although nobody set it: setting the governor moves the
    /// preference, setting the boost of all policies that of each. Later it would look like
    /// somebody else's work.
    fn note_side_effects(&mut self) -> Result<(), TuneError> {
        for original in self.journal.log.originals.clone() {
            let place = original.place.clone();
            let Some(now) = read(self.root, &place)? else { continue };
            if !self.foreign.contains(&place) && !self.is_known(&original, &now) {
                self.journal.add(self.root, Entry::Became { place, to: now })?;
            }
        }
        Ok(())
    }

    fn is_known(&self, original: &Original, now: &str) -> bool {
        let ours = self.journal.log.ours.get(&original.place);
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
        use crate::partition::{Means, means};
        let mut notes = Vec::new();
        if self.benchmark.is_empty() {
            notes.push("one core only: nothing can be kept free for benchmarks".to_owned());
            return notes;
        }
        let skipped = self.options.skip.iter().any(|name| name == "isolated-cpus");
        let ours = crate::partition::cpus(self.root).is_some();
        match means(self.root) {
            _ if skipped => {}
            Means::Partition if ours => {}
            Means::Cpusets if ours => notes.push(
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
