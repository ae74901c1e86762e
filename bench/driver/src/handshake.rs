//! Handshakes, one after the other, each on a new connection.

use crate::{
    Pipe, Worker,
    check::Checker,
    connect::{Pipes, connect},
    step_meter::{NoMeter, StepMeter},
    wire::{NoObserver, WireObserver},
    workload::{Operation, Workload},
};
use shakedown_protocol::{DriverRefusal, TlsScenario};

/// One thread's handshakes.
pub struct Handshakes<'a, W> {
    pub(crate) worker: W,
    pub(crate) pipes: Pipes,
    pub(crate) checker: Checker<'a>,
}

impl<'a, W: Worker> Handshakes<'a, W> {
    /// A workload that is ready: where the scenario resumes, there is a session to resume.
    ///
    /// # Errors
    /// Those of the first handshake.
    pub fn new(worker: W, scenario: &'a TlsScenario) -> Result<Self, DriverRefusal> {
        let checker = Checker::new(scenario);
        let mut workload = Self { worker, pipes: Pipes::with_room(0), checker };
        if scenario.resumes() {
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
    fn observe<O: WireObserver>(
        &mut self,
        observer: impl FnOnce(&Pipe, &Pipe) -> O,
    ) -> Result<O, DriverRefusal> {
        let mut observer = observer(&self.pipes.to_server, &self.pipes.to_client);
        self.handshake(&mut NoMeter, &mut observer)?;
        Ok(observer)
    }

    fn into_checker(self) -> Checker<'a> {
        self.checker
    }
}

impl<W: Worker> Operation for Handshakes<'_, W> {
    fn run_operation(&mut self, meter: &mut impl StepMeter) -> Result<u64, DriverRefusal> {
        self.handshake(meter, &mut NoObserver)?;
        Ok(0)
    }
}
