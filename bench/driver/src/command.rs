//! The driver as a program.

use crate::{Stack, measure};
use shakedown_protocol::{Reply, Request};
use std::{
    io::{self, Read, Write},
    process::ExitCode,
};

/// A request is a few hundred bytes; more is a mistake.
const LONGEST_REQUEST: u64 = 64 * 1024;

/// What a driver prints when it is called by hand.
const USAGE: &str = "\
This is a Shakedown driver. It is called by `shakedown run`; by hand:
  driver describe         prints what library it links, as JSON
  driver measure <REQUEST reads a request (JSON) and prints the reply (JSON)";

/// The whole `main` of a driver for stack `S`.
///
/// Exits with 0 when it answered, be it with a refusal; with 2 on a request that it does
/// not understand.
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

fn request() -> Result<Request, String> {
    let mut text = String::new();
    io::stdin()
        .take(LONGEST_REQUEST)
        .read_to_string(&mut text)
        .map_err(|error| format!("can't read the request: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("this is not a request: {error}"))
}

fn reply<S: Stack>(request: &Request) -> Result<String, String> {
    let reply = match measure::<S>(request) {
        Ok(measured) => Reply::Measured(measured),
        Err(refusal) => Reply::Refused(refusal),
    };
    serde_json::to_string(&reply).map_err(|error| error.to_string())
}

fn print(json: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{json}")?;
    out.flush()
}
