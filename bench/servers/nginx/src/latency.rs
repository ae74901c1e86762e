//! Time of whole connections, or of whole responses.

use base64::{Engine, engine::general_purpose::STANDARD};
use hdrhistogram::{
    Histogram,
    serialization::{Serializer, V2DeflateSerializer},
};
use shakedown_protocol::Latency;

/// Longest time that is told apart: 100 s, in nanoseconds.
const LONGEST: u64 = 100_000_000_000;

/// An empty histogram with three significant digits.
pub fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST, 3).expect("the bounds are valid")
}

/// What the record keeps of it.
pub fn summary(times: &Histogram<u64>) -> Option<Latency> {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(times, &mut bytes).ok()?;
    (!times.is_empty()).then(|| Latency {
        count: times.len(),
        p50: times.value_at_quantile(0.5),
        p90: times.value_at_quantile(0.9),
        p99: times.value_at_quantile(0.99),
        p999: times.value_at_quantile(0.999),
        max: times.max(),
        histogram: STANDARD.encode(bytes),
    })
}
