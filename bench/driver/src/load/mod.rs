//! What a program reads before it can shake hands: what a stack implements, and what goes into it.

mod input;
mod proof;

pub use input::LoadConfig;
pub use proof::Loaded;
pub(crate) use proof::check;

use crate::DriverError;

/// Something to load, over and over.
pub trait LoadOperation {
    /// Loads it so many times, and lets it go again. Timed as a whole: it does nothing but call the
    /// library.
    ///
    /// # Errors
    /// Returns the library's error.
    fn run(&mut self, operations: u64) -> Result<(), DriverError>;

    /// Loads it once, and says what it is. Not timed.
    ///
    /// # Errors
    /// Returns the library's error.
    fn loaded(&mut self) -> Result<Loaded, DriverError>;
}
