//! A driver that measures a real server: nginx, linked with the library under test, over loopback.
//!
//! It speaks the driver protocol, so that plans, blocks, records, the gate and the history are the same
//! as for a library in memory. In a handshake scenario each connection carries one request; in a transfer
//! the connections stay and each operation is one response. The server's own time is the CPU time of
//! nginx, by the kernel's clock of that process, and the client's is that of the load generator.

mod client;
mod clock;
mod exchange;
mod latency;
mod load;
mod measure;
mod memory_file;
mod server;

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

fn describe() -> Result<String, String> {
    let (library, nginx) = server::versions()?;
    let info = DriverInfo {
        protocol: DRIVER_PROTOCOL,
        stack: "openssl".to_owned(),
        library,
        details: vec![
            nginx,
            format!("{} connections at once, generator rustls 0.23.46", load::CONNECTIONS),
        ],
        cpu_features: shakedown_driver::cpu_features(),
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
    let reply = match measure::measure(&request) {
        Ok(measured) => DriverReply::Measured(measured),
        Err(refusal) => DriverReply::Refused(refusal),
    };
    serde_json::to_string(&reply).map_err(|error| error.to_string())
}
