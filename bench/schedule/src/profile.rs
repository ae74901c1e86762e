//! Profiles of one scenario: what callgrind and DHAT write of one process.

use crate::{
    execute::{self, DriverCall, Executor, Instrument, Processes, ValgrindTool},
    verify,
};
use shakedown_protocol::{
    Aslr, DRIVER_PROTOCOL, DriverRefusal, DriverRequest, Meter, RunPlan, Scenario, ScenarioKind,
    TrialOutcome, UnsupportedReason,
};
use std::{
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
    /// Folder with the test certificates.
    pub pki: &'a Path,
    /// Where operations, seed, tickets and time limit come from.
    pub plan: &'a RunPlan,
    /// What to profile.
    pub scenario: &'a Scenario,
}

/// Why there is no profile.
#[derive(Debug, Error)]
pub enum ProfilingError {
    /// Valgrind is not installed.
    #[error("there is no valgrind on this machine: install it to see which functions changed")]
    NoValgrind,
    /// The library does not do this.
    #[error("{0}")]
    Unsupported(UnsupportedReason),
    /// The driver failed under valgrind.
    #[error("the driver failed under valgrind: {0}")]
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

fn run(
    what: ProfiledScenario<'_>,
    tool: ValgrindTool,
    operations: u32,
) -> Result<Vec<String>, ProfilingError> {
    let program: PathBuf = execute::valgrind().ok_or(ProfilingError::NoValgrind)?;
    let request = request(what, operations);
    let input =
        serde_json::to_vec(&request).map_err(|error| ProfilingError::Failed(error.to_string()))?;
    let execution = Processes::here().execute(&DriverCall {
        binary: what.binary,
        verb: "measure",
        input: &input,
        cpus: &[],
        aslr: Aslr::Off,
        pad: 0,
        timeout: Duration::from_millis(what.plan.timeout_ms.saturating_mul(SLOWER)),
        instrument: Instrument::Valgrind { program: &program, tool },
    });
    match verify::profiled(&request, &execution) {
        TrialOutcome::Measured(_) => Ok(execution.profiles),
        TrialOutcome::Refused(refusal) => Err(refused(refusal)),
        TrialOutcome::Lost { reason, .. } => Err(ProfilingError::Failed(reason.to_string())),
    }
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
        meter: match what.scenario.kind {
            ScenarioKind::Memory { .. } => Meter::Time,
            _ => Meter::Instructions,
        },
        pki: what.pki.to_owned(),
        warm_up_ms: plan.warm_up_ms,
        measure_ms: plan.measure_ms,
        batch_ms: plan.batch_ms,
        operations,
        tickets: plan.tickets,
        seed: plan.seed,
    }
}
