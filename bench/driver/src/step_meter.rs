//! What is read when work passes from one end to the other.

use crate::clock::now;

/// One end of a connection. In a transfer the server sends and the client receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// The client's.
    Client = 0,
    /// The server's.
    Server = 1,
}

/// An instrument that attributes work to ends.
///
/// The loops call it between the library's steps: `start`, any number of `switch`, `stop`.
pub trait StepMeter {
    /// Work begins, on this end.
    fn start(&mut self, end: Endpoint);
    /// Work goes on, on this end.
    fn switch(&mut self, to: Endpoint);
    /// Work is over.
    fn stop(&mut self);
}

/// Nanoseconds of each end: one reading of the clock a step.
#[derive(Debug, Default)]
pub struct StepTimer {
    spent: [u64; 2],
    current: usize,
    since: u64,
}

impl StepTimer {
    /// What both ends spent, the client's first.
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

/// Reads nothing: for connections that only have to exist.
#[derive(Debug, Default)]
pub struct NoMeter;

impl StepMeter for NoMeter {
    fn start(&mut self, _: Endpoint) {}
    fn switch(&mut self, _: Endpoint) {}
    fn stop(&mut self) {}
}
