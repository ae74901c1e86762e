//! Application data from the server to the client.

use crate::{
    Connection, DriverError, Pipe, Worker,
    check::Checker,
    connect::{EndpointPair, Pipes, connect},
    step_meter::{Endpoint, NoMeter, StepMeter},
    wire::{NoObserver, WireObserver},
    workload::{Operation, Workload},
};
use shakedown_protocol::{DriverRefusal, Size, TlsScenario};

/// One thread's transfers.
pub struct Transfers<'a, W: Worker> {
    worker: W,
    pipes: Pipes,
    checker: Checker<'a>,
    /// What is sent. Neither zeros nor random: compressible enough to be ordinary, and
    /// different in every block of a cipher.
    data: Vec<u8>,
    arrived: Vec<u8>,
    pair: Option<EndpointPair<W>>,
    /// Bytes that the connection may still carry.
    left: Option<u64>,
    total: Option<Size>,
}

impl<'a, W: Worker> Transfers<'a, W> {
    /// A workload with an established connection.
    ///
    /// # Errors
    /// Those of the handshake and of its check.
    pub fn new(
        worker: W,
        scenario: &'a TlsScenario,
        write: Size,
        total: Option<Size>,
    ) -> Result<Self, DriverRefusal> {
        let length = usize::try_from(write.0).expect("a write fits in memory");
        let mut workload = Self {
            worker,
            pipes: Pipes::with_room(length),
            checker: Checker::new(scenario),
            data: (0..length).map(|i| (i ^ (i >> 8) ^ (i >> 16)) as u8).collect(),
            arrived: vec![0; length],
            pair: None,
            left: None,
            total,
        };
        workload.establish()?;
        Ok(workload)
    }

    fn establish(&mut self) -> Result<(), DriverRefusal> {
        self.pair = None;
        let pair = connect(&mut self.worker, &mut self.pipes, &mut NoMeter, &mut NoObserver)?;
        self.checker.check(&pair)?;
        self.pair = Some(pair);
        self.left = self.total.map(|total| total.0);
        Ok(())
    }

    /// One write and its reading.
    fn transfer(
        &mut self,
        meter: &mut impl StepMeter,
        observer: &mut impl WireObserver,
    ) -> Result<u64, DriverRefusal> {
        let length = self.data.len() as u64;
        if self.left.is_some_and(|left| left < length) {
            self.establish()?;
        }
        let Some(pair) = &mut self.pair else {
            return Err(DriverRefusal::Failed("there is no connection".to_owned()));
        };
        meter.start(Endpoint::Server);
        pair.server.send(&self.data, &mut self.pipes.to_client)?;
        meter.switch(Endpoint::Client);
        observer.server(&self.pipes.to_client);
        let mut have = 0;
        while have < self.arrived.len() {
            let more = pair.client.receive(&mut self.pipes.to_client, &mut self.arrived[have..])?;
            if more == 0 {
                break;
            }
            have += more;
        }
        meter.stop();
        if have < self.arrived.len() {
            let text = format!("only {have} of {length} bytes arrived");
            return Err(DriverError(text).into());
        }
        self.left = self.left.map(|left| left - length);
        Ok(length)
    }
}

impl<'a, W: Worker> Workload<'a> for Transfers<'a, W> {
    /// Also compares what arrived with what was sent.
    fn observe<O: WireObserver>(
        &mut self,
        observer: impl FnOnce(&Pipe, &Pipe) -> O,
    ) -> Result<O, DriverRefusal> {
        let mut observer = observer(&self.pipes.to_server, &self.pipes.to_client);
        self.arrived.fill(0);
        self.transfer(&mut NoMeter, &mut observer)?;
        if self.arrived != self.data {
            return Err(DriverRefusal::Broken("other bytes arrived than were sent".to_owned()));
        }
        Ok(observer)
    }

    fn into_checker(self) -> Checker<'a> {
        self.checker
    }
}

impl<W: Worker> Operation for Transfers<'_, W> {
    fn run_operation(&mut self, meter: &mut impl StepMeter) -> Result<u64, DriverRefusal> {
        self.transfer(meter, &mut NoObserver)
    }
}
