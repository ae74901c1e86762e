//! Scenarios that make connections.

use super::{
    CertificateKey, CipherSuite, Group, RecordLimit, Resumption, ScenarioError, SetupWork, Side,
    TicketCount, TlsVersion, Verification,
};
use crate::{Metric, Size};
use std::num::NonZeroU16;

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
        /// How much of it the server puts into one record.
        record: RecordLimit,
    },
    /// Peak memory of a process that takes this many sessions (half of them client, half
    /// server) through the handshake in lockstep, then 1 KiB each.
    Memory {
        /// Number of sessions, even.
        sessions: u32,
    },
    /// What comes before a handshake of an application that begins, each time anew.
    Setup(SetupWork),
}

/// Connections to measure. Their id reads, for example,
/// `handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256`,
/// `bulk/tls1.2/chacha20/x25519/rsa-2048/write-16KiB/total-100MB` or
/// `memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-1000`. Where the library's own
/// benchmark measures, the id starts with `intree/`:
/// `intree/handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256`.
///
/// ```
/// use shakedown_protocol::{Group, TlsScenario};
/// let id = "handshake-ticket/tls1.3/aes256-gcm/default/rsa-2048/client-auth";
/// let scenario: TlsScenario = id.parse().unwrap();
/// assert_eq!(scenario.group, Group::Default);
/// assert!(scenario.client_auth);
/// assert_eq!(scenario.to_string(), id);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TlsScenario {
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
    /// What the client verifies of the server.
    pub verification: Verification,
    /// Tickets after a full handshake; `None`: as many as the suite says.
    pub tickets: Option<TicketCount>,
    /// How many threads do this at once, each with connections of its own.
    pub threads: NonZeroU16,
    /// How many connections a real server has open at once; `None`: [`TlsScenario::USUAL_CONNECTIONS`].
    pub connections: Option<NonZeroU16>,
    /// Whether the library's own benchmark program measures this instead of a driver. Such
    /// numbers come from another harness and are never compared with those of a driver: the
    /// id begins with `intree/`.
    pub in_tree: bool,
}

impl TlsScenario {
    /// Connections that a real server has open at once, unless the scenario says otherwise.
    pub const USUAL_CONNECTIONS: NonZeroU16 = NonZeroU16::new(32).unwrap();
    /// At most so many: each is a thread of the load generator, and an open file on both ends.
    const MOST_CONNECTIONS: u16 = 2000;

    /// The sides that are measured.
    pub const fn sides(&self) -> &'static [Side] {
        match self.kind {
            ScenarioKind::Memory { .. } | ScenarioKind::Setup(SetupWork::Process) => &[Side::Both],
            ScenarioKind::Handshake(_) | ScenarioKind::Setup(_) => &[Side::Client, Side::Server],
            ScenarioKind::Bulk { .. } => &[Side::Send, Side::Receive],
        }
    }

    /// See [`Scenario::rate`](super::Scenario::rate).
    pub const fn rate(&self) -> Option<Metric> {
        match self.kind {
            ScenarioKind::Setup(SetupWork::Context) => Some(Metric::Operations),
            ScenarioKind::Handshake(_) | ScenarioKind::Setup(_) => Some(Metric::Handshakes),
            ScenarioKind::Bulk { .. } => Some(Metric::Throughput),
            ScenarioKind::Memory { .. } => None,
        }
    }

    /// Records in which the server sends one operation, where the scenario determines it.
    pub const fn records(&self) -> Option<u64> {
        match self.kind {
            ScenarioKind::Bulk { record: RecordLimit::Protocol, .. } => None,
            ScenarioKind::Bulk { write, record, .. } => Some(write.0.div_ceil(record.bytes())),
            _ => None,
        }
    }

    /// Whether each measured handshake must be a resumption.
    pub const fn resumes(&self) -> bool {
        matches!(self.kind, ScenarioKind::Handshake(resumption) if !matches!(resumption, Resumption::Full))
    }

    /// Whether each client sends early data, which the server must accept.
    pub const fn sends_early_data(&self) -> bool {
        matches!(self.kind, ScenarioKind::Handshake(Resumption::EarlyData))
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
            ScenarioKind::Handshake(Resumption::EarlyData) => "handshake-early-data",
            ScenarioKind::Bulk { .. } => "bulk",
            ScenarioKind::Memory { .. } => "memory",
            ScenarioKind::Setup(work) => work.name(),
        }
    }

    /// Checks what the types can't: combinations that TLS does not have.
    pub fn validate(&self) -> Result<(), ScenarioError> {
        let impossible = |why| Err(ScenarioError::Impossible(why));
        if self.version == TlsVersion::Tls12 && self.group.is_post_quantum() {
            return impossible("ML-KEM exists in TLS 1.3 only");
        }
        if self.version == TlsVersion::Tls12 && self.sends_early_data() {
            return impossible("early data exists in TLS 1.3 only");
        }
        if let Some(tickets) = self.tickets {
            if self.version == TlsVersion::Tls12 || !matches!(self.kind, ScenarioKind::Handshake(_))
            {
                return impossible("tickets are counted in handshakes of TLS 1.3");
            }
            if tickets == TicketCount::Zero && self.resumes() {
                return impossible("a client without a ticket has nothing to resume with");
            }
        }
        self.verification.validate()?;
        if self.verification != Verification::default() && !self.verifies_each_time() {
            return impossible(
                "what is verified is measured where each operation verifies it: in handshake-full and setup",
            );
        }
        self.validate_connections()?;
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
            ScenarioKind::Setup(SetupWork::Process) if self.threads.get() > 1 => {
                impossible("a process is set up by one thread")
            }
            ScenarioKind::Bulk { write, total: Some(total), .. } if total < write => {
                impossible("total must be at least one write")
            }
            _ => Ok(()),
        }
    }

    /// Checks a number of connections of a real server.
    fn validate_connections(&self) -> Result<(), ScenarioError> {
        let impossible = |why| Err(ScenarioError::Impossible(why));
        match (self.connections, self.kind) {
            (None, _) => Ok(()),
            (Some(Self::USUAL_CONNECTIONS), _) => {
                impossible("32 connections are what a server has without an option")
            }
            (Some(number), _) if number.get() > Self::MOST_CONNECTIONS => {
                impossible("at most 2000 connections are open at once")
            }
            (Some(_), ScenarioKind::Handshake(_) | ScenarioKind::Bulk { .. }) => Ok(()),
            _ => impossible("connections are counted in handshakes and transfers"),
        }
    }

    /// Whether the client verifies the server's certificates in each operation.
    const fn verifies_each_time(&self) -> bool {
        matches!(self.kind, ScenarioKind::Handshake(Resumption::Full) | ScenarioKind::Setup(_))
    }

    /// Checks that the programs that libraries carry themselves can do this.
    fn validate_in_tree(&self) -> Result<(), ScenarioError> {
        let impossible = |why| Err(ScenarioError::Impossible(why));
        if self.group != Group::Default {
            return impossible("an in-tree benchmark has no choice of group: write `default`");
        }
        if matches!(self.key, CertificateKey::Rsa3072 | CertificateKey::Rsa4096) {
            return impossible("an in-tree benchmark has no larger RSA key than rsa-2048");
        }
        if self.client_auth || self.threads.get() > 1 {
            return impossible("an in-tree benchmark has neither client-auth nor threads");
        }
        if self.connections.is_some() {
            return impossible("an in-tree benchmark has one connection after the other");
        }
        if self.tickets.is_some() {
            return impossible("an in-tree benchmark has no choice of tickets");
        }
        if self.verification != Verification::default() {
            return impossible("an in-tree benchmark has certificates of its own");
        }
        match self.kind {
            ScenarioKind::Memory { .. } => {
                impossible("an in-tree benchmark does not report memory")
            }
            ScenarioKind::Handshake(Resumption::EarlyData) => {
                impossible("an in-tree benchmark sends no early data")
            }
            ScenarioKind::Setup(_) => impossible("an in-tree benchmark sets up before it measures"),
            ScenarioKind::Bulk { total: Some(_), .. } => {
                impossible("an in-tree benchmark sends everything over one connection")
            }
            ScenarioKind::Bulk { record, .. } if record != RecordLimit::Protocol => {
                impossible("an in-tree benchmark has records of the library's size")
            }
            _ => Ok(()),
        }
    }
}
