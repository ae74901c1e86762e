//! What comes before a handshake of an application that begins: contexts, made anew each time, and
//! the first handshake of a process.

use crate::{
    EndpointConfig, Endpoints, Pipe, Stack, Worker,
    check::Checker,
    clock::now,
    connect::{Pipes, connect},
    handshake::Handshakes,
    step_meter::{Endpoint, NoMeter, StepMeter},
    wire::{NoObserver, WireObserver},
    workload::{Operation, Workload},
};
use shakedown_protocol::{DriverRefusal, Sample, SetupWork, TlsScenario};

/// One thread's contexts of both sides, which each operation makes anew.
pub struct NewContexts<'a, W> {
    handshakes: Handshakes<'a, W>,
    /// Whether a handshake is part of the operation.
    connects: bool,
}

impl<'a, W: Worker> NewContexts<'a, W> {
    /// A workload for this part of setting up.
    pub fn new(worker: W, scenario: &'a TlsScenario, work: SetupWork) -> Self {
        let (pipes, checker) = (Pipes::with_room(0), Checker::new(scenario));
        let handshakes = Handshakes { worker, pipes, checker };
        Self { handshakes, connects: work != SetupWork::Context }
    }

    fn renew(&mut self, meter: &mut impl StepMeter) -> Result<(), DriverRefusal> {
        meter.start(Endpoint::Client);
        self.handshakes.worker.renew_client()?;
        meter.switch(Endpoint::Server);
        self.handshakes.worker.renew_server()?;
        meter.stop();
        Ok(())
    }
}

impl<'a, W: Worker> Workload<'a> for NewContexts<'a, W> {
    /// With a handshake in any case, which shows what the contexts are good for.
    fn observe<O: WireObserver>(
        &mut self,
        observer: impl FnOnce(&Pipe, &Pipe) -> O,
    ) -> Result<O, DriverRefusal> {
        self.renew(&mut NoMeter)?;
        self.handshakes.observe(observer)
    }

    fn into_checker(self) -> Checker<'a> {
        self.handshakes.into_checker()
    }
}

impl<W: Worker> Operation for NewContexts<'_, W> {
    fn run_operation(&mut self, meter: &mut impl StepMeter) -> Result<u64, DriverRefusal> {
        self.renew(meter)?;
        if self.connects {
            self.handshakes.run_operation(meter)?;
        }
        Ok(0)
    }
}

/// Handshakes of a stack.
type HandshakesOf<'a, S> = Handshakes<'a, <<S as Stack>::Endpoints as Endpoints>::Worker>;

/// Configures the library and completes the first handshake of this process. Returns the time of both,
/// with a workload whose checker has seen that connection.
///
/// # Errors
/// What the library can't do, or what it refuses.
pub fn first_handshake<'a, S: Stack>(
    setup: &EndpointConfig,
    scenario: &'a TlsScenario,
) -> Result<(Sample, HandshakesOf<'a, S>), DriverRefusal> {
    let mut pipes = Pipes::with_room(0);
    let began = now();
    let ends = S::configure(setup)?;
    let mut worker = ends.worker()?;
    let mut pair = connect(&mut worker, &mut pipes, &mut NoMeter, &mut NoObserver)?;
    let nanoseconds = now() - began;
    let mut checker = Checker::new(scenario);
    worker.after_handshake(&mut pair.client, &mut pair.server)?;
    checker.check(&pair)?;
    let sample = Sample { operations: 1, nanoseconds, bytes: 0, thread: 0 };
    Ok((sample, Handshakes { worker, pipes, checker }))
}
