//! Tests a new driver with a few connections.
//!
//! An adapter can compile and still report nothing, or something other than was negotiated. The driver
//! checks every connection. An artifact counts as built only after these connections succeed.

use crate::{BuildError, Incompatibility, job::BuildJob, plan::BuildPlan};
use shakedown_protocol::{
    DRIVER_PROTOCOL, DriverRefusal, DriverReply, DriverRequest, Meter, Scenario,
};
use std::{
    io::{self, Write},
    path::Path,
    process::Stdio,
};

/// One scenario for each kind of connection setup.
const SCENARIOS: [&str; 6] = [
    "handshake-full/tls1.2/aes256-gcm/x25519/ecdsa-p256",
    "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256",
    "handshake-session-id/tls1.2/aes256-gcm/x25519/ecdsa-p256",
    "handshake-session-id/tls1.3/aes256-gcm/x25519/ecdsa-p256",
    "handshake-ticket/tls1.2/aes256-gcm/x25519/ecdsa-p256",
    "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256",
];

/// Runs a few connections with `driver`.
///
/// # Errors
/// [`Incompatibility::Facts`] if one differs from the requested scenario.
pub(crate) fn first_connections(
    job: &BuildJob<'_>,
    plan: &BuildPlan,
    driver: &Path,
    log: &Path,
) -> Result<(), BuildError> {
    let pki = job.repository.join("bench/pki");
    if !pki.is_dir() {
        return Ok(());
    }
    for id in SCENARIOS {
        let scenario: Scenario = id.parse().expect("an id of a scenario");
        let said = ask(job, driver, &request(scenario, &pki));
        let error = match said.map_err(BuildError::io("run", driver))? {
            // What this version or build can't do is nothing that the adapter is to blame for.
            Ok(DriverReply::Measured(_) | DriverReply::Refused(DriverRefusal::Unsupported(_))) => {
                continue;
            }
            Ok(DriverReply::Refused(DriverRefusal::Broken(why) | DriverRefusal::Failed(why))) => {
                why
            }
            Err(what) => what,
        };
        let scenario = id.to_owned();
        return Err(plan.incompatible(Incompatibility::Facts { scenario, error }, log));
    }
    Ok(())
}

fn request(scenario: Scenario, pki: &Path) -> DriverRequest {
    DriverRequest {
        protocol: DRIVER_PROTOCOL,
        scenario,
        meter: Meter::Time,
        pki: pki.to_owned(),
        warm_up_ms: 0,
        measure_ms: 1,
        batch_ms: 1,
        operations: 1,
        tickets: 2,
        seed: 1,
    }
}

/// The driver's reply, or its output if that is not a reply.
fn ask(
    job: &BuildJob<'_>,
    driver: &Path,
    request: &DriverRequest,
) -> io::Result<Result<DriverReply, String>> {
    let mut command = job.caller.command(&driver.to_string_lossy());
    command.arg("measure").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A driver that ends without reading is heard all the same.
        let _ = stdin.write_all(&serde_json::to_vec(request)?);
    }
    let output = child.wait_with_output()?;
    let reply = serde_json::from_slice(&output.stdout);
    Ok(reply.map_err(|_| {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("no reply ({}) {}", output.status, errors.trim_end())
    }))
}
