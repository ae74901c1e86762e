//! Counts the bytes, records and flights on the wire.

use crate::{DriverError, Pipe};
use shakedown_protocol::{SentTraffic, WireTraffic};

/// Observes what an endpoint wrote, right after its step. Called inside the timed part, where
/// [`NoObserver`] is used.
pub trait WireObserver {
    /// Called after a step of the client.
    fn client(&mut self, up: &Pipe);
    /// Called after a step of the server.
    fn server(&mut self, down: &Pipe);
}

/// Observes nothing.
#[derive(Debug)]
pub struct NoObserver;

impl WireObserver for NoObserver {
    #[inline]
    fn client(&mut self, _: &Pipe) {}
    #[inline]
    fn server(&mut self, _: &Pipe) {}
}

/// Counts bytes, records and flights in both directions.
#[derive(Debug, Default)]
pub struct WireCounter {
    up: Reader,
    down: Reader,
}

impl WireObserver for WireCounter {
    fn client(&mut self, up: &Pipe) {
        self.up.see(up);
    }

    fn server(&mut self, down: &Pipe) {
        self.down.see(down);
    }
}

impl WireCounter {
    /// Starts counting from the current position of both pipes.
    pub fn new(up: &Pipe, down: &Pipe) -> Self {
        Self { up: Reader::new(up), down: Reader::new(down) }
    }

    /// The totals.
    ///
    /// # Errors
    /// Fails if the bytes were not complete TLS records.
    pub fn finish(self) -> Result<WireTraffic, DriverError> {
        Ok(WireTraffic { client: self.up.finish("client")?, server: self.down.finish("server")? })
    }
}

/// Length of the header of a TLS record: type, version, length.
pub const HEADER: usize = 5;

/// Parses the records of one direction, however the bytes are split.
#[derive(Debug, Default)]
struct Reader {
    counted: SentTraffic,
    /// [`Pipe::total`] at the last call.
    seen: u64,
    /// Bytes of a partial record header.
    header: [u8; HEADER],
    have: usize,
    /// Bytes of the current record body not seen yet.
    body: usize,
    odd: bool,
}

impl Reader {
    fn new(pipe: &Pipe) -> Self {
        Self { seen: pipe.total(), ..Self::default() }
    }

    fn see(&mut self, pipe: &Pipe) {
        let before = std::mem::replace(&mut self.seen, pipe.total());
        if self.seen == before {
            return;
        }
        self.counted.flights += 1;
        self.counted.bytes += self.seen - before;
        let mut bytes = pipe.fresh(before);
        while !bytes.is_empty() {
            if self.body > 0 {
                let part = self.body.min(bytes.len());
                self.body -= part;
                bytes = &bytes[part..];
                continue;
            }
            self.header[self.have] = bytes[0];
            self.have += 1;
            bytes = &bytes[1..];
            if self.have == HEADER {
                self.have = 0;
                self.counted.records += 1;
                // RFC 8446 and RFC 6520 define the content types 20 to 24.
                self.odd |= !(20..=24).contains(&self.header[0]) || self.header[1] != 3;
                self.body = usize::from(u16::from_be_bytes([self.header[3], self.header[4]]));
            }
        }
    }

    fn finish(self, who: &str) -> Result<SentTraffic, DriverError> {
        if self.odd || self.have > 0 || self.body > 0 {
            return Err(DriverError(format!(
                "the {who} sent bytes that are not complete TLS records"
            )));
        }
        Ok(self.counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two handshake records of 3 and 0 bytes and one of application data.
    const RECORDS: [u8; 20] = [22, 3, 1, 0, 3, 1, 2, 3, 22, 3, 3, 0, 0, 23, 3, 3, 0, 2, 9, 9];

    #[test]
    fn counts_records_whatever_the_cut() {
        for cut in 1..RECORDS.len() {
            let mut pipe = Pipe::default();
            let mut reader = Reader::new(&pipe);
            pipe.put(&RECORDS[..cut]);
            reader.see(&pipe);
            pipe.consume(cut);
            pipe.put(&RECORDS[cut..]);
            reader.see(&pipe);
            reader.see(&pipe);
            let counted = reader.finish("client").unwrap();
            assert_eq!(counted, SentTraffic { bytes: 20, records: 3, flights: 2 });
        }
    }

    #[test]
    fn half_a_record_or_nonsense_is_an_error() {
        for bytes in [&RECORDS[..7], &RECORDS[..2], b"GET / HTTP/1.1\r\n\r\n"] {
            let mut pipe = Pipe::default();
            let mut reader = Reader::new(&pipe);
            pipe.put(bytes);
            reader.see(&pipe);
            assert!(reader.finish("server").is_err());
        }
    }
}
