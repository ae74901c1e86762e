//! Makes a machine quiet, and puts it back.
//!
//! [`tune`] sets what differs, knob by knob in the order of the profile, and reads all of it
//! again at the end. [`restore`] gives every place its original. Both may be killed at any
//! moment and called again.

mod restore;

pub use crate::journal::{JOURNAL, TuneError};
pub use restore::restore;

use crate::{
    Assignment, Cpus, HostRoot, Knob, Profile, assign,
    journal::{Entry, Header, Journal, Log, Original, Refusals, read_folder},
    place::Place,
    spots::{self, Spot},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// How to go about it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folder of the journal.
    pub journal: PathBuf,
    /// CPUs for benchmarks, instead of the usual choice.
    pub benchmark: Option<Cpus>,
    /// Knobs that are left alone.
    pub skip: Vec<String>,
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
    /// Overwrite what somebody changed since.
    pub force: bool,
    /// Time to wait before each change.
    pub pause: Duration,
}

impl Options {
    /// The usual way, with the usual journal of a machine.
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

/// What became of a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// It says now what it should.
    Set,
    /// A dry run would set it.
    WouldSet,
    /// The system did not let us.
    Refused {
        /// What it said.
        error: String,
    },
    /// The system does not move it, as some of its kind; that does not matter.
    Stays {
        /// What it said.
        error: String,
    },
    /// The system took it and made something else of it.
    Became {
        /// What it says.
        now: String,
    },
    /// Somebody changed it since; it is left alone.
    Changed {
        /// What it says.
        now: String,
    },
    /// It is gone from the machine.
    Gone,
}

/// One place that differed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Name of the knob.
    pub knob: String,
    /// The file, unit or device.
    pub place: String,
    /// What it said.
    pub from: String,
    /// What it should say.
    pub to: String,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What `tune` or `restore` did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Deeds {
    /// Every place that differed, in order.
    pub changes: Vec<Change>,
    /// CPUs for benchmarks.
    pub benchmark: String,
    /// Things to know.
    pub notes: Vec<String>,
}

impl Deeds {
    /// Whether nothing is left that should be otherwise.
    pub fn is_complete(&self) -> bool {
        let done = |outcome: &Outcome| {
            matches!(outcome, Outcome::Set | Outcome::Gone | Outcome::Stays { .. })
        };
        self.changes.iter().all(|change| done(&change.outcome))
    }
}

/// What one changes another; a machine that does not settle after so many rounds never will.
const ROUNDS: u32 = 3;

/// Makes a machine quiet.
///
/// # Errors
/// When the journal can't be written or the machine not read; a knob that refuses is no error.
pub fn tune(root: &HostRoot, options: &Options) -> Result<Deeds, TuneError> {
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
    let mut tuner = Tuner {
        root,
        options,
        benchmark,
        journal,
        boot,
        refusals: Refusals::default(),
        changes: BTreeMap::new(),
        foreign: BTreeSet::new(),
    };
    tuner.run(&profile)?;
    notes.extend(tuner.notes());
    let benchmark = tuner.cpus().benchmark.to_string();
    Ok(Deeds { changes: tuner.changes.into_values().collect(), benchmark, notes })
}

/// The CPUs for benchmarks: as before, as wanted, or as chosen.
fn benchmark(root: &HostRoot, options: &Options, log: &Log) -> Result<Cpus, TuneError> {
    let before = log.header.as_ref().map(|header| Cpus::lenient(&header.benchmark));
    match (before, &options.benchmark) {
        (Some(before), Some(wanted)) if before != *wanted => Err(TuneError::Cpus(format!(
            "the machine is tuned for CPUs {before}: call `shakedown host restore` before you choose {wanted}"
        ))),
        (Some(before), _) => Ok(before),
        (None, Some(wanted)) => {
            let assigned = Assignment::with(root, wanted);
            if assigned.benchmark != *wanted || assigned.housekeeping.is_empty() {
                return Err(TuneError::Cpus(format!(
                    "CPUs {wanted} can't be for benchmarks alone: the machine has {}, and at least one must be left",
                    assign::online(root)
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
    options: &Options,
    log: &Log,
) -> Result<Deeds, TuneError> {
    let cpus = Assignment::with(root, &benchmark(root, options, log)?);
    let mut changes = Vec::new();
    for knob in &profile.knobs {
        for spot in read_spots(root, knob, &cpus)? {
            if let (false, Some(to)) = (spot.good, &spot.wanted) {
                changes.push(change(knob, &spot, to, Outcome::WouldSet));
            }
        }
    }
    Ok(Deeds { changes, benchmark: cpus.benchmark.to_string(), notes: vec![] })
}

fn change(knob: &Knob, spot: &Spot, to: &str, outcome: Outcome) -> Change {
    Change {
        knob: knob.name.clone(),
        place: spot.place.to_string(),
        from: spot.found.clone(),
        to: to.to_owned(),
        outcome,
    }
}

fn read_spots(root: &HostRoot, knob: &Knob, cpus: &Assignment) -> Result<Vec<Spot>, TuneError> {
    spots::spots(root, knob, cpus)
        .map_err(|source| TuneError::Read { place: knob.name.clone(), source })
}

fn read(root: &HostRoot, place: &Place) -> Result<Option<String>, TuneError> {
    place.read(root).map_err(|source| TuneError::Read { place: place.to_string(), source })
}

struct Tuner<'a> {
    root: &'a HostRoot,
    options: &'a Options,
    benchmark: Cpus,
    journal: Journal,
    boot: String,
    refusals: Refusals,
    changes: BTreeMap<(u32, Place), Change>,
    /// What somebody else changed since the machine was tuned.
    foreign: BTreeSet<Place>,
}

impl Tuner<'_> {
    fn run(&mut self, profile: &Profile) -> Result<(), TuneError> {
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
    fn cpus(&self) -> Assignment {
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

    fn notes(&self) -> Vec<String> {
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
