//! A driver that measures nothing itself: it runs the benchmark program that a revision of
//! the library carries, and reads what it prints. It serves revisions whose API no other
//! driver knows.

mod measure;
mod output;
mod program;

use program::Program;
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverReply, DriverRequest};
use std::{
    env,
    io::{self, Read, Write},
    process::ExitCode,
};

/// A request is a few hundred bytes; more is a mistake.
const LONGEST_REQUEST: u64 = 64 * 1024;

fn main() -> ExitCode {
    let answer = match env::args().nth(1).as_deref() {
        Some("describe") => describe(),
        Some("measure") => answer(),
        _ => Err("usage: driver describe, or driver measure <REQUEST".to_owned()),
    };
    let printed = answer.and_then(|json| {
        let mut out = io::stdout().lock();
        writeln!(out, "{json}").and_then(|()| out.flush()).map_err(|error| error.to_string())
    });
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}

fn program() -> Result<Program, String> {
    let driver = env::current_exe().map_err(|error| format!("where is this driver? {error}"))?;
    Program::beside(&driver)
}

fn describe() -> Result<String, String> {
    let about = program()?.about;
    let info = DriverInfo {
        protocol: DRIVER_PROTOCOL,
        stack: about.stack,
        library: about.library,
        details: about.details,
        cpu_features: Vec::new(),
    };
    serde_json::to_string(&info).map_err(|error| error.to_string())
}

fn answer() -> Result<String, String> {
    let mut text = String::new();
    io::stdin()
        .take(LONGEST_REQUEST)
        .read_to_string(&mut text)
        .map_err(|error| format!("can't read the request: {error}"))?;
    let request: DriverRequest =
        serde_json::from_str(&text).map_err(|error| format!("this is not a request: {error}"))?;
    if request.protocol != DRIVER_PROTOCOL {
        return Err(format!("the request is of driver protocol {}", request.protocol));
    }
    let program = program()?;
    let reply = match measure::measure(&request, |operations| {
        program.measure(&request.scenario, operations)
    }) {
        Ok(measured) => DriverReply::Measured(measured),
        Err(refusal) => DriverReply::Refused(refusal),
    };
    serde_json::to_string(&reply).map_err(|error| error.to_string())
}
