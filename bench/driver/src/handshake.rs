//! Handshakes, one after the other, each on a new connection.

use crate::{
    Worker,
    check::Checker,
    gauge::{Gauge, Idle},
    lane::{Lane, Pipes, connect},
    wire::{Counter, Tally, Unseen},
};
use shakedown_protocol::{Refusal, Request, Wire};

/// One thread's handshakes.
pub struct Handshakes<'a, W> {
    worker: W,
    pipes: Pipes,
    checker: Checker<'a>,
}

impl<'a, W: Worker> Handshakes<'a, W> {
    /// A lane that is ready: where the scenario resumes, there is a session to resume.
    ///
    /// # Errors
    /// Those of the first handshake.
    pub fn new(worker: W, request: &'a Request) -> Result<Self, Refusal> {
        let checker = Checker::new(&request.scenario);
        let mut lane = Self { worker, pipes: Pipes::with_room(0), checker };
        if request.scenario.resumes() {
            let mut pair = connect(&mut lane.worker, &mut lane.pipes, &mut Idle, &mut Unseen)?;
            lane.worker.finished(&mut pair.client, &mut pair.server)?;
        }
        Ok(lane)
    }

    fn shake(&mut self, gauge: &mut impl Gauge, tally: &mut impl Tally) -> Result<(), Refusal> {
        let mut pair = connect(&mut self.worker, &mut self.pipes, gauge, tally)?;
        self.worker.finished(&mut pair.client, &mut pair.server)?;
        self.checker.check(&pair)
    }
}

impl<'a, W: Worker> Lane<'a> for Handshakes<'a, W> {
    fn look(&mut self) -> Result<Wire, Refusal> {
        let mut counter = Counter::new(&self.pipes.up, &self.pipes.down);
        self.shake(&mut Idle, &mut counter)?;
        Ok(counter.finish()?)
    }

    fn once(&mut self, gauge: &mut impl Gauge) -> Result<u64, Refusal> {
        self.shake(gauge, &mut Unseen)?;
        Ok(0)
    }

    fn into_checker(self) -> Checker<'a> {
        self.checker
    }
}
