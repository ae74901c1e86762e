//! Hands out what one operation puts on the wire, for whoever explains why it grew.

use crate::{
    DriverError, EndpointConfig, Endpoints, Pipe, Pki, Stack,
    bulk::Transfers,
    handshake::Handshakes,
    setup::NewContexts,
    step_meter::NoMeter,
    wire::{HEADER, WireObserver},
    workload::Workload,
};
use shakedown_protocol::{
    APPLICATION_DATA, DriverRefusal, DriverRequest, Flight, ScenarioKind, SetupWork, Side,
    TicketCount, TlsRecord, Transcript,
};

/// Runs as many operations of `request`'s scenario as it has, unmetered and with the random numbers of a
/// counting meter, and keeps what the last one sends.
///
/// # Errors
/// The reason why there is no transcript.
pub fn transcribe<S: Stack>(request: &DriverRequest) -> Result<Transcript, DriverRefusal> {
    let Some(scenario) = request.scenario.tls() else {
        return Err(DriverRefusal::Unsupported("a primitive sends nothing".to_owned()));
    };
    if scenario.kind == ScenarioKind::Setup(SetupWork::Process) {
        let why = "a process that begins is one operation, and none is before it";
        return Err(DriverRefusal::Unsupported(why.to_owned()));
    }
    S::offers(scenario)?;
    let ends = S::configure(&EndpointConfig {
        scenario: *scenario,
        pki: Pki::of(&request.pki, scenario),
        tickets: scenario.tickets.map_or(request.tickets, TicketCount::number),
        seed: Some(request.seed),
    })?;
    let worker = ends.worker()?;
    match scenario.kind {
        ScenarioKind::Bulk { write, total, .. } => {
            last(Transfers::new(worker, scenario, write, total)?, request.operations)
        }
        ScenarioKind::Setup(work) => {
            last(NewContexts::new(worker, scenario, work), request.operations)
        }
        ScenarioKind::Handshake(_) | ScenarioKind::Memory { .. } => {
            last(Handshakes::new(worker, scenario)?, request.operations)
        }
    }
}

/// What the last of so many operations sends.
fn last<'a>(mut workload: impl Workload<'a>, operations: u32) -> Result<Transcript, DriverRefusal> {
    for _ in 1..operations {
        workload.run_operation(&mut NoMeter)?;
    }
    Ok(workload.observe(WireRecorder::new)?.finish()?)
}

/// Keeps the bytes of both directions.
#[derive(Debug)]
struct WireRecorder {
    /// [`Pipe::total`] at the last step: of the client's direction, then of the server's.
    seen: [u64; 2],
    sent: Vec<(Side, Vec<u8>)>,
}

impl WireRecorder {
    fn new(up: &Pipe, down: &Pipe) -> Self {
        Self { seen: [up.total(), down.total()], sent: Vec::new() }
    }

    fn see(&mut self, sender: Side, pipe: &Pipe) {
        let seen = &mut self.seen[usize::from(sender == Side::Server)];
        let fresh = pipe.fresh(*seen);
        *seen = pipe.total();
        if !fresh.is_empty() {
            self.sent.push((sender, fresh.to_owned()));
        }
    }

    /// The records, each in the flight in which it begins.
    fn finish(self) -> Result<Transcript, DriverError> {
        let mut flights: Vec<Flight> = Vec::new();
        // Of a record that goes on in a later flight: the flight in which it began, and what there is of it.
        let mut begun: [Option<(usize, Vec<u8>)>; 2] = [None, None];
        for (at, (sender, fresh)) in self.sent.into_iter().enumerate() {
            flights.push(Flight { sender, records: Vec::new() });
            let begun = &mut begun[usize::from(sender == Side::Server)];
            let (mut flight, mut bytes) = begun.take().unwrap_or((at, Vec::new()));
            bytes.extend(fresh);
            let mut rest = &bytes[..];
            while let Some((record, after)) = record(rest) {
                flights[flight].records.push(record);
                (flight, rest) = (at, after);
            }
            *begun = (!rest.is_empty()).then(|| (flight, rest.to_owned()));
        }
        if begun.iter().any(Option::is_some) {
            return Err(DriverError(
                "bytes were sent that are not complete TLS records".to_owned(),
            ));
        }
        Ok(Transcript { flights })
    }
}

impl WireObserver for WireRecorder {
    fn client(&mut self, up: &Pipe) {
        self.see(Side::Client, up);
    }

    fn server(&mut self, down: &Pipe) {
        self.see(Side::Server, down);
    }
}

/// The first record and what follows it; `None` if it is cut short.
fn record(bytes: &[u8]) -> Option<(TlsRecord, &[u8])> {
    let (header, rest) = bytes.split_first_chunk::<HEADER>()?;
    let [content_type, _, _, high, low] = *header;
    let length = u16::from_be_bytes([high, low]);
    let (content, rest) = rest.split_at_checked(usize::from(length))?;
    let content = if content_type == APPLICATION_DATA { Vec::new() } else { content.to_owned() };
    Some((TlsRecord { content_type, length, content }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: [u8; 8] = [22, 3, 1, 0, 3, 1, 2, 3];
    const ENCRYPTED: [u8; 7] = [23, 3, 3, 0, 2, 9, 9];

    fn sent(steps: &[(Side, &[u8])]) -> Result<Transcript, DriverError> {
        let mut pipes = [Pipe::default(), Pipe::default()];
        pipes[0].put(&[7; 9]);
        let mut recorder = WireRecorder::new(&pipes[0], &pipes[1]);
        for (sender, bytes) in steps {
            let pipe = &mut pipes[usize::from(*sender == Side::Server)];
            pipe.put(bytes);
            recorder.see(*sender, pipe);
            recorder.see(*sender, pipe);
        }
        recorder.finish()
    }

    #[test]
    fn records_are_in_the_flight_in_which_they_begin() {
        let hello = TlsRecord { content_type: 22, length: 3, content: vec![1, 2, 3] };
        let encrypted = TlsRecord { content_type: 23, length: 2, content: Vec::new() };
        let both = [&HELLO[..], &ENCRYPTED].concat();
        for cut in 1..both.len() {
            let (first, second) = both.split_at(cut);
            let steps = [(Side::Client, &HELLO[..]), (Side::Server, first), (Side::Server, second)];
            let flights = sent(&steps).unwrap().flights;
            let senders: Vec<Side> = flights.iter().map(|flight| flight.sender).collect();
            assert_eq!(senders, [Side::Client, Side::Server, Side::Server]);
            assert_eq!(
                flights[0].records,
                std::slice::from_ref(&hello),
                "what was sent before is not in it"
            );
            let split = usize::from(cut <= HELLO.len());
            assert_eq!(flights[1].records.len(), 2 - split);
            let all: Vec<&TlsRecord> = flights[1..].iter().flat_map(|f| &f.records).collect();
            assert_eq!(all, [&hello, &encrypted]);
        }
    }

    #[test]
    fn half_a_record_is_an_error() {
        assert!(sent(&[(Side::Server, &HELLO[..7])]).is_err());
        assert!(sent(&[(Side::Server, &HELLO[..2])]).is_err());
    }
}
