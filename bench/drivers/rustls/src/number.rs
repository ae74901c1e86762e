//! The number of a value in a TLS registry.

/// The number of a value in a TLS registry.
///
/// rustls 0.22 has an inherent `get_u16`, which wins over this method; later versions convert
/// with `From`.
pub trait Number {
    /// The number.
    fn get_u16(self) -> u16;
}

impl<T: Into<u16>> Number for T {
    fn get_u16(self) -> u16 {
        self.into()
    }
}
