//! What is read when work passes from one end to the other.

use crate::clock::now;

/// One end of a connection. In a transfer the server sends and the client receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client's.
    Client = 0,
    /// The server's.
    Server = 1,
}

/// An instrument that attributes work to ends.
///
/// The loops call it between the library's steps: `start`, any number of `switch`, `stop`.
pub trait Gauge {
    /// Work begins, on this end.
    fn start(&mut self, end: End);
    /// Work goes on, on this end.
    fn switch(&mut self, to: End);
    /// Work is over.
    fn stop(&mut self);
}

/// Nanoseconds of each end: one reading of the clock a step.
#[derive(Debug, Default)]
pub struct Timer {
    spent: [u64; 2],
    current: usize,
    since: u64,
}

impl Timer {
    /// What both ends spent, the client's first.
    #[inline]
    pub const fn spent(&self) -> [u64; 2] {
        self.spent
    }
}

impl Gauge for Timer {
    #[inline]
    fn start(&mut self, end: End) {
        self.current = end as usize;
        self.since = now();
    }

    #[inline]
    fn switch(&mut self, to: End) {
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
pub struct Idle;

impl Gauge for Idle {
    fn start(&mut self, _: End) {}
    fn switch(&mut self, _: End) {}
    fn stop(&mut self) {}
}
