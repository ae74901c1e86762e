//! A driver that measures nothing itself: it runs the benchmark program that a revision of
//! the library carries, and reads what it prints. It serves revisions whose API no other
//! driver knows.

mod measure;
mod output;
mod program;

use program::Program;
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverRefusal, DriverRequest, Measurement};
use std::{env, process::ExitCode};

fn main() -> ExitCode {
    shakedown_driver::serve(describe, measure)
}

fn program() -> Result<Program, String> {
    let driver = env::current_exe().map_err(|error| format!("where is this driver? {error}"))?;
    Program::beside(&driver)
}

fn describe() -> Result<DriverInfo, String> {
    let about = program()?.about;
    Ok(DriverInfo {
        protocol: DRIVER_PROTOCOL,
        stack: about.stack,
        library: about.library,
        details: about.details,
        cpu_features: Vec::new(),
    })
}

fn measure(request: &DriverRequest) -> Result<Measurement, DriverRefusal> {
    let program = program().map_err(DriverRefusal::Failed)?;
    measure::measure(request, |scenario, operations| program.measure(scenario, operations))
}
