//! Runs single trials and saves each as it ends.

use crate::{
    BuiltSubject, RunEvent, ScheduleError, SessionOptions,
    cpus::TrialCpus,
    execute::{self, DriverCall, Executor, Instrument, ValgrindTool},
    flaws,
    order::{self, PlannedTrial},
    run_log::{RunLog, UnsupportedTrials},
    verify,
};
use shakedown_protocol::{
    Aslr, DRIVER_PROTOCOL, DriverRefusal, DriverRequest, Meter, RunPlan, Trial, TrialOutcome,
    Unsupported,
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The state shared by all trials of a session. Several threads run trials.
pub(crate) struct TrialRunner<'a> {
    pub plan: &'a RunPlan,
    pub subjects: Vec<BuiltSubject>,
    pub pki: &'a Path,
    pub cpus: &'a TrialCpus,
    pub executor: &'a dyn Executor,
    pub log: RunLog<'a>,
    pub tools: CountingTools,
}

/// External tools of the counting meters.
#[derive(Debug, Default)]
pub(crate) struct CountingTools {
    heap_meter: Option<PathBuf>,
    lock_meter: Option<PathBuf>,
    /// Set only if the hardware instruction counter is unavailable.
    valgrind: Option<PathBuf>,
}

impl CountingTools {
    /// Takes the tools named in `options` and looks for the others.
    pub fn find(options: &SessionOptions) -> Result<Self, ScheduleError> {
        let preloadable = |path: &PathBuf| {
            execute::preloadable(path).map_err(|error| {
                let path = path.display();
                ScheduleError::Unfit(format!("the meter {path} can't be preloaded: {error}"))
            })
        };
        let heap_meter = options.heap_meter.as_ref().map(preloadable).transpose()?;
        let lock_meter = options.lock_meter.as_ref().map(preloadable).transpose()?;
        let valgrind = options
            .valgrind
            .clone()
            .or_else(|| if execute::counts_instructions() { None } else { execute::valgrind() });
        Ok(Self { heap_meter, lock_meter, valgrind })
    }

    fn instrument(&self, meter: Meter) -> Instrument<'_> {
        let found = match meter {
            Meter::Time => None,
            Meter::Heap => self.heap_meter.as_deref().map(Instrument::Preload),
            Meter::Locks => self.lock_meter.as_deref().map(Instrument::Preload),
            Meter::Instructions => self
                .valgrind
                .as_deref()
                .map(|program| Instrument::Valgrind { program, tool: ValgrindTool::Count }),
        };
        // Without one, the driver counts by itself or reports that it cannot.
        found.unwrap_or(Instrument::None)
    }
}

impl TrialRunner<'_> {
    /// Everything that the record lists as unsupported.
    pub fn unsupported(&self) -> UnsupportedTrials {
        self.log.unsupported(&self.subjects)
    }

    /// Runs one trial, on this CPU if one is named, checks its result and saves it. `None` if the subject
    /// does not support it: then the record says so.
    pub fn trial(
        &self,
        place: &PlannedTrial,
        cpu: Option<u32>,
    ) -> Result<Option<Trial>, ScheduleError> {
        let subject = &self.subjects[place.subject];
        self.log.tell(&RunEvent::Started {
            subject: &subject.entry.name,
            scenario: &place.scenario,
            meter: place.meter,
            block: place.block,
            blocks: self.plan.blocks,
        });
        let trial = self.execute(place, cpu)?;
        if let TrialOutcome::Refused(DriverRefusal::Unsupported(reason)) = trial.outcome {
            self.log.note_unsupported(&self.lack(place, reason))?;
            return Ok(None);
        }
        self.log.save(place, &trial, &self.subjects)?;
        Ok(Some(trial))
    }

    fn execute(&self, place: &PlannedTrial, cpu: Option<u32>) -> Result<Trial, ScheduleError> {
        let subject = &self.subjects[place.subject];
        let request = self.request(place);
        let input = serde_json::to_vec(&request).map_err(|error| {
            ScheduleError::Unfit(format!("the request can't be written: {error}"))
        })?;
        let link = place.link as usize % subject.binaries.len();
        let threads = place.scenario.threads().get();
        let cpus =
            cpu.as_ref().map_or_else(|| self.cpus.for_threads(threads), std::slice::from_ref);
        let mut execution = self.executor.execute(&DriverCall {
            binary: &subject.binaries[link],
            verb: "measure",
            input: &input,
            cpus,
            // Counts repeat only where the layout does.
            aslr: if place.meter == Meter::Time { self.plan.aslr } else { Aslr::Off },
            pad: order::pad(self.plan.seed, place.block, place.position),
            environment: &subject.entry.artifact.run_environment,
            timeout: Duration::from_millis(self.plan.timeout_ms),
            instrument: self.tools.instrument(place.meter),
        });
        if place.scenario.in_tree() {
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
            started_ms: execution.started_ms,
            // Host disturbances change times but not counts.
            flaws: if order::is_counted(&(place.scenario, place.meter)) {
                vec![]
            } else {
                flaws::judge(&execution.watch, threads)
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
    fn lack(&self, place: &PlannedTrial, reason: String) -> Unsupported {
        let whole = place.meter == Meter::Time || self.plan.meters.len() == 1;
        Unsupported {
            subject: self.subjects[place.subject].entry.name.clone(),
            scenario: place.scenario,
            meter: (!whole).then_some(place.meter),
            reason,
        }
    }
}
