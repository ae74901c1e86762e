//! What a transcript consists of.

use super::{hello, names};
use shakedown_protocol::{APPLICATION_DATA, Flight, Side, TlsRecord, Transcript};

/// Bytes before the content of a record, and before the body of a handshake message.
const RECORD_HEADER: u64 = 5;
const MESSAGE_HEADER: usize = 4;

/// Content types of records.
const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;

/// Types of handshake messages.
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;

/// Some bytes on the wire, and what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WirePart {
    pub sender: Side,
    pub message: String,
    pub part: Option<String>,
    pub encrypted: bool,
    pub bytes: u64,
}

/// Takes a transcript apart: every byte is in one part.
pub fn parts(transcript: &Transcript) -> Vec<WirePart> {
    let mut parts = Vec::new();
    let mut senders = [Sender::new(Side::Client), Sender::new(Side::Server)];
    for flight in &transcript.flights {
        senders[usize::from(flight.sender == Side::Server)].flight(flight, &mut parts);
    }
    senders.into_iter().for_each(|sender| sender.end(&mut parts));
    parts
}

/// One direction.
struct Sender {
    side: Side,
    flights: u32,
    /// Whether its handshake messages are encrypted, as they are in TLS 1.2 after a change of cipher spec.
    changed: bool,
    /// Content of handshake records that is not a whole message yet.
    begun: Vec<u8>,
}

impl Sender {
    const fn new(side: Side) -> Self {
        Self { side, flights: 0, changed: false, begun: Vec::new() }
    }

    fn flight(&mut self, flight: &Flight, parts: &mut Vec<WirePart>) {
        self.flights += 1;
        for record in &flight.records {
            parts.push(self.part("record headers", None, RECORD_HEADER));
            self.record(record, parts);
        }
    }

    fn record(&mut self, record: &TlsRecord, parts: &mut Vec<WirePart>) {
        let length = u64::from(record.length);
        match record.content_type {
            CHANGE_CIPHER_SPEC => {
                self.changed = true;
                parts.push(self.part("change_cipher_spec", None, length));
            }
            HANDSHAKE if !self.changed => {
                self.begun.extend(&record.content);
                self.messages(parts);
            }
            ALERT if !self.changed => parts.push(self.part("alert", None, length)),
            APPLICATION_DATA | HANDSHAKE | ALERT => {
                let message = format!("encrypted records of flight {}", self.flights);
                let part = self.part(&message, None, length);
                parts.push(WirePart { encrypted: true, ..part });
            }
            other => parts.push(self.part(&format!("records of type {other}"), None, length)),
        }
    }

    /// Takes whole messages off what has come.
    fn messages(&mut self, parts: &mut Vec<WirePart>) {
        let begun = std::mem::take(&mut self.begun);
        let mut bytes = &begun[..];
        while let Some((header, rest)) = bytes.split_first_chunk::<MESSAGE_HEADER>() {
            let [kind, high, middle, low] = *header;
            let length = u32::from_be_bytes([0, high, middle, low]) as usize;
            let Some((body, rest)) = rest.split_at_checked(length) else { break };
            self.message(kind, body, parts);
            bytes = rest;
        }
        self.begun = bytes.to_owned();
    }

    fn message(&self, kind: u8, body: &[u8], parts: &mut Vec<WirePart>) {
        let (name, fields) = match kind {
            CLIENT_HELLO => (names::message(kind), hello::client(body)),
            SERVER_HELLO if hello::is_retry(body) => {
                ("hello_retry_request".into(), hello::server(body))
            }
            SERVER_HELLO => (names::message(kind), hello::server(body)),
            _ => (names::message(kind), None),
        };
        let Some(fields) = fields else {
            parts.push(self.part(&name, None, (MESSAGE_HEADER + body.len()) as u64));
            return;
        };
        parts.push(self.part(&name, Some("fixed fields"), MESSAGE_HEADER as u64));
        parts.extend(fields.iter().map(|(field, bytes)| self.part(&name, Some(field), *bytes)));
    }

    /// What is left at the end, of a message that was not finished.
    fn end(self, parts: &mut Vec<WirePart>) {
        if !self.begun.is_empty() {
            let length = self.begun.len() as u64;
            parts.push(self.part("part of a handshake message", None, length));
        }
    }

    fn part(&self, message: &str, part: Option<&str>, bytes: u64) -> WirePart {
        WirePart {
            sender: self.side,
            message: message.to_owned(),
            part: part.map(str::to_owned),
            encrypted: false,
            bytes,
        }
    }
}
