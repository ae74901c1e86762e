//! Time of single operations.

use base64::{Engine, engine::general_purpose::STANDARD};
use hdrhistogram::{
    Histogram,
    serialization::{Serializer, V2DeflateSerializer},
};
use shakedown_protocol::Latency;

/// Longest time that the histogram resolves: 100 s, in nanoseconds.
const LONGEST: u64 = 100_000_000_000;

/// A histogram of operation times with three significant digits. Recording allocates
/// nothing.
#[derive(Debug)]
pub struct Recorder(Histogram<u64>);

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl Recorder {
    /// An empty one.
    ///
    /// # Panics
    /// Never: the bounds are constants that the histogram accepts.
    pub fn new() -> Self {
        Self(Histogram::new_with_bounds(1, LONGEST, 3).expect("the bounds are valid"))
    }

    /// Keeps one time.
    #[inline]
    pub fn record(&mut self, nanoseconds: u64) {
        self.0.saturating_record(nanoseconds);
    }

    /// Adds what another thread kept.
    pub fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("both have the same bounds");
    }

    /// The summary and the whole histogram; `None` when nothing was kept.
    pub fn finish(&self) -> Option<Latency> {
        if self.0.is_empty() {
            return None;
        }
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.0, &mut bytes)
            .expect("writing to memory can't fail");
        Some(Latency {
            count: self.0.len(),
            p50: self.0.value_at_quantile(0.5),
            p90: self.0.value_at_quantile(0.9),
            p99: self.0.value_at_quantile(0.99),
            p999: self.0.value_at_quantile(0.999),
            max: self.0.max(),
            histogram: STANDARD.encode(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn any_histogram_tool_reads_it_back() {
        let mut recorder = Recorder::new();
        (1..=1000).for_each(|i| recorder.record(i * 1000));
        let latency = recorder.finish().unwrap();
        let bytes = STANDARD.decode(&latency.histogram).unwrap();
        let back: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!(back.len(), 1000);
        assert_eq!(back.value_at_quantile(0.99), latency.p99);
        assert!((990_000..=991_000).contains(&latency.p99), "{}", latency.p99);
    }

    #[test]
    fn nothing_kept_is_no_latency() {
        assert_eq!(Recorder::new().finish(), None);
    }
}
