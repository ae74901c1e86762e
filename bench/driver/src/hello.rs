//! What a server's first flight shows to anyone on the wire: whether it resumes a session, and
//! with which group keys are exchanged. For libraries that do not tell.

use crate::{Pipe, iana};
use shakedown_protocol::Group;

/// Content types of records (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;
const CHANGE_CIPHER_SPEC: u8 = 20;

/// Types of handshake messages (RFC 8446 and RFC 5246).
const SERVER_HELLO: u8 = 2;
const NEW_SESSION_TICKET: u8 = 4;
const CERTIFICATE: u8 = 11;
const SERVER_KEY_EXCHANGE: u8 = 12;

/// Extensions of a server hello.
const PRE_SHARED_KEY: u16 = 41;
const SUPPORTED_VERSIONS: u16 = 43;
const KEY_SHARE: u16 = 51;

/// `ECCurveType` of a named group (RFC 8422, section 5.4).
const NAMED_CURVE: u8 = 3;

/// The random of a hello retry request begins so (RFC 8446, section 4.1.3).
const RETRY: [u8; 4] = [0xcf, 0x21, 0xad, 0x74];

/// What a server's first flight shows. Costs the client a look at a few headers.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct FirstFlight {
    /// Whether a session is resumed; `None` until the flight was seen.
    pub resumed: Option<bool>,
    /// The group, where keys are exchanged with one that has a name here.
    pub group: Option<Group>,
}

impl FirstFlight {
    /// Looks at what waits in a client's incoming pipe, unless the flight was seen before. A
    /// handshake message that is cut by the end of a record is not followed.
    #[inline]
    pub fn look(&mut self, incoming: &Pipe) {
        if self.resumed.is_none() && !incoming.is_empty() {
            let _ = self.records(incoming.waiting());
        }
    }

    /// Follows records until everything is known; `None` where one is cut short.
    fn records(&mut self, mut bytes: &[u8]) -> Option<()> {
        while let [kind, _, _, high, low, rest @ ..] = bytes {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            let body = rest.get(..length)?;
            bytes = &rest[length..];
            match *kind {
                HANDSHAKE => self.messages(body)?,
                // TLS 1.2: right after the hello, without a certificate before it.
                CHANGE_CIPHER_SPEC if self.resumed.is_none() => self.resumed = Some(true),
                _ => return Some(()),
            }
        }
        Some(())
    }

    fn messages(&mut self, mut bytes: &[u8]) -> Option<()> {
        while let [kind, high, middle, low, rest @ ..] = bytes {
            let length = u32::from_be_bytes([0, *high, *middle, *low]) as usize;
            let body = rest.get(..length)?;
            bytes = &rest[length..];
            match *kind {
                SERVER_HELLO => self.hello(body)?,
                CERTIFICATE => self.resumed = Some(false),
                NEW_SESSION_TICKET if self.resumed.is_none() => self.resumed = Some(true),
                SERVER_KEY_EXCHANGE => {
                    if let [NAMED_CURVE, high, low, ..] = body {
                        self.group = iana::group(u16::from_be_bytes([*high, *low]));
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// A server hello of TLS 1.3 has it all.
    fn hello(&mut self, body: &[u8]) -> Option<()> {
        const VERSION: usize = 2;
        const RANDOM: usize = 32;
        // Behind the session id: the cipher suite, the compression, the length of the extensions.
        const SUITE_COMPRESSION_LENGTH: usize = 5;
        if body.get(VERSION..)?.starts_with(&RETRY) {
            return Some(());
        }
        let id = usize::from(*body.get(VERSION + RANDOM)?);
        // A hello without extensions ends earlier, and is of TLS 1.2.
        let start = VERSION + RANDOM + 1 + id + SUITE_COMPRESSION_LENGTH;
        let mut extensions = body.get(start..).unwrap_or_default();
        let (mut tls13, mut pre_shared, mut group) = (false, false, None);
        while let [a, b, high, low, rest @ ..] = extensions {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            let value = rest.get(..length)?;
            extensions = &rest[length..];
            match u16::from_be_bytes([*a, *b]) {
                SUPPORTED_VERSIONS => tls13 = value == [3, 4],
                PRE_SHARED_KEY => pre_shared = true,
                KEY_SHARE => {
                    group = iana::group(u16::from_be_bytes([*value.first()?, *value.get(1)?]));
                }
                _ => {}
            }
        }
        if tls13 {
            *self = Self { resumed: Some(pre_shared), group };
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len()).unwrap().to_be_bytes();
        [&[kind, 3, 3], &length[..], body].concat()
    }

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len()).unwrap().to_be_bytes();
        [&[kind], &length[1..], body].concat()
    }

    fn hello(extensions: &[u8]) -> Vec<u8> {
        let mut body = [&[3, 3][..], &[7; 32], &[4], &[9; 4], &[0x13, 2, 0]].concat();
        body.extend(u16::try_from(extensions.len()).unwrap().to_be_bytes());
        body.extend(extensions);
        message(SERVER_HELLO, &body)
    }

    fn seen(flight: &[u8]) -> FirstFlight {
        let mut pipe = Pipe::default();
        pipe.put(flight);
        let mut first = FirstFlight::default();
        first.look(&pipe);
        first
    }

    const TLS13: [u8; 6] = [0, 43, 0, 2, 3, 4];
    const X25519: [u8; 9] = [0, 51, 0, 5, 0, 0x1d, 0, 1, 9];
    const PSK: [u8; 6] = [0, 41, 0, 2, 0, 0];

    #[test]
    fn tls13_shows_it_in_the_hello() {
        let full = record(HANDSHAKE, &hello(&[&TLS13[..], &X25519].concat()));
        let expected = FirstFlight { resumed: Some(false), group: Some(Group::X25519) };
        assert_eq!(seen(&full), expected);
        let resumed = record(HANDSHAKE, &hello(&[&X25519[..], &TLS13, &PSK].concat()));
        assert_eq!(seen(&resumed).resumed, Some(true));
    }

    #[test]
    fn a_hello_retry_request_is_not_the_flight() {
        let mut retry = hello(&[&TLS13[..], &[0, 51, 0, 2, 0, 0x17]].concat());
        retry[6..10].copy_from_slice(&RETRY);
        assert_eq!(seen(&record(HANDSHAKE, &retry)), FirstFlight::default());
    }

    #[test]
    fn tls12_shows_it_message_by_message() {
        let key_exchange = message(SERVER_KEY_EXCHANGE, &[NAMED_CURVE, 0, 0x17, 1, 9]);
        let messages = [hello(&[]), message(CERTIFICATE, &[1; 700]), key_exchange];
        let expected = FirstFlight { resumed: Some(false), group: Some(Group::Secp256r1) };
        assert_eq!(seen(&record(HANDSHAKE, &messages.concat())), expected, "in one record");
        let apart: Vec<u8> = messages.iter().flat_map(|one| record(HANDSHAKE, one)).collect();
        assert_eq!(seen(&apart), expected, "in a record each");

        let done = record(CHANGE_CIPHER_SPEC, &[1]);
        let hello = record(HANDSHAKE, &hello(&[]));
        let ticket = record(HANDSHAKE, &message(NEW_SESSION_TICKET, &[1; 9]));
        let expected = FirstFlight { resumed: Some(true), group: None };
        assert_eq!(seen(&[&hello[..], &done].concat()), expected);
        assert_eq!(seen(&[&hello[..], &ticket, &done].concat()), expected);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let full = record(HANDSHAKE, &hello(&[&TLS13[..], &X25519, &PSK].concat()));
        for end in 0..full.len() {
            let _ = seen(&full[..end]);
            let mut odd = full.clone();
            odd[end] ^= 0xff;
            let _ = seen(&odd);
        }
    }
}
