//! What a client sends beside its hello.

/// What a client sends as early data, in scenarios with it.
pub const EARLY_DATA: [u8; 1024] = [0x0e; 1024];

/// What a server received of it.
#[derive(Debug)]
pub struct ReceivedEarlyData {
    /// More than is expected, so that a library is never asked for nothing.
    bytes: [u8; EARLY_DATA.len() + 1],
    length: usize,
}

impl Default for ReceivedEarlyData {
    fn default() -> Self {
        Self { bytes: [0; EARLY_DATA.len() + 1], length: 0 }
    }
}

impl ReceivedEarlyData {
    /// Where the next bytes belong.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[self.length..]
    }

    /// Says that so many bytes were put there.
    pub const fn took(&mut self, bytes: usize) {
        self.length += bytes;
    }

    /// Whether it is what the client sent, and no more.
    pub fn is_whole(&self) -> bool {
        self.bytes[..self.length] == EARLY_DATA
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_whole_when_all_of_it_came_and_nothing_else() {
        let mut received = ReceivedEarlyData::default();
        for part in [&EARLY_DATA[..1000], &EARLY_DATA[1000..]] {
            assert!(!received.is_whole());
            received.room()[..part.len()].copy_from_slice(part);
            received.took(part.len());
        }
        assert!(received.is_whole());
        received.room()[0] = EARLY_DATA[0];
        received.took(1);
        assert!(!received.is_whole(), "one byte too many");
    }
}
