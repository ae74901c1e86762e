//! Profiles of one scenario: what callgrind and DHAT write of one process, and what one operation puts on
//! the wire.

use crate::{
    execute::{
        self, DriverCall, EventCounters, Execution, Executor, Instrument, Processes, ValgrindTool,
    },
    verify,
};
use shakedown_protocol::{
    Aslr, DRIVER_PROTOCOL, DriverRefusal, DriverRequest, HostWatch, Meter, RunPlan, Scenario,
    Transcript, TranscriptReply, TrialOutcome, UnsupportedReason,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};
use thiserror::Error;

/// A profiled process takes this many times as long as one whose instructions are counted, at most.
const SLOWER: u64 = 5;

/// One scenario of one subject.
#[derive(Debug, Clone, Copy)]
pub struct ProfiledScenario<'a> {
    /// The driver.
    pub binary: &'a Path,
    /// What the subject's build variants add to its environment.
    pub environment: &'a BTreeMap<String, String>,
    /// Folder with the test certificates.
    pub pki: &'a Path,
    /// Where operations, seed, tickets and time limit come from.
    pub plan: &'a RunPlan,
    /// What to profile.
    pub scenario: &'a Scenario,
}

/// Why there is no profile or transcript.
#[derive(Debug, Error)]
pub enum ProfilingError {
    /// Valgrind is not installed.
    #[error("there is no valgrind on this machine: install it to see which functions changed")]
    NoValgrind,
    /// The library does not do this.
    #[error("{0}")]
    Unsupported(UnsupportedReason),
    /// The driver failed.
    #[error("the driver failed: {0}")]
    Failed(String),
    /// The driver ended well, and valgrind wrote nothing.
    #[error("valgrind wrote no profile")]
    NoOutput,
}

/// Callgrind's dumps of the client's end and of the server's, over as many operations as the plan
/// counts.
///
/// # Errors
/// [`ProfilingError`].
pub fn profile_instructions(what: ProfiledScenario<'_>) -> Result<[String; 2], ProfilingError> {
    let dumps = run(what, ValgrindTool::Profile, what.plan.operations)?;
    <[String; 2]>::try_from(dumps).map_err(|_| ProfilingError::NoOutput)
}

/// DHAT's output for a process of so many operations under a counting meter. It has both ends, and what
/// the process allocates once: take the difference of two.
///
/// # Errors
/// [`ProfilingError`].
pub fn profile_heap(what: ProfiledScenario<'_>, operations: u32) -> Result<String, ProfilingError> {
    let output = run(what, ValgrindTool::Heap, operations)?;
    output.into_iter().next().ok_or(ProfilingError::NoOutput)
}

/// What one operation puts on the wire.
///
/// # Errors
/// [`ProfilingError`].
pub fn transcribe(what: ProfiledScenario<'_>) -> Result<Transcript, ProfilingError> {
    Ok(unmetered(what, 1)?.0)
}

/// What the kernel and the processor count for an operation, both ends together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OperationEvents {
    /// Page faults, minor and major.
    pub page_faults: f64,
    /// Misses in caches and mispredicted branches, by the events' names in `perf list`; those that this
    /// machine counts.
    pub misses: BTreeMap<String, f64>,
}

/// What the kernel and the processor count for an operation. What a process does once, at its start, is in the
/// difference of two processes no more.
///
/// # Errors
/// [`ProfilingError`].
pub fn operation_events(what: ProfiledScenario<'_>) -> Result<OperationEvents, ProfilingError> {
    const OPERATIONS: u32 = 400;
    let [fewer, more] = [counted(what, OPERATIONS)?, counted(what, 2 * OPERATIONS)?];
    let of_one = |fewer: u64, more: u64| more.saturating_sub(fewer) as f64 / f64::from(OPERATIONS);
    let misses = more.1.iter().filter_map(|(name, more)| {
        fewer.1.get(name).map(|fewer| (name.clone(), of_one(*fewer, *more)))
    });
    Ok(OperationEvents { page_faults: of_one(fewer.0, more.0), misses: misses.collect() })
}

/// Page faults and misses of a process with so many operations.
fn counted(
    what: ProfiledScenario<'_>,
    operations: u32,
) -> Result<(u64, BTreeMap<String, u64>), ProfilingError> {
    let mut counters = EventCounters::of_misses();
    let watch = unmetered(what, operations)?.1;
    let misses = counters.read().map_err(|error| ProfilingError::Failed(error.to_string()))?;
    Ok((watch.minor_faults + watch.major_faults, misses))
}

/// Runs so many operations without any instrument; gives what the last one puts on the wire, and what the
/// kernel counted.
fn unmetered(
    what: ProfiledScenario<'_>,
    operations: u32,
) -> Result<(Transcript, HostWatch), ProfilingError> {
    let request = DriverRequest { meter: Meter::Heap, ..request(what, operations) };
    let execution = call(what, "transcript", &request, Instrument::None)?;
    match verify::transcript(&execution) {
        Ok(TranscriptReply::Transcribed(transcript)) => Ok((transcript, execution.watch)),
        Ok(TranscriptReply::Refused(refusal)) => Err(refused(refusal)),
        Err(reason) => Err(ProfilingError::Failed(reason.to_string())),
    }
}

fn run(
    what: ProfiledScenario<'_>,
    tool: ValgrindTool,
    operations: u32,
) -> Result<Vec<String>, ProfilingError> {
    let program: PathBuf = execute::valgrind().ok_or(ProfilingError::NoValgrind)?;
    let request = request(what, operations);
    let instrument = Instrument::Valgrind { program: &program, tool };
    let execution = call(what, "measure", &request, instrument)?;
    match verify::profiled(&request, &execution) {
        TrialOutcome::Measured(_) => Ok(execution.profiles),
        TrialOutcome::Refused(refusal) => Err(refused(refusal)),
        TrialOutcome::Lost { reason, .. } => Err(ProfilingError::Failed(reason.to_string())),
    }
}

fn call(
    what: ProfiledScenario<'_>,
    verb: &str,
    request: &DriverRequest,
    instrument: Instrument<'_>,
) -> Result<Execution, ProfilingError> {
    let input = serde_json::to_vec(request);
    let input = input.map_err(|error| ProfilingError::Failed(error.to_string()))?;
    Ok(Processes::here().execute(&DriverCall {
        binary: what.binary,
        verb,
        input: &input,
        cpus: &[],
        aslr: Aslr::Off,
        pad: 0,
        environment: what.environment,
        timeout: Duration::from_millis(what.plan.timeout_ms.saturating_mul(SLOWER)),
        instrument,
    }))
}

fn refused(refusal: DriverRefusal) -> ProfilingError {
    match refusal {
        DriverRefusal::Unsupported(reason) => ProfilingError::Unsupported(reason),
        DriverRefusal::Broken(why) | DriverRefusal::Failed(why) => ProfilingError::Failed(why),
    }
}

fn request(what: ProfiledScenario<'_>, operations: u32) -> DriverRequest {
    let plan = what.plan;
    DriverRequest {
        protocol: DRIVER_PROTOCOL,
        scenario: *what.scenario,
        // What a session holds is measured by no other meter.
        meter: if what.scenario.is_memory() { Meter::Time } else { Meter::Instructions },
        pki: what.pki.to_owned(),
        warm_up_ms: plan.warm_up_ms,
        measure_ms: plan.measure_ms,
        batch_ms: plan.batch_ms,
        operations,
        tickets: plan.tickets,
        seed: plan.seed,
    }
}
