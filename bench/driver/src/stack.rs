//! The traits that a stack implements.

use crate::Pipe;
use shakedown_protocol::{CipherSuite, DriverInfo, Group, Key, Refusal, Scenario, TlsVersion};
use std::path::{Path, PathBuf};

/// The host name in the certificates, which clients verify.
pub const SERVER_NAME: &str = "server.shakedown.test";

/// An error of the library, in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverError(pub String);

impl<E: std::error::Error> From<E> for DriverError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl From<DriverError> for Refusal {
    fn from(failure: DriverError) -> Self {
        Self::Failed(failure.0)
    }
}

/// Where the certificates are: one folder a key type, made by `bench/pki/make.sh`.
#[derive(Debug, Clone)]
pub struct Pki {
    folder: PathBuf,
}

impl Pki {
    /// The certificates for `key` under `root`.
    pub fn new(root: &Path, key: Key) -> Self {
        Self { folder: root.join(key.name()) }
    }

    /// The root certificate, PEM.
    pub fn root(&self) -> PathBuf {
        self.folder.join("root.pem")
    }

    /// Leaf and intermediate of the server, PEM, leaf first.
    pub fn server_chain(&self) -> PathBuf {
        self.folder.join("server.chain.pem")
    }

    /// Key of the server, PKCS #8 PEM.
    pub fn server_key(&self) -> PathBuf {
        self.folder.join("server.key.pem")
    }

    /// Leaf and intermediate of the client, PEM, leaf first.
    pub fn client_chain(&self) -> PathBuf {
        self.folder.join("client.chain.pem")
    }

    /// Key of the client, PKCS #8 PEM.
    pub fn client_key(&self) -> PathBuf {
        self.folder.join("client.key.pem")
    }
}

/// What a stack needs to know before it makes connections.
#[derive(Debug, Clone)]
pub struct EndpointConfig {
    /// What will be measured: pins version, suite, group (unless `default`), key,
    /// resumption and client authentication on both ends.
    pub scenario: Scenario,
    /// Certificates.
    pub pki: Pki,
    /// Tickets that the server sends after a TLS 1.3 handshake.
    pub tickets: u8,
    /// Seed for the library's randomness, when counts shall repeat exactly; a stack that
    /// can't be seeded ignores it.
    pub seed: Option<u64>,
}

/// A TLS library.
pub trait Stack {
    /// Both ends, configured.
    type Endpoints: Endpoints;

    /// What the library says of itself.
    fn info() -> DriverInfo;

    /// Loads keys and certificates and configures both ends.
    ///
    /// # Errors
    /// [`Refusal::Unsupported`] when this version or build can't do the scenario, with a
    /// reason for people; [`Refusal::Failed`] when it should have been able to.
    fn configure(setup: &EndpointConfig) -> Result<Self::Endpoints, Refusal>;
}

/// Both ends, configured: what an application shares between its threads.
pub trait Endpoints: Sync {
    /// What one thread uses.
    type Worker: Worker;

    /// State for one thread: the server's configuration is shared with the other threads,
    /// the client's sessions are its own.
    ///
    /// # Errors
    /// What the library says.
    fn worker(&self) -> Result<Self::Worker, DriverError>;
}

/// One thread's connections.
pub trait Worker {
    /// The client's end of a connection.
    type Client: Connection;
    /// The server's end of a connection.
    type Server: Connection;

    /// A new connection, client's end. Offers the newest session where the scenario
    /// resumes and there is one. Timed as the client's work.
    ///
    /// # Errors
    /// What the library says.
    fn new_client(&mut self) -> Result<Self::Client, DriverError>;

    /// A new connection, server's end. Timed as the server's work.
    ///
    /// # Errors
    /// What the library says.
    fn new_server(&mut self) -> Result<Self::Server, DriverError>;

    /// Called after a handshake's timed part with both ends before they are dropped, for
    /// stacks that must fetch a session or mark it as cleanly closed. Not timed.
    ///
    /// # Errors
    /// What the library says.
    fn after_handshake(
        &mut self,
        client: &mut Self::Client,
        server: &mut Self::Server,
    ) -> Result<(), DriverError>;
}

/// One end of a connection.
///
/// Every method with a pipe is timed as work of this end and does what an application on a
/// non-blocking socket would do: consume everything that arrived, produce all that can leave.
pub trait Connection {
    /// Takes one turn: reads what arrived, writes what follows from it. Also reads
    /// post-handshake messages (tickets) once the handshake is over.
    ///
    /// # Errors
    /// What the library says.
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError>;

    /// Whether this end still needs turns before application data may flow.
    fn is_handshaking(&self) -> bool;

    /// Sends application data, all of it.
    ///
    /// # Errors
    /// What the library says.
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError>;

    /// Receives application data into `into` until nothing is waiting or `into` is full,
    /// and returns how much came.
    ///
    /// # Errors
    /// What the library says.
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError>;

    /// What this end believes was negotiated. Cheap: called for every connection, outside
    /// the timed part.
    ///
    /// # Errors
    /// [`DriverError`] for a value that has no name in the protocol, or before the handshake.
    fn connection_info(&self) -> Result<ConnectionInfo, DriverError>;
}

/// What one end believes was negotiated. Holds no allocation, so that checking every
/// connection leaves the heap as the library made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionInfo {
    /// Protocol version.
    pub version: TlsVersion,
    /// Record protection.
    pub suite: CipherSuite,
    /// IANA name of the suite.
    pub suite_name: &'static str,
    /// Group, where there was a key exchange and the library tells.
    pub group: Option<Group>,
    /// Key of the peer's certificate, where there was one.
    pub peer_key: Option<Key>,
    /// IANA name of the scheme of the peer's signature, where the library tells.
    pub peer_signature: Option<&'static str>,
    /// Whether this end says that the session was resumed.
    pub resumed: bool,
}
