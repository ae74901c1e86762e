//! Where the order of trials comes from.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use std::{fs::File, io::Read};

/// A stream of random numbers that is the same for the same seed, forever: a record's seed
/// must give the same order to every later version of this program. That is why shuffling is
/// done here and not by a library that may improve it.
#[derive(Debug)]
pub(crate) struct SeededRng(ChaCha8Rng);

impl SeededRng {
    /// The stream `number` of `seed`; streams of one seed are independent of each other.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut generator = ChaCha8Rng::from_seed(bytes);
        generator.set_stream(number);
        Self(generator)
    }

    /// A number in `0..bound`; 0 when `bound` is 0. Its bias is below 2^-32 for any bound here.
    pub fn below(&mut self, bound: u32) -> u32 {
        let product = u128::from(self.0.next_u64()) * u128::from(bound);
        (product >> 64) as u32
    }

    /// Puts `items` in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// A fresh number from the system.
pub(crate) fn seed() -> u64 {
    let mut bytes = [0; 8];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    match read {
        Ok(()) => u64::from_le_bytes(bytes),
        // Not secret, only different from run to run.
        Err(_) => u64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Records of earlier versions carry seeds: their order must never change.
    #[test]
    fn a_seed_gives_this_order_forever() {
        let mut items: Vec<u32> = (0..12).collect();
        SeededRng::new(42, 3).shuffle(&mut items);
        insta::assert_snapshot!(format!("{items:?}"));
    }

    #[test]
    fn streams_and_seeds_differ() {
        let order = |seed, number| {
            let mut items: Vec<u32> = (0..20).collect();
            SeededRng::new(seed, number).shuffle(&mut items);
            items
        };
        let orders: BTreeSet<_> = (0..4).flat_map(|s| (0..4).map(move |n| order(s, n))).collect();
        assert_eq!(orders.len(), 16);
    }

    #[test]
    fn every_order_is_about_as_frequent() {
        let mut seen = std::collections::BTreeMap::new();
        for number in 0..6000 {
            let mut items = [0, 1, 2];
            SeededRng::new(7, number).shuffle(&mut items);
            *seen.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(seen.len(), 6);
        // 1000 expected, standard deviation 29.
        assert!(seen.values().all(|n| (850..1150).contains(n)), "{seen:?}");
    }
}
