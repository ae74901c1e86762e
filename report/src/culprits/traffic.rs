//! Bytes on the wire in words.

use super::{PlaceWords, PlacesWords, pair, signed};
use crate::format::plain;
use shakedown_culprits::{TrafficExplanation, WireChange};

const ENCRYPTED: &str = "Encrypted records show their lengths only. In TLS 1.3 the first such flight of a \
    server has its extensions, its certificate and its signature, a later one session tickets.";

/// What of the bytes on the wire changed in one scenario.
pub(super) fn traffic_words(one: &TrafficExplanation) -> PlacesWords {
    let total = |all: [u64; 2], who: &str| pair(all.map(|bytes| bytes as f64), who);
    let client = total(one.traffic.client, "B/op from the client");
    let server = total(one.traffic.server, "B/op from the server");
    let encrypted = one.traffic.changes.iter().any(|change| change.encrypted);
    PlacesWords {
        title: format!("Bytes on the wire of {}", one.scenario),
        totals: format!("{client}, {server}"),
        sites: one.traffic.changes.iter().map(change_words).collect(),
        note: encrypted.then_some(ENCRYPTED),
    }
}

fn change_words(one: &WireChange) -> PlaceWords {
    let [base, head] = one.bytes.map(|bytes| bytes as f64);
    let [few, more] = one.count;
    let often = if few == more { String::new() } else { format!(", {few} → {more} times") };
    PlaceWords {
        function: match &one.part {
            Some(part) => plain(&format!("{part} in {}", one.message)),
            None => plain(&one.message),
        },
        callers: Vec::new(),
        change: format!(
            "{} B from the {} ({}{often})",
            signed(head - base),
            one.sender,
            pair([base, head], "B")
        ),
    }
}
