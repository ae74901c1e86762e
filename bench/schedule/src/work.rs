//! Trials, one after the other, each saved before the next begins.

use crate::{
    Contestant, Event, Observer, Options, ScheduleError,
    cpus::Cpus,
    estimate::Estimate,
    execute::{self, Executor, Instrument, Job},
    flaws,
    order::{self, Place},
    record::RecordFile,
    verify,
};
use shakedown_protocol::{
    Aslr, DRIVER_PROTOCOL, Meter, Outcome, Plan, Refusal, Request, Scenario, Trial, Unsupported,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

/// Everything that trials need.
pub(crate) struct Work<'a> {
    pub plan: &'a Plan,
    pub contestants: &'a [Contestant],
    pub pki: &'a Path,
    pub cpus: &'a Cpus,
    pub executor: &'a mut dyn Executor,
    pub events: &'a mut dyn Observer,
    pub file: RecordFile,
    pub estimate: Estimate,
    pub tools: Tools,
}

/// What counting trials run with.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    heap_meter: Option<PathBuf>,
    /// Only where the processor's counter can't be used.
    valgrind: Option<PathBuf>,
}

impl Tools {
    /// Finds what the options don't name.
    pub fn find(options: &Options) -> Result<Self, ScheduleError> {
        let preloadable = |path: &PathBuf| {
            execute::preloadable(path).map_err(|error| {
                let path = path.display();
                ScheduleError::Unfit(format!("the heap meter {path} can't be preloaded: {error}"))
            })
        };
        let heap_meter = options.heap_meter.as_ref().map(preloadable).transpose()?;
        let valgrind = options
            .valgrind
            .clone()
            .or_else(|| if execute::counts_instructions() { None } else { execute::valgrind() });
        Ok(Self { heap_meter, valgrind })
    }

    fn instrument(&self, meter: Meter) -> Instrument<'_> {
        match (meter, &self.heap_meter, &self.valgrind) {
            (Meter::Heap, Some(library), _) => Instrument::Preload(library),
            (Meter::Instructions, _, Some(valgrind)) => Instrument::Callgrind { valgrind },
            // The driver counts by itself, or says that it can't.
            _ => Instrument::None,
        }
    }
}

/// What a subject turned out not to do.
#[derive(Debug, Default)]
pub(crate) struct Barred(BTreeSet<(usize, Scenario, Option<Meter>)>);

impl Barred {
    /// What the record knows.
    pub fn of(list: &[Unsupported], contestants: &[Contestant]) -> Self {
        let index = |name: &str| contestants.iter().position(|c| c.entry.name == name);
        let known =
            list.iter().filter_map(|one| Some((index(&one.subject)?, one.scenario, one.meter)));
        Self(known.collect())
    }

    /// Whether there is no use in trying.
    pub fn has(&self, place: &Place) -> bool {
        let Place { subject, scenario, meter, .. } = *place;
        self.0.contains(&(subject, scenario, None))
            || self.0.contains(&(subject, scenario, Some(meter)))
    }
}

/// What became of a place.
#[derive(Debug)]
pub(crate) enum Done {
    /// This trial was saved.
    Saved(Box<Trial>),
    /// The subject can't do this; it was noted.
    Unsupported,
}

impl Work<'_> {
    /// What the record says that subjects can't do.
    pub fn barred(&self) -> Barred {
        Barred::of(&self.file.record().unsupported, self.contestants)
    }

    /// Runs one trial, judges it and saves it. `rest` is what is planned after it, for the
    /// estimate.
    pub fn trial(&mut self, place: &Place, rest: &[Place]) -> Result<Done, ScheduleError> {
        let contestant = &self.contestants[place.subject];
        let name = contestant.entry.name.as_str();
        self.events.on(&Event::Started {
            subject: name,
            scenario: &place.scenario,
            meter: place.meter,
            block: place.block,
            blocks: self.plan.blocks,
        });
        let trial = self.execute(place)?;
        if let Outcome::Refused(Refusal::Unsupported(reason)) = trial.outcome {
            self.note_unsupported(place, reason)?;
            return Ok(Done::Unsupported);
        }
        self.estimate.learn(place, &trial.watch);
        self.file.push(trial.clone())?;
        let barred = self.barred();
        let trials = &self.file.record().trials;
        let done = trials.len() as u64;
        let rest: Vec<&Place> = rest.iter().filter(|place| !barred.has(place)).collect();
        self.events.on(&Event::Ended {
            trial: &trials[trials.len() - 1],
            done,
            planned: done + rest.len() as u64,
            left: self.estimate.of(self.plan, &rest),
        });
        Ok(Done::Saved(Box::new(trial)))
    }

    fn execute(&mut self, place: &Place) -> Result<Trial, ScheduleError> {
        let contestant = &self.contestants[place.subject];
        let request = self.request(place);
        let input = serde_json::to_vec(&request).map_err(|error| {
            ScheduleError::Unfit(format!("the request can't be written: {error}"))
        })?;
        let link = place.block as usize % contestant.binaries.len();
        let threads = place.scenario.threads.get();
        let cpus = self.cpus.for_threads(threads);
        let mut execution = self.executor.execute(&Job {
            binary: &contestant.binaries[link],
            verb: "measure",
            input: &input,
            cpus,
            // Counts repeat only where the layout does.
            aslr: if place.meter == Meter::Time { self.plan.aslr } else { Aslr::Off },
            pad: order::pad(self.plan.seed, place.block, place.position),
            timeout: Duration::from_millis(self.plan.timeout_ms),
            instrument: self.tools.instrument(place.meter),
        });
        if place.scenario.in_tree {
            execution.watch = flaws::of_children(execution.watch);
        }
        Ok(Trial {
            block: place.block,
            position: place.position,
            subject: contestant.entry.name.clone(),
            scenario: place.scenario,
            meter: place.meter,
            link: link as u32,
            cpu: if let [cpu] = cpus { Some(*cpu) } else { None },
            started_ms: execution.started_ms,
            // What slows a process down does not change what it counts.
            flaws: match place.meter {
                Meter::Time => flaws::judge(&execution.watch, threads),
                Meter::Heap | Meter::Instructions => vec![],
            },
            outcome: verify::outcome(&request, &execution),
            watch: execution.watch,
        })
    }

    fn request(&self, place: &Place) -> Request {
        Request {
            protocol: DRIVER_PROTOCOL,
            scenario: place.scenario,
            meter: place.meter,
            pki: self.pki.to_owned(),
            warm_up_ms: self.plan.warm_up_ms,
            measure_ms: self.plan.measure_ms,
            batch_ms: self.plan.batch_ms,
            operations: self.plan.operations,
            tickets: self.plan.tickets,
            // The same in every trial: counts shall repeat.
            seed: self.plan.seed,
        }
    }

    /// A scenario that can't be timed can't be done; one that can't be counted may be timed.
    fn note_unsupported(&mut self, place: &Place, reason: String) -> Result<(), ScheduleError> {
        let whole = place.meter == Meter::Time || self.plan.meters.len() == 1;
        let what = Unsupported {
            subject: self.contestants[place.subject].entry.name.clone(),
            scenario: place.scenario,
            meter: (!whole).then_some(place.meter),
            reason,
        };
        self.file.unsupported(what.clone())?;
        self.events.on(&Event::Unsupported(&what));
        Ok(())
    }
}
