//! Peak memory of a process with many sessions.

use crate::{
    Connection, DriverError, Worker,
    check::Checker,
    connect::{EndpointPair, Pipes},
};
use shakedown_protocol::{DriverRefusal, MemoryPoint};
use std::fs;

/// Turns after which a handshake in lockstep goes in circles.
const ROUNDS: usize = 24;

/// Application data that each end of each session sends.
const MESSAGE: [u8; 1024] = [0x5a; 1024];

/// Takes `sessions / 2` pairs of ends through the handshake in lockstep, then lets each end
/// send 1 KiB, and reads how much memory the process had at most.
///
/// # Errors
/// Those of the library, or that a handshake did not end.
pub fn measure<W: Worker>(
    worker: &mut W,
    sessions: u32,
    checker: &mut Checker<'_>,
) -> Result<MemoryPoint, DriverRefusal> {
    let count = sessions as usize / 2;
    let mut pairs: Vec<(EndpointPair<W>, Pipes)> = Vec::with_capacity(count);
    forget_peak();
    let baseline_kib = resident("VmRSS:")?;
    for _ in 0..count {
        let pair = EndpointPair { client: worker.new_client()?, server: worker.new_server()? };
        pairs.push((pair, Pipes::default()));
    }
    shake_hands(&mut pairs)?;
    for (pair, pipes) in &mut pairs {
        exchange(pair, pipes)?;
    }
    let peak_kib = resident("VmHWM:")?;
    for (mut pair, _) in pairs {
        checker.check(&pair)?;
        worker.after_handshake(&mut pair.client, &mut pair.server)?;
    }
    Ok(MemoryPoint { sessions, baseline_kib, peak_kib })
}

/// Turn by turn, all clients, then all servers, until every handshake is over.
fn shake_hands<W: Worker>(pairs: &mut [(EndpointPair<W>, Pipes)]) -> Result<(), DriverError> {
    for _ in 0..ROUNDS {
        let mut open = false;
        for (pair, pipes) in pairs.iter_mut() {
            pair.client.step(&mut pipes.to_client, &mut pipes.to_server)?;
            pipes.to_client.release();
        }
        for (pair, pipes) in pairs.iter_mut() {
            pair.server.step(&mut pipes.to_server, &mut pipes.to_client)?;
            pipes.to_server.release();
            open |=
                pair.client.is_handshaking() || pair.server.is_handshaking() || !pipes.is_empty();
        }
        if !open {
            return Ok(());
        }
    }
    Err(DriverError(format!("a handshake did not end within {ROUNDS} rounds")))
}

/// 1 KiB in each direction.
fn exchange<W: Worker>(pair: &mut EndpointPair<W>, pipes: &mut Pipes) -> Result<(), DriverError> {
    let mut arrived = [0; MESSAGE.len()];
    let short = || DriverError("less than 1 KiB arrived".to_owned());
    pair.client.send(&MESSAGE, &mut pipes.to_server)?;
    if pair.server.receive(&mut pipes.to_server, &mut arrived)? != MESSAGE.len() {
        return Err(short());
    }
    pair.server.send(&MESSAGE, &mut pipes.to_client)?;
    if pair.client.receive(&mut pipes.to_client, &mut arrived)? != MESSAGE.len() {
        return Err(short());
    }
    pipes.to_server.release();
    pipes.to_client.release();
    Ok(())
}

/// Makes the kernel forget the peak of loading keys and certificates (see proc(5),
/// `clear_refs`). Where it refuses, that peak is far below that of the sessions.
fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// A field of `/proc/self/status`, in KiB.
fn resident(field: &str) -> Result<u64, DriverError> {
    let status = fs::read_to_string("/proc/self/status")?;
    status
        .lines()
        .find_map(|line| line.strip_prefix(field)?.trim().strip_suffix("kB")?.trim().parse().ok())
        .ok_or_else(|| DriverError(format!("/proc/self/status has no {field}")))
}
