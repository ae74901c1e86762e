//! A driver that measures a real server: nginx, linked with the library under test, over loopback.
//!
//! It speaks the driver protocol, so that plans, blocks, records, the gate and the history are the same
//! as for a library in memory. In a handshake scenario each connection carries one request; in a transfer
//! the connections stay and each operation is one response. The server's own time is the CPU time of
//! nginx, by the kernel's clock of that process, and the client's is that of the load generator. The
//! instructions of the server are those of nginx under callgrind; the generator's are not counted.

mod callgrind;
mod client;
mod clock;
mod configuration;
mod connections;
mod count;
mod exchange;
mod load;
mod measure;
mod memory;
mod memory_file;
mod server;

use shakedown_driver::locked_version;
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, TlsScenario};
use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown_driver::serve(describe, measure::measure)
}

fn describe() -> Result<DriverInfo, String> {
    let (library, nginx) = server::versions()?;
    let generator = locked_version(include_str!("../Cargo.lock"), "rustls").unwrap_or("unknown");
    let usual = TlsScenario::USUAL_CONNECTIONS;
    Ok(DriverInfo {
        protocol: DRIVER_PROTOCOL,
        stack: "openssl".to_owned(),
        library,
        details: vec![
            nginx,
            format!(
                "{usual} connections at once unless told otherwise, generator rustls {generator}"
            ),
        ],
        cpu_features: shakedown_driver::cpu_features(),
    })
}
