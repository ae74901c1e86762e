//! CPU time of processes, to the nanosecond.

use nix::{
    time::{ClockId, clock_getcpuclockid, clock_gettime},
    unistd::Pid,
};

/// CPU time of all threads of a process.
#[derive(Debug, Clone, Copy)]
pub struct ProcessClock(ClockId);

impl ProcessClock {
    /// That of another process.
    ///
    /// # Errors
    /// If it is gone.
    pub fn of(pid: Pid) -> Result<Self, String> {
        clock_getcpuclockid(pid)
            .map(Self)
            .map_err(|error| format!("nginx has no CPU clock: {error}"))
    }

    /// That of this process.
    pub const fn own() -> Self {
        Self(ClockId::CLOCK_PROCESS_CPUTIME_ID)
    }

    /// Nanoseconds so far.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn now(self) -> Result<u64, String> {
        let now = clock_gettime(self.0).map_err(|error| format!("nginx has ended: {error}"))?;
        Ok(now.tv_sec().cast_unsigned() * 1_000_000_000 + now.tv_nsec().cast_unsigned())
    }
}
