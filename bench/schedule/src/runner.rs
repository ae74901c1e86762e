//! Runs trials one at a time and saves each before the next starts.

use crate::{
    BuiltSubject, Observer, RunEvent, ScheduleError, SessionOptions,
    cpus::TrialCpus,
    estimate::DurationEstimate,
    execute::{self, DriverCall, Executor, Instrument, ValgrindTool},
    flaws,
    order::{self, PlannedTrial},
    record::RecordFile,
    verify,
};
use shakedown_protocol::{
    Aslr, DRIVER_PROTOCOL, DriverRefusal, DriverRequest, Meter, RunPlan, Scenario, Trial,
    TrialOutcome, Unsupported,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

/// The state shared by all trials of a session.
pub(crate) struct TrialRunner<'a> {
    pub plan: &'a RunPlan,
    pub subjects: &'a [BuiltSubject],
    pub pki: &'a Path,
    pub cpus: &'a TrialCpus,
    pub executor: &'a mut dyn Executor,
    pub events: &'a mut dyn Observer,
    pub file: RecordFile,
    pub estimate: DurationEstimate,
    pub tools: CountingTools,
}

/// External tools of the counting meters.
#[derive(Debug, Default)]
pub(crate) struct CountingTools {
    heap_meter: Option<PathBuf>,
    /// Set only if the hardware instruction counter is unavailable.
    valgrind: Option<PathBuf>,
}

impl CountingTools {
    /// Takes the tools named in `options` and looks for the others.
    pub fn find(options: &SessionOptions) -> Result<Self, ScheduleError> {
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
            (Meter::Instructions, _, Some(valgrind)) => {
                Instrument::Valgrind { program: valgrind, tool: ValgrindTool::Count }
            }
            // The driver counts by itself or reports that it cannot.
            _ => Instrument::None,
        }
    }
}

/// Scenarios, or scenarios with a meter, that a subject does not support.
#[derive(Debug, Default)]
pub(crate) struct UnsupportedTrials(BTreeSet<(usize, Scenario, Option<Meter>)>);

impl UnsupportedTrials {
    /// The entries of a record's `unsupported` list.
    pub fn of(list: &[Unsupported], subjects: &[BuiltSubject]) -> Self {
        let index = |name: &str| subjects.iter().position(|c| c.entry.name == name);
        let known =
            list.iter().filter_map(|one| Some((index(&one.subject)?, one.scenario, one.meter)));
        Self(known.collect())
    }

    /// Whether this trial is known to be unsupported.
    pub fn has(&self, place: &PlannedTrial) -> bool {
        let PlannedTrial { subject, scenario, meter, .. } = *place;
        self.0.contains(&(subject, scenario, None))
            || self.0.contains(&(subject, scenario, Some(meter)))
    }
}

/// The result of trying a planned trial.
#[derive(Debug)]
pub(crate) enum TrialStep {
    /// The trial ran and was saved.
    Saved(Box<Trial>),
    /// The subject does not support it; the record says so.
    Unsupported,
}

impl TrialRunner<'_> {
    /// Everything that the record lists as unsupported.
    pub fn unsupported(&self) -> UnsupportedTrials {
        UnsupportedTrials::of(&self.file.record().unsupported, self.subjects)
    }

    /// Estimated time for these trials, without those that are not supported.
    pub fn left(&self, rest: &[PlannedTrial]) -> Duration {
        let unsupported = self.unsupported();
        let rest: Vec<&PlannedTrial> =
            rest.iter().filter(|place| !unsupported.has(place)).collect();
        self.estimate.of(self.plan, &rest)
    }

    /// Runs one trial, checks its result and saves it. `rest` holds the trials planned after it, and
    /// `limit` is the longest that they may take: both serve only to estimate the time left.
    pub fn trial(
        &mut self,
        place: &PlannedTrial,
        rest: &[PlannedTrial],
        limit: Duration,
    ) -> Result<TrialStep, ScheduleError> {
        let subject = &self.subjects[place.subject];
        let name = subject.entry.name.as_str();
        self.events.on(&RunEvent::Started {
            subject: name,
            scenario: &place.scenario,
            meter: place.meter,
            block: place.block,
            blocks: self.plan.blocks,
        });
        let trial = self.execute(place)?;
        if let TrialOutcome::Refused(DriverRefusal::Unsupported(reason)) = trial.outcome {
            self.note_unsupported(place, reason)?;
            return Ok(TrialStep::Unsupported);
        }
        self.estimate.learn(place, &trial.watch);
        self.file.push(trial.clone())?;
        let unsupported = self.unsupported();
        let trials = &self.file.record().trials;
        let done = trials.len() as u64;
        let rest: Vec<&PlannedTrial> =
            rest.iter().filter(|place| !unsupported.has(place)).collect();
        self.events.on(&RunEvent::Ended {
            trial: &trials[trials.len() - 1],
            done,
            planned: done + rest.len() as u64,
            left: self.estimate.of(self.plan, &rest).min(limit),
        });
        Ok(TrialStep::Saved(Box::new(trial)))
    }

    fn execute(&mut self, place: &PlannedTrial) -> Result<Trial, ScheduleError> {
        let subject = &self.subjects[place.subject];
        let request = self.request(place);
        let input = serde_json::to_vec(&request).map_err(|error| {
            ScheduleError::Unfit(format!("the request can't be written: {error}"))
        })?;
        let link = place.block as usize % subject.binaries.len();
        let threads = place.scenario.threads.get();
        let cpus = self.cpus.for_threads(threads);
        let mut execution = self.executor.execute(&DriverCall {
            binary: &subject.binaries[link],
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
            subject: subject.entry.name.clone(),
            scenario: place.scenario,
            meter: place.meter,
            link: link as u32,
            cpu: if let [cpu] = cpus { Some(*cpu) } else { None },
            counts_beside: 0,
            started_ms: execution.started_ms,
            // Host disturbances change times but not counts.
            flaws: match place.meter {
                Meter::Time => flaws::judge(&execution.watch, threads),
                Meter::Heap | Meter::Instructions => vec![],
            },
            outcome: verify::outcome(&request, &execution),
            watch: execution.watch,
        })
    }

    fn request(&self, place: &PlannedTrial) -> DriverRequest {
        DriverRequest {
            protocol: DRIVER_PROTOCOL,
            scenario: place.scenario,
            meter: place.meter,
            pki: self.pki.to_owned(),
            warm_up_ms: self.plan.warm_up_ms,
            measure_ms: self.plan.measure_ms,
            batch_ms: self.plan.batch_ms,
            operations: self.plan.operations,
            tickets: self.plan.tickets,
            // The same in every trial, so that counts repeat.
            seed: self.plan.seed,
        }
    }

    /// A scenario that cannot be timed is unsupported under every meter. One that cannot be counted
    /// may still be timed.
    fn note_unsupported(
        &mut self,
        place: &PlannedTrial,
        reason: String,
    ) -> Result<(), ScheduleError> {
        let whole = place.meter == Meter::Time || self.plan.meters.len() == 1;
        let what = Unsupported {
            subject: self.subjects[place.subject].entry.name.clone(),
            scenario: place.scenario,
            meter: (!whole).then_some(place.meter),
            reason,
        };
        self.file.unsupported(what.clone())?;
        self.events.on(&RunEvent::Unsupported(&what));
        Ok(())
    }
}
