//! Application data from the server to the client.

use crate::{
    Connection, Failure, Worker,
    check::Checker,
    gauge::{End, Gauge, Idle},
    lane::{Lane, Pair, Pipes, connect},
    wire::{Counter, Tally, Unseen},
};
use shakedown_protocol::{Refusal, Request, Size, Wire};

/// One thread's transfers.
pub struct Transfers<'a, W: Worker> {
    worker: W,
    pipes: Pipes,
    checker: Checker<'a>,
    /// What is sent. Neither zeros nor random: compressible enough to be ordinary, and
    /// different in every block of a cipher.
    data: Vec<u8>,
    arrived: Vec<u8>,
    pair: Option<Pair<W>>,
    /// Bytes that the connection may still carry.
    left: Option<u64>,
    total: Option<Size>,
}

impl<'a, W: Worker> Transfers<'a, W> {
    /// A lane with an established connection.
    ///
    /// # Errors
    /// Those of the handshake and of its check.
    pub fn new(
        worker: W,
        request: &'a Request,
        write: Size,
        total: Option<Size>,
    ) -> Result<Self, Refusal> {
        let length = usize::try_from(write.0).expect("a write fits in memory");
        let mut lane = Self {
            worker,
            pipes: Pipes::with_room(length),
            checker: Checker::new(&request.scenario),
            data: (0..length).map(|i| (i ^ (i >> 8) ^ (i >> 16)) as u8).collect(),
            arrived: vec![0; length],
            pair: None,
            left: None,
            total,
        };
        lane.establish()?;
        Ok(lane)
    }

    fn establish(&mut self) -> Result<(), Refusal> {
        self.pair = None;
        let pair = connect(&mut self.worker, &mut self.pipes, &mut Idle, &mut Unseen)?;
        self.checker.check(&pair)?;
        self.pair = Some(pair);
        self.left = self.total.map(|total| total.0);
        Ok(())
    }

    /// One write and its reading.
    fn transfer(&mut self, gauge: &mut impl Gauge, tally: &mut impl Tally) -> Result<u64, Refusal> {
        let length = self.data.len() as u64;
        if self.left.is_some_and(|left| left < length) {
            self.establish()?;
        }
        let Some(pair) = &mut self.pair else {
            return Err(Refusal::Failed("there is no connection".to_owned()));
        };
        gauge.start(End::Server);
        pair.server.send(&self.data, &mut self.pipes.down)?;
        gauge.switch(End::Client);
        tally.server(&self.pipes.down);
        let mut have = 0;
        while have < self.arrived.len() {
            let more = pair.client.receive(&mut self.pipes.down, &mut self.arrived[have..])?;
            if more == 0 {
                break;
            }
            have += more;
        }
        gauge.stop();
        if have < self.arrived.len() {
            let text = format!("only {have} of {length} bytes arrived");
            return Err(Failure(text).into());
        }
        self.left = self.left.map(|left| left - length);
        Ok(length)
    }
}

impl<'a, W: Worker> Lane<'a> for Transfers<'a, W> {
    /// Also compares what arrived with what was sent.
    fn look(&mut self) -> Result<Wire, Refusal> {
        let mut counter = Counter::new(&self.pipes.up, &self.pipes.down);
        self.arrived.fill(0);
        self.transfer(&mut Idle, &mut counter)?;
        if self.arrived != self.data {
            return Err(Refusal::Broken("other bytes arrived than were sent".to_owned()));
        }
        Ok(counter.finish()?)
    }

    fn once(&mut self, gauge: &mut impl Gauge) -> Result<u64, Refusal> {
        self.transfer(gauge, &mut Unseen)
    }

    fn into_checker(self) -> Checker<'a> {
        self.checker
    }
}
