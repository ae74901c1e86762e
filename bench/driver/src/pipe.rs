//! One direction of the wire, in memory.

use std::io;

/// Bytes on their way from one end to the other. The buffer is reused: once it has grown to
/// the largest flight, nothing allocates.
#[derive(Debug, Default)]
pub struct Pipe {
    bytes: Vec<u8>,
    /// How much of `bytes` was taken out.
    taken: usize,
    /// How much was ever put in.
    total: u64,
}

impl Pipe {
    /// An empty pipe that holds `capacity` bytes before it must grow.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), taken: 0, total: 0 }
    }

    /// What was put in and not yet taken out.
    #[inline]
    pub fn waiting(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Whether everything was taken out.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.taken == self.bytes.len()
    }

    /// Bytes ever put in.
    #[inline]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// What was put in since [`Self::total`] was `before`, as far as it was not yet taken out.
    pub fn fresh(&self, before: u64) -> &[u8] {
        let waiting = self.waiting();
        let count = usize::try_from(self.total - before).unwrap_or(usize::MAX);
        &waiting[waiting.len().saturating_sub(count)..]
    }

    /// Puts bytes in.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.total += bytes.len() as u64;
    }

    /// Lets a library append to the buffer itself, for those that write to a `Vec`. It must
    /// leave what is there.
    #[inline]
    pub fn append<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let before = self.bytes.len();
        let result = write(&mut self.bytes);
        self.total += (self.bytes.len() - before) as u64;
        result
    }

    /// Says that the first `count` bytes of [`Self::waiting`] were used.
    ///
    /// # Panics
    /// If fewer are waiting.
    #[inline]
    pub fn consume(&mut self, count: usize) {
        self.taken += count;
        assert!(self.taken <= self.bytes.len(), "more taken than there is");
        if self.is_empty() {
            self.bytes.clear();
            self.taken = 0;
        }
    }

    /// Copies waiting bytes out, as many as fit, and returns their number.
    #[inline]
    pub fn take_into(&mut self, into: &mut [u8]) -> usize {
        let waiting = self.waiting();
        let count = waiting.len().min(into.len());
        into[..count].copy_from_slice(&waiting[..count]);
        self.consume(count);
        count
    }

    /// Gives the buffer back to the allocator if nothing is waiting.
    pub fn release(&mut self) {
        if self.is_empty() {
            self.bytes = Vec::new();
            self.taken = 0;
        }
    }
}

impl io::Read for Pipe {
    /// Reads what is waiting; an empty pipe would block, as a socket would.
    #[inline]
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(self.take_into(into))
    }
}

impl io::Write for Pipe {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes);
        Ok(bytes.len())
    }

    #[inline]
    fn write_vectored(&mut self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        parts.iter().for_each(|part| self.put(part));
        Ok(parts.iter().map(|part| part.len()).sum())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn bytes_leave_in_the_order_in_which_they_came() {
        let mut pipe = Pipe::default();
        pipe.write_all(b"flight").unwrap();
        let mut into = [0; 4];
        assert_eq!(pipe.read(&mut into).unwrap(), 4);
        assert_eq!((&into, pipe.waiting()), (b"flig", b"ht".as_slice()));
        pipe.put(b"s");
        pipe.consume(3);
        assert!(pipe.is_empty());
        assert_eq!(pipe.total(), 7);
    }

    #[test]
    fn an_empty_pipe_would_block() {
        let error = Pipe::default().read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn the_buffer_is_reused() {
        let mut pipe = Pipe::with_capacity(64);
        let start = pipe.bytes.as_ptr();
        for _ in 0..100 {
            pipe.put(&[1; 64]);
            pipe.consume(64);
        }
        assert_eq!(pipe.bytes.as_ptr(), start);
        pipe.release();
        assert_eq!(pipe.bytes.capacity(), 0);
    }
}
