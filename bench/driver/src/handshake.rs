//! Handshakes, one after the other, each on a new connection.

use crate::{
    Worker,
    check::Checker,
    connect::{Pipes, connect},
    step_meter::{NoMeter, StepMeter},
    wire::{NoObserver, WireCounter, WireObserver},
    workload::Workload,
};
use shakedown_protocol::{DriverRefusal, DriverRequest, WireTraffic};

/// One thread's handshakes.
pub struct Handshakes<'a, W> {
    worker: W,
    pipes: Pipes,
    checker: Checker<'a>,
}

impl<'a, W: Worker> Handshakes<'a, W> {
    /// A workload that is ready: where the scenario resumes, there is a session to resume.
    ///
    /// # Errors
    /// Those of the first handshake.
    pub fn new(worker: W, request: &'a DriverRequest) -> Result<Self, DriverRefusal> {
        let checker = Checker::new(&request.scenario);
        let mut workload = Self { worker, pipes: Pipes::with_room(0), checker };
        if request.scenario.resumes() {
            let mut pair =
                connect(&mut workload.worker, &mut workload.pipes, &mut NoMeter, &mut NoObserver)?;
            workload.worker.after_handshake(&mut pair.client, &mut pair.server)?;
        }
        Ok(workload)
    }

    fn handshake(
        &mut self,
        meter: &mut impl StepMeter,
        observer: &mut impl WireObserver,
    ) -> Result<(), DriverRefusal> {
        let mut pair = connect(&mut self.worker, &mut self.pipes, meter, observer)?;
        self.worker.after_handshake(&mut pair.client, &mut pair.server)?;
        self.checker.check(&pair)
    }
}

impl<'a, W: Worker> Workload<'a> for Handshakes<'a, W> {
    fn probe(&mut self) -> Result<WireTraffic, DriverRefusal> {
        let mut counter = WireCounter::new(&self.pipes.to_server, &self.pipes.to_client);
        self.handshake(&mut NoMeter, &mut counter)?;
        Ok(counter.finish()?)
    }

    fn run_operation(&mut self, meter: &mut impl StepMeter) -> Result<u64, DriverRefusal> {
        self.handshake(meter, &mut NoObserver)?;
        Ok(0)
    }

    fn into_checker(self) -> Checker<'a> {
        self.checker
    }
}
