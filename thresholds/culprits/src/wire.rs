//! Which messages and extensions grew, from what one operation of base and of head put on the wire.
//!
//! TLS 1.3 encrypts everything behind the server's hello. Of that only the lengths of records are known, which
//! are listed by flight.

mod hello;
mod messages;
mod names;

use messages::parts;
use serde::{Deserialize, Serialize};
use shakedown_protocol::{Side, Transcript};
use std::collections::BTreeMap;

/// A part of what one end sends in an operation, in base and in head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireChange {
    /// Who sends it: [`Side::Client`] or [`Side::Server`].
    pub sender: Side,
    /// The message, by its name in RFC 8446, or what else it is.
    pub message: String,
    /// The extension or field of the message, by its name in the registry; nothing where the message is not
    /// taken apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Whether it is encrypted: then `message` says where it is, not what it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub encrypted: bool,
    /// How often it occurs.
    pub count: [u64; 2],
    /// Its bytes, altogether.
    pub bytes: [u64; 2],
}

/// Why the bytes on the wire changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireExplanation {
    /// All bytes of the client, in base and in head.
    pub client: [u64; 2],
    /// All bytes of the server.
    pub server: [u64; 2],
    /// What changed, the largest change first. The changes add up to that of the totals.
    pub changes: Vec<WireChange>,
}

/// Compares what base and head put on the wire.
pub fn explain_wire(base: &Transcript, head: &Transcript) -> WireExplanation {
    type Key = (Side, String, Option<String>, bool);
    let mut all: BTreeMap<Key, [[u64; 2]; 2]> = BTreeMap::new();
    let mut found = WireExplanation::default();
    for (at, transcript) in [base, head].into_iter().enumerate() {
        for part in parts(transcript) {
            let total =
                if part.sender == Side::Client { &mut found.client } else { &mut found.server };
            total[at] += part.bytes;
            let [count, bytes] =
                all.entry((part.sender, part.message, part.part, part.encrypted)).or_default();
            count[at] += 1;
            bytes[at] += part.bytes;
        }
    }
    let changed = all.into_iter().filter(|(_, [_, [base, head]])| base != head);
    found.changes = changed
        .map(|((sender, message, part, encrypted), [count, bytes])| WireChange {
            sender,
            message,
            part,
            encrypted,
            count,
            bytes,
        })
        .collect();
    found.changes.sort_by_key(|one| std::cmp::Reverse(one.bytes[0].abs_diff(one.bytes[1])));
    found
}

#[cfg(test)]
mod tests;
