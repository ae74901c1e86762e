//! The lock of the host.

use crate::exit::{CommandError, Exit};
use crate::output::say;
use anyhow::Result;
use shakedown_schedule::{HostLock, RunEvent, ScheduleError};
use std::path::PathBuf;

/// The host's lock, as every run takes it.
///
/// # Errors
/// If somebody else has the host and `wait` is false, or the lock can't be used.
pub fn take(wait: bool) -> Result<HostLock> {
    let path = std::env::var_os("SHAKEDOWN_LOCK")
        .map_or_else(shakedown_schedule::host_lock, PathBuf::from);
    let mut tell = |event: &RunEvent<'_>| {
        if let RunEvent::Waiting(holder) = event {
            say(format_args!("waiting: {holder}"));
        }
    };
    match shakedown_schedule::take_host(&path, wait, &mut tell) {
        Err(ScheduleError::Busy(holder)) => {
            Err(CommandError::new(Exit::Host, format!("the host is in use: {holder}")).into())
        }
        other => Ok(other?),
    }
}
