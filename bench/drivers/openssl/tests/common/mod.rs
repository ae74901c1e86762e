//! Calls the driver as the scheduler does.

#![allow(dead_code, reason = "each test program uses its part")]

use shakedown_protocol::{DRIVER_PROTOCOL, DriverReply, DriverRequest, Measurement, Meter};
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The test certificates.
pub fn pki() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pki")
}

/// A request with a budget of some milliseconds.
pub fn request(scenario: &str) -> DriverRequest {
    DriverRequest {
        protocol: DRIVER_PROTOCOL,
        scenario: scenario.parse().unwrap_or_else(|error| panic!("{scenario}: {error}")),
        meter: Meter::Time,
        pki: pki(),
        warm_up_ms: 1,
        measure_ms: 20,
        batch_ms: 5,
        operations: 2,
        tickets: 2,
        seed: 7,
    }
}

/// Runs a command that reads `request`.
pub fn answer(command: &mut Command, request: &DriverRequest) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let json = serde_json::to_vec(request).unwrap();
    child.stdin.take().unwrap().write_all(&json).unwrap();
    child.wait_with_output().unwrap()
}

/// What the driver replies.
pub fn reply(request: &DriverRequest) -> DriverReply {
    let output = answer(Command::new(env!("CARGO_BIN_EXE_driver")).arg("measure"), request);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", request.scenario);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What the driver measured.
pub fn measured(request: &DriverRequest) -> Measurement {
    match reply(request) {
        DriverReply::Measured(measured) => measured,
        DriverReply::Refused(refusal) => panic!("{}: {refusal:?}", request.scenario),
    }
}
