//! The driver's command line.

use crate::{Stack, measure::measure, transcript::transcribe};
use shakedown_protocol::{
    DRIVER_PROTOCOL, DriverInfo, DriverRefusal, DriverReply, DriverRequest, Measurement,
    TranscriptReply,
};
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
  driver describe             print the linked library as JSON
  driver measure <REQUEST     read a request (JSON) and print the reply (JSON)
  driver transcript <REQUEST  run the operations of a request and print what the last
                              one put on the wire (JSON); drivers of TLS libraries only";

/// The whole `main` of a driver for stack `S`. See [`serve`].
pub fn main<S: Stack>() -> ExitCode {
    if verb().as_deref() != Some("transcript") {
        return serve(|| Ok(S::info()), measure::<S>);
    }
    end(request().and_then(|request| {
        let reply = protocol(&request).and_then(|()| transcribe::<S>(&request));
        text(serde_json::to_string(&match reply {
            Ok(transcript) => TranscriptReply::Transcribed(transcript),
            Err(refusal) => TranscriptReply::Refused(refusal),
        }))
    }))
}

/// The whole `main` of a driver that describes itself and measures by these functions.
///
/// Exits with 0 after any reply, including a refusal, and with 2 on an invalid request or if it can't
/// describe itself.
pub fn serve(
    describe: impl FnOnce() -> Result<DriverInfo, String>,
    measure: impl FnOnce(&DriverRequest) -> Result<Measurement, DriverRefusal>,
) -> ExitCode {
    let answer = match verb().as_deref() {
        Some("describe") => describe().and_then(|info| text(serde_json::to_string(&info))),
        Some("measure") => {
            request().and_then(|request| text(serde_json::to_string(&reply(&request, measure))))
        }
        _ => Err(USAGE.to_owned()),
    };
    end(answer)
}

fn verb() -> Option<String> {
    std::env::args().nth(1)
}

/// Prints an answer, or why there is none.
fn end(answer: Result<String, String>) -> ExitCode {
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

fn reply(
    request: &DriverRequest,
    measure: impl FnOnce(&DriverRequest) -> Result<Measurement, DriverRefusal>,
) -> DriverReply {
    match protocol(request).and_then(|()| measure(request)) {
        Ok(measured) => DriverReply::Measured(measured),
        Err(refusal) => DriverReply::Refused(refusal),
    }
}

/// Whether the request is of the protocol that this driver speaks.
fn protocol(request: &DriverRequest) -> Result<(), DriverRefusal> {
    if request.protocol == DRIVER_PROTOCOL {
        return Ok(());
    }
    let text = format!(
        "the request uses driver protocol {}, but this driver uses {DRIVER_PROTOCOL}: rebuild the driver",
        request.protocol
    );
    Err(DriverRefusal::Failed(text))
}

fn text(json: serde_json::Result<String>) -> Result<String, String> {
    json.map_err(|error| error.to_string())
}

fn print(json: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{json}")?;
    out.flush()
}
