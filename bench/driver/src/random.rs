//! A deterministic random number generator, so that counts repeat exactly. For counting meters
//! only; it is not cryptographically secure.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// SplitMix64 (Steele, Lea and Flood, 2014), shared by all threads of a process.
#[derive(Debug)]
pub struct DeterministicRng(AtomicU64);

/// The generator's increment: the golden ratio in 64 bits.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl DeterministicRng {
    /// Creates a generator.
    pub const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// Restarts the sequence.
    pub fn reseed(&self, seed: u64) {
        self.0.store(seed, Relaxed);
    }

    /// Fills `into`.
    pub fn fill(&self, into: &mut [u8]) {
        for part in into.chunks_mut(8) {
            let mut mixed = self.0.fetch_add(STEP, Relaxed).wrapping_add(STEP);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            part.copy_from_slice(&mixed.to_le_bytes()[..part.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs for seed 1234567, from the generator's published reference code.
    #[test]
    fn draws_what_the_reference_draws() {
        let mut bytes = [0; 16];
        DeterministicRng::new(1_234_567).fill(&mut bytes);
        let numbers = [&bytes[..8], &bytes[8..]].map(|b| u64::from_le_bytes(b.try_into().unwrap()));
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}
