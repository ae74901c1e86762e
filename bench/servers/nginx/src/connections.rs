//! What a request's connections are like.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use shakedown_protocol::{DriverRefusal, DriverRequest, TlsScenario};
use std::time::Duration;

/// What clients ask for.
pub const PATH: &str = "/file";
/// Longest wait for a server with the usual number of connections.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// What a connection waits for each of the others, at most: a busy machine takes a few milliseconds.
const PATIENCE_WITH_EACH: Duration = Duration::from_millis(30);
/// The same under callgrind, where it takes fifty times as long to start.
pub const COUNTED_PATIENCE: Duration = Duration::from_secs(60);

/// Open files that a process has besides its connections.
const OTHER_FILES: u64 = 64;

/// Connections that are open at once.
pub fn at_once(request: &DriverRequest) -> u16 {
    request.scenario.connections().unwrap_or(TlsScenario::USUAL_CONNECTIONS).get()
}

/// Longest wait for a server with the connections of a request, whatever it does.
pub fn patience(request: &DriverRequest) -> Duration {
    PATIENCE.max(PATIENCE_WITH_EACH * u32::from(at_once(request)))
}

/// Lets this process, and those that it starts, have so many connections open.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] where the system does not allow so many files.
pub fn allow(connections: u32) -> Result<(), DriverRefusal> {
    let failed = |error: nix::Error| DriverRefusal::Failed(format!("limit of open files: {error}"));
    let wanted = u64::from(connections) + OTHER_FILES;
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).map_err(failed)?;
    if hard < wanted {
        let text =
            format!("this many connections need {wanted} open files, and {hard} are allowed");
        return Err(DriverRefusal::Unsupported(text));
    }
    if soft < wanted {
        setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).map_err(failed)?;
    }
    Ok(())
}

/// The connections of a request.
///
/// # Panics
/// For a primitive, which `measure` refuses before anything else.
pub fn tls(request: &DriverRequest) -> &TlsScenario {
    request.scenario.tls().expect("a server measures connections")
}
