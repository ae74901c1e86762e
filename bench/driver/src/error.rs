//! What goes wrong in a driver.

use shakedown_protocol::DriverRefusal;

/// An error message from the library or the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverError(pub String);

impl<E: std::error::Error> From<E> for DriverError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl From<DriverError> for DriverRefusal {
    fn from(failure: DriverError) -> Self {
        Self::Failed(failure.0)
    }
}
