//! Records on the wire: bertie takes and gives them one at a time.

use bertie::tls13utils::{Bytes, TLSError};
use shakedown_driver::{DriverError, Pipe};

/// Type, version and length (RFC 8446, section 5.1).
const HEADER: usize = 5;

/// Most that one record carries (RFC 8446, section 5.1).
pub const LARGEST: usize = 16_384;

/// Takes the next whole record out of a pipe; `None` if more must arrive first.
#[inline]
pub fn next(incoming: &mut Pipe) -> Option<Bytes> {
    let waiting = incoming.waiting();
    let [_, _, _, high, low, ..] = waiting else { return None };
    let length = HEADER + usize::from(u16::from_be_bytes([*high, *low]));
    let record = Bytes::from(waiting.get(..length)?);
    incoming.consume(length);
    Some(record)
}

/// Puts a record on the wire.
#[inline]
pub fn put(outgoing: &mut Pipe, record: &Bytes) {
    outgoing.put(&record.declassify());
}

/// The error of a call; bertie has numbers for them.
pub fn failure(what: &str) -> impl FnOnce(TLSError) -> DriverError {
    move |code| DriverError(format!("{what}: bertie's error {code}"))
}
