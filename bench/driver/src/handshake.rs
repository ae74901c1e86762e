//! Handshakes, one after the other, each on a new connection.

use crate::{
    Worker,
    batch::{Cost, Pace, Series, Until},
    check::Checker,
    gauge::{Idle, Timer},
    lane::{Pipes, connect},
    wire::{Counter, Unseen},
};
use protocol::{Refusal, Request, Wire};

/// One thread's handshakes.
pub struct Lane<'a, W> {
    worker: W,
    pipes: Pipes,
    checker: Checker<'a>,
}

impl<'a, W: Worker> Lane<'a, W> {
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

    /// One handshake, whose wire is counted instead of its time.
    ///
    /// # Errors
    /// Those of the handshake and of its check.
    pub fn look(&mut self) -> Result<Wire, Refusal> {
        let mut counter = Counter::new(&self.pipes.up, &self.pipes.down);
        let mut pair = connect(&mut self.worker, &mut self.pipes, &mut Idle, &mut counter)?;
        self.worker.finished(&mut pair.client, &mut pair.server)?;
        self.checker.check(&pair)?;
        Ok(counter.finish()?)
    }

    /// One timed handshake.
    fn operation(&mut self) -> Result<Cost, Refusal> {
        let mut timer = Timer::default();
        let mut pair = connect(&mut self.worker, &mut self.pipes, &mut timer, &mut Unseen)?;
        self.worker.finished(&mut pair.client, &mut pair.server)?;
        self.checker.check(&pair)?;
        Ok(Cost { spent: timer.spent(), bytes: 0 })
    }

    /// Warms up.
    ///
    /// # Errors
    /// Those of a handshake.
    pub fn warm_up(&mut self, request: &Request) -> Result<Pace, Refusal> {
        Pace::find(request, || self.operation())
    }

    /// Measures.
    ///
    /// # Errors
    /// Those of a handshake.
    pub fn run(&mut self, series: &mut Series, until: Until, pace: Pace) -> Result<(), Refusal> {
        series.run(until, pace, || self.operation())
    }

    /// The lane's checks.
    pub fn into_checker(self) -> Checker<'a> {
        self.checker
    }
}
