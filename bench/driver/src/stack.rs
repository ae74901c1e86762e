//! The traits that a stack implements.

use crate::{
    DriverError, Pipe, Pki,
    load::{LoadConfig, LoadOperation},
    primitive::{PrimitiveConfig, PrimitiveOperation},
};
use shakedown_protocol::{
    CertificateKey, CipherSuite, DriverInfo, DriverRefusal, Group, TlsScenario, TlsVersion,
    Verification,
};

/// The host name in the certificates, which clients verify.
pub const SERVER_NAME: &str = "server.shakedown.test";

/// Sessions that a cache holds where one thread uses it: the number that rustls-bench uses.
const CACHED_SESSIONS: usize = 128;
/// Sessions that a cache holds where threads share it. While one of them waits for a CPU, the others
/// store hundreds of new sessions, which must not push out the one that it will resume. The number is
/// OpenSSL's default.
const SHARED_CACHED_SESSIONS: usize = 20_480;

/// Configuration of both endpoints.
#[derive(Debug, Clone)]
pub struct EndpointConfig {
    /// The scenario. Fixes the version, cipher suite, group (unless `default`), key, resumption and client
    /// authentication of both endpoints.
    pub scenario: TlsScenario,
    /// Certificates.
    pub pki: Pki,
    /// Tickets that the server sends after a TLS 1.3 handshake.
    pub tickets: u8,
    /// Seed for the library's random number generator, set if counts must repeat exactly. A stack
    /// that cannot be seeded ignores it.
    pub seed: Option<u64>,
}

impl EndpointConfig {
    /// Capacity of a session cache, of the server and of a client.
    pub fn cached_sessions(&self) -> usize {
        cached_sessions(&self.scenario)
    }
}

const fn cached_sessions(scenario: &TlsScenario) -> usize {
    if scenario.threads.get() > 1 { SHARED_CACHED_SESSIONS } else { CACHED_SESSIONS }
}

/// A TLS library.
pub trait Stack {
    /// The configured endpoints.
    type Endpoints: Endpoints;

    /// Name and version of the library, as it reports them at run time.
    fn info() -> DriverInfo;

    /// Whether the driver can do what not every driver can, asked before [`configure`](Self::configure). So that a
    /// driver that knows nothing of it does not measure something else, the default is that it can't.
    ///
    /// # Errors
    /// [`DriverRefusal::Unsupported`] for what the driver has not implemented.
    fn offers(scenario: &TlsScenario) -> Result<(), DriverRefusal> {
        let text = if scenario.verification != Verification::default() {
            "the driver of this stack verifies a chain of two certificates up to one root only"
        } else if scenario.records().is_some() {
            "the driver of this stack sends records of the library's size only"
        } else if scenario.sends_early_data() {
            "the driver of this stack sends no early data"
        } else {
            return Ok(());
        };
        Err(DriverRefusal::Unsupported(text.to_owned()))
    }

    /// Loads keys and certificates and configures both endpoints.
    ///
    /// # Errors
    /// [`DriverRefusal::Unsupported`] if this version or build does not support the scenario;
    /// [`DriverRefusal::Failed`] if it should support it.
    fn configure(setup: &EndpointConfig) -> Result<Self::Endpoints, DriverRefusal>;

    /// Prepares a primitive: keys, contexts and buffers.
    ///
    /// # Errors
    /// [`DriverRefusal::Unsupported`] if this version or build does not have it, or the driver does
    /// not reach below TLS, which is the default.
    fn primitive(_: &PrimitiveConfig) -> Result<Box<dyn PrimitiveOperation>, DriverRefusal> {
        Err(DriverRefusal::Unsupported("the driver of this stack measures TLS only".to_owned()))
    }

    /// Prepares to load something.
    ///
    /// # Errors
    /// [`DriverRefusal::Unsupported`] if this version or build does not have it, or the driver loads
    /// nothing by itself, which is the default.
    fn load(_: &LoadConfig) -> Result<Box<dyn LoadOperation>, DriverRefusal> {
        let text = "the driver of this stack loads keys and certificates into contexts only";
        Err(DriverRefusal::Unsupported(text.to_owned()))
    }
}

/// The configured endpoints, which an application shares between its threads.
pub trait Endpoints: Sync {
    /// The state of one thread.
    type Worker: Worker;

    /// Creates the state of one thread. Threads share the server's configuration; each has its own
    /// client sessions.
    ///
    /// # Errors
    /// Returns the library's error.
    fn worker(&self) -> Result<Self::Worker, DriverError>;
}

/// Creates the connections of one thread.
pub trait Worker {
    /// The client endpoint of a connection.
    type Client: Connection;
    /// The server endpoint of a connection.
    type Server: Connection;

    /// Creates a client endpoint. If the scenario resumes, it offers the newest session. Timed as
    /// client work.
    ///
    /// # Errors
    /// Returns the library's error.
    fn new_client(&mut self) -> Result<Self::Client, DriverError>;

    /// Creates a server endpoint. Timed as server work.
    ///
    /// # Errors
    /// Returns the library's error.
    fn new_server(&mut self) -> Result<Self::Server, DriverError>;

    /// Makes the client's context or configuration anew, with roots, keys and certificates read from their
    /// files again, and frees the one before. Timed as client work.
    ///
    /// # Errors
    /// Returns the library's error; [`DriverRefusal::Unsupported`] where the driver can't.
    fn renew_client(&mut self) -> Result<(), DriverRefusal> {
        Err(keeps_contexts())
    }

    /// Makes the server's context or configuration anew, like [`renew_client`](Self::renew_client). Timed
    /// as server work.
    ///
    /// # Errors
    /// As there.
    fn renew_server(&mut self) -> Result<(), DriverRefusal> {
        Err(keeps_contexts())
    }

    /// Called with both endpoints after a handshake that both have completed, before they are dropped. A
    /// stack can store the session here or mark the connection as cleanly closed. Not timed.
    ///
    /// # Errors
    /// Returns the library's error.
    fn after_handshake(
        &mut self,
        client: &mut Self::Client,
        server: &mut Self::Server,
    ) -> Result<(), DriverError>;
}

fn keeps_contexts() -> DriverRefusal {
    let text = "the driver of this stack makes both contexts once, and keeps them";
    DriverRefusal::Unsupported(text.to_owned())
}

/// One endpoint of a connection.
///
/// Every method that takes a pipe is timed as work of this endpoint. It does what an application
/// on a non-blocking socket would do: read everything available and write everything pending.
pub trait Connection {
    /// Advances the connection: processes incoming bytes and writes the response. After the
    /// handshake it also processes post-handshake messages such as tickets.
    ///
    /// # Errors
    /// Returns the library's error.
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError>;

    /// Whether the handshake is still in progress at this endpoint.
    fn is_handshaking(&self) -> bool;

    /// Sends all of `data` as application data.
    ///
    /// # Errors
    /// Returns the library's error.
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError>;

    /// Receives application data until `incoming` is empty or `into` is full. Returns the number of
    /// bytes received.
    ///
    /// # Errors
    /// Returns the library's error.
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError>;

    /// The parameters that this endpoint reports as negotiated. Called for every connection, outside
    /// the timed part; must not allocate.
    ///
    /// # Errors
    /// Fails during the handshake, or if the driver protocol has no name for a value.
    fn connection_info(&self) -> Result<ConnectionInfo, DriverError>;
}

/// The parameters that one endpoint reports as negotiated. Holds no heap memory, so that checking a
/// connection does not disturb heap measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionInfo {
    /// Protocol version.
    pub version: TlsVersion,
    /// Record protection.
    pub cipher_suite: CipherSuite,
    /// IANA name of the cipher suite.
    pub cipher_suite_name: &'static str,
    /// Key exchange group, if there was a key exchange and the library reports it.
    pub group: Option<Group>,
    /// Key type of the peer's certificate, if the peer sent one.
    pub peer_key: Option<CertificateKey>,
    /// IANA name of the peer's signature scheme, if the library reports it.
    pub peer_signature: Option<&'static str>,
    /// Number of certificates that the peer sent, if it sent some and the library reports it.
    pub peer_certificates: Option<u8>,
    /// Whether the peer stapled an OCSP response to them, if the library reports it.
    pub ocsp_response: Option<bool>,
    /// Whether a client sent [`EARLY_DATA`](crate::EARLY_DATA) and knows that it was accepted, or a server received it.
    pub early_data: bool,
    /// Whether the session was resumed, if this endpoint reports it. At least one of the two
    /// must; see [`FirstFlight`](crate::FirstFlight) for libraries that do not.
    pub resumed: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_share_a_cache_do_not_push_out_each_others_sessions() {
        let cached = |threads: &str| {
            let id = format!("handshake-session-id/tls1.3/aes256-gcm/x25519/ecdsa-p256{threads}");
            cached_sessions(&id.parse().unwrap())
        };
        // One thread, and with it every record that was made before, has the small cache.
        assert_eq!(cached(""), 128);
        // Sixteen threads on two CPUs: a second of waiting at 5,000 handshakes of two tickets.
        assert!(cached("/threads-16") >= 2 * 5_000);
    }
}
