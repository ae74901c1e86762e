//! The driver's command line.

use crate::{Stack, measure};
use shakedown_protocol::{DriverReply, DriverRequest};
use std::{
    io::{self, Read, Write},
    process::ExitCode,
};

/// A request is a few hundred bytes long; anything larger is a mistake.
const LONGEST_REQUEST: u64 = 64 * 1024;

/// Printed when the driver is called without a known verb.
const USAGE: &str = "\
This is a Shakedown driver, normally started by `shakedown run`.

Usage:
  driver describe          print the linked library as JSON
  driver measure <REQUEST  read a request (JSON) and print the reply (JSON)";

/// The whole `main` of a driver for stack `S`.
///
/// Exits with 0 after any reply, including a refusal, and with 2 on an invalid request.
pub fn main<S: Stack>() -> ExitCode {
    let answer = match std::env::args().nth(1).as_deref() {
        Some("describe") => serde_json::to_string(&S::info()).map_err(|error| error.to_string()),
        Some("measure") => request().and_then(|request| reply::<S>(&request)),
        _ => Err(USAGE.to_owned()),
    };
    match answer.and_then(|json| print(&json).map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}

fn request() -> Result<DriverRequest, String> {
    let mut text = String::new();
    io::stdin()
        .take(LONGEST_REQUEST)
        .read_to_string(&mut text)
        .map_err(|error| format!("cannot read the request: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("invalid request: {error}"))
}

fn reply<S: Stack>(request: &DriverRequest) -> Result<String, String> {
    let reply = match measure::<S>(request) {
        Ok(measured) => DriverReply::Measured(measured),
        Err(refusal) => DriverReply::Refused(refusal),
    };
    serde_json::to_string(&reply).map_err(|error| error.to_string())
}

fn print(json: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{json}")?;
    out.flush()
}
