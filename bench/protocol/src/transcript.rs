//! What one operation put on the wire, as a driver hands it out. It explains a change of the bytes on the
//! wire; no trial has it.

use crate::{DriverRefusal, Side};
use serde::{Deserialize, Serialize};

/// Content type of a record that is encrypted in TLS 1.3, and of application data in TLS 1.2.
pub const APPLICATION_DATA: u8 = 23;

/// A TLS record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsRecord {
    /// Content type (RFC 8446, section 5.1).
    pub content_type: u8,
    /// Length without the header of 5 bytes.
    pub length: u16,
    /// Its content, unless it is [`APPLICATION_DATA`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<u8>,
}

/// What one end sent at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flight {
    /// [`Side::Client`] or [`Side::Server`].
    pub sender: Side,
    /// The records that begin in it.
    pub records: Vec<TlsRecord>,
}

/// The flights of one operation, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transcript {
    /// What was sent.
    pub flights: Vec<Flight>,
}

/// A driver's answer to a request for a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TranscriptReply {
    /// The transcript.
    Transcribed(Transcript),
    /// Why there is none.
    Refused(DriverRefusal),
}
