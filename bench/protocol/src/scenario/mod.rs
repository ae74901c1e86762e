//! What is measured, and its stable id.

mod error;
mod id;

pub use error::ScenarioError;

use crate::{Size, names::named};
use std::num::NonZeroU16;

named! {
    /// One end of a connection, or one direction of a transfer. Always measured apart.
    Side ("side") {
        /// The end that opens the connection.
        Client = "client",
        /// The end that is connected to.
        Server = "server",
        /// In a bulk transfer: the server, encrypting.
        Send = "send",
        /// In a bulk transfer: the client, decrypting.
        Receive = "receive",
        /// Both ends in one process, where they can't be told apart (peak memory).
        Both = "both",
    }
}

named! {
    /// Protocol version, pinned on both ends.
    TlsVersion ("TLS version") {
        /// RFC 5246.
        Tls12 = "tls1.2",
        /// RFC 8446.
        Tls13 = "tls1.3",
    }
}

named! {
    /// The record protection, pinned on both ends. In TLS 1.2 the key exchange is ECDHE
    /// and the signature follows from the key.
    CipherSuite ("cipher suite") {
        /// AES-128-GCM with SHA-256.
        Aes128Gcm = "aes128-gcm",
        /// AES-256-GCM with SHA-384.
        Aes256Gcm = "aes256-gcm",
        /// ChaCha20-Poly1305 with SHA-256.
        Chacha20 = "chacha20",
    }
}

named! {
    /// The key exchange group, pinned, or left to the library.
    Group ("group") {
        /// What the library offers and prefers when nobody asks for anything.
        Default = "default",
        /// RFC 7748.
        X25519 = "x25519",
        /// NIST P-256.
        Secp256r1 = "secp256r1",
        /// NIST P-384.
        Secp384r1 = "secp384r1",
        /// Hybrid of ML-KEM-768 and X25519; TLS 1.3 only.
        X25519MlKem768 = "x25519mlkem768",
    }
}

named! {
    /// The key type of the server's certificate, and of the client's with client authentication.
    CertificateKey ("key") {
        /// RSA with 2048 bits.
        Rsa2048 = "rsa-2048",
        /// ECDSA over NIST P-256.
        EcdsaP256 = "ecdsa-p256",
        /// ECDSA over NIST P-384.
        EcdsaP384 = "ecdsa-p384",
        /// RFC 8032.
        Ed25519 = "ed25519",
    }
}

named! {
    /// How a handshake begins.
    Resumption ("resumption") {
        /// No earlier session: certificates and a key exchange.
        Full = "full",
        /// The server keeps the session and the client names it (TLS 1.2: session id,
        /// TLS 1.3: a ticket that is only a name).
        SessionId = "session-id",
        /// The server keeps nothing: the ticket holds the session, encrypted.
        Ticket = "ticket",
    }
}

/// What a scenario does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScenarioKind {
    /// Handshakes, one after the other, each on a new connection.
    Handshake(Resumption),
    /// Application data from the server to the client over established connections.
    Bulk {
        /// Size of one write.
        write: Size,
        /// How much one connection carries; `None`: one connection for the whole trial.
        total: Option<Size>,
    },
    /// Peak memory of a process that takes this many sessions (half of them client, half
    /// server) through the handshake in lockstep, then 1 KiB each.
    Memory {
        /// Number of sessions, even.
        sessions: u32,
    },
}

/// One thing to measure. Its id reads, for example,
/// `handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256`,
/// `bulk/tls1.2/chacha20/x25519/rsa-2048/write-16KiB/total-100MB` or
/// `memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-1000`. Where the library's own
/// benchmark measures, the id starts with `intree/`:
/// `intree/handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256`.
///
/// ```
/// use shakedown_protocol::{Group, Scenario};
/// let id = "handshake-ticket/tls1.3/aes256-gcm/default/rsa-2048/client-auth";
/// let scenario: Scenario = id.parse().unwrap();
/// assert_eq!(scenario.group, Group::Default);
/// assert!(scenario.client_auth);
/// assert_eq!(scenario.to_string(), id);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scenario {
    /// What is done.
    pub kind: ScenarioKind,
    /// Protocol version.
    pub version: TlsVersion,
    /// Record protection.
    pub cipher_suite: CipherSuite,
    /// Key exchange group.
    pub group: Group,
    /// Certificate key.
    pub key: CertificateKey,
    /// Whether the client presents a certificate that the server requires.
    pub client_auth: bool,
    /// How many threads do this at once, each with connections of its own.
    pub threads: NonZeroU16,
    /// Whether the library's own benchmark program measures this instead of a driver. Such
    /// numbers come from another harness and are never compared with those of a driver: the
    /// id begins with `intree/`.
    pub in_tree: bool,
}

impl Scenario {
    /// The sides that are measured.
    pub const fn sides(&self) -> &'static [Side] {
        match self.kind {
            ScenarioKind::Handshake(_) => &[Side::Client, Side::Server],
            ScenarioKind::Bulk { .. } => &[Side::Send, Side::Receive],
            ScenarioKind::Memory { .. } => &[Side::Both],
        }
    }

    /// Whether each measured handshake must be a resumption.
    pub const fn resumes(&self) -> bool {
        matches!(self.kind, ScenarioKind::Handshake(Resumption::SessionId | Resumption::Ticket))
    }

    /// The first part of the id: the family that reports group by. In-tree benchmarks are
    /// families of their own, so that nothing pools their noise with that of a driver.
    pub const fn family(&self) -> &'static str {
        match self.kind {
            ScenarioKind::Handshake(Resumption::Full) if self.in_tree => "intree/handshake-full",
            ScenarioKind::Handshake(Resumption::SessionId) if self.in_tree => {
                "intree/handshake-session-id"
            }
            ScenarioKind::Handshake(Resumption::Ticket) if self.in_tree => {
                "intree/handshake-ticket"
            }
            ScenarioKind::Bulk { .. } if self.in_tree => "intree/bulk",
            ScenarioKind::Memory { .. } if self.in_tree => "intree/memory",
            ScenarioKind::Handshake(Resumption::Full) => "handshake-full",
            ScenarioKind::Handshake(Resumption::SessionId) => "handshake-session-id",
            ScenarioKind::Handshake(Resumption::Ticket) => "handshake-ticket",
            ScenarioKind::Bulk { .. } => "bulk",
            ScenarioKind::Memory { .. } => "memory",
        }
    }

    /// Checks what the types can't: combinations that TLS does not have.
    pub fn validate(&self) -> Result<(), ScenarioError> {
        let impossible = |why| Err(ScenarioError::Impossible(why));
        if self.version == TlsVersion::Tls12 && self.group == Group::X25519MlKem768 {
            return impossible("x25519mlkem768 exists in TLS 1.3 only");
        }
        if self.in_tree {
            self.validate_in_tree()?;
        }
        match self.kind {
            ScenarioKind::Memory { sessions } if sessions == 0 || sessions % 2 == 1 => {
                impossible("sessions must be even and more than zero: half are clients")
            }
            ScenarioKind::Memory { .. } if self.threads.get() > 1 => {
                impossible("memory is measured on one thread")
            }
            ScenarioKind::Bulk { write, total: Some(total) } if total < write => {
                impossible("total must be at least one write")
            }
            _ => Ok(()),
        }
    }

    /// Checks that the programs that libraries carry themselves can do this.
    fn validate_in_tree(&self) -> Result<(), ScenarioError> {
        let impossible = |why| Err(ScenarioError::Impossible(why));
        if self.group != Group::Default {
            return impossible("an in-tree benchmark has no choice of group: write `default`");
        }
        if self.client_auth || self.threads.get() > 1 {
            return impossible("an in-tree benchmark has neither client-auth nor threads");
        }
        match self.kind {
            ScenarioKind::Memory { .. } => {
                impossible("an in-tree benchmark does not report memory")
            }
            ScenarioKind::Bulk { total: Some(_), .. } => {
                impossible("an in-tree benchmark sends everything over one connection")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
