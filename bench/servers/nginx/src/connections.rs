//! What a request's connections are like.

use shakedown_protocol::{DriverRequest, TlsScenario};
use std::time::Duration;

/// What clients ask for.
pub const PATH: &str = "/file";
/// Longest wait for a server, whatever it does.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// The same under callgrind, where it takes fifty times as long to start.
pub const COUNTED_PATIENCE: Duration = Duration::from_secs(60);

/// The connections of a request.
///
/// # Panics
/// For a primitive, which `measure` refuses before anything else.
pub fn tls(request: &DriverRequest) -> &TlsScenario {
    request.scenario.tls().expect("a server measures connections")
}
