//! Meters that attribute work to the two endpoints.

use crate::clock::now;

/// One endpoint of a connection. In a transfer the server sends and the client receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// The client's.
    Client = 0,
    /// The server's.
    Server = 1,
}

/// Attributes work to endpoints.
///
/// The measuring loop calls `start`, then `switch` any number of times, then `stop`.
pub trait StepMeter {
    /// Work starts on `end`.
    fn start(&mut self, end: Endpoint);
    /// Work continues on `to`.
    fn switch(&mut self, to: Endpoint);
    /// Work stops.
    fn stop(&mut self);
}

/// Measures the nanoseconds of each endpoint. Reads the clock once per step.
#[derive(Debug, Default)]
pub struct StepTimer {
    spent: [u64; 2],
    current: usize,
    since: u64,
}

impl StepTimer {
    /// Time spent by client and server.
    #[inline]
    pub const fn spent(&self) -> [u64; 2] {
        self.spent
    }
}

impl StepMeter for StepTimer {
    #[inline]
    fn start(&mut self, end: Endpoint) {
        self.current = end as usize;
        self.since = now();
    }

    #[inline]
    fn switch(&mut self, to: Endpoint) {
        let time = now();
        self.spent[self.current] += time - self.since;
        self.current = to as usize;
        self.since = time;
    }

    #[inline]
    fn stop(&mut self) {
        self.spent[self.current] += now() - self.since;
    }
}

/// Measures nothing, for operations outside the measurement.
#[derive(Debug, Default)]
pub struct NoMeter;

impl StepMeter for NoMeter {
    fn start(&mut self, _: Endpoint) {}
    fn switch(&mut self, _: Endpoint) {}
    fn stop(&mut self) {}
}
