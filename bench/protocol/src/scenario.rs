//! What is measured, and its stable id.

use crate::{NameError, Size, names::named, size::SizeError};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{borrow::Cow, fmt, num::NonZeroU16, str::FromStr};

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
    /// The key of the server's certificate (and of the client's, with client auth).
    Key ("key") {
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
pub enum Kind {
    /// Handshakes, one after the other, each on a new connection.
    Handshake(Resumption),
    /// Application data from the server to the client over established connections.
    Bulk {
        /// How much is handed to the library in one write.
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
/// benchmark measures, `intree/` stands in front:
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
    pub kind: Kind,
    /// Protocol version.
    pub version: TlsVersion,
    /// Record protection.
    pub suite: CipherSuite,
    /// Key exchange group.
    pub group: Group,
    /// Certificate key.
    pub key: Key,
    /// Whether the client presents a certificate that the server requires.
    pub client_auth: bool,
    /// How many threads do this at once, each with connections of its own.
    pub threads: NonZeroU16,
    /// Whether the library's own benchmark program measures this instead of a driver. Such
    /// numbers come from another harness and are never compared with those of a driver: the
    /// id begins with `intree/`.
    pub in_tree: bool,
}

/// What the ids of in-tree benchmarks begin with.
const IN_TREE: &str = "intree/";

/// Why a text is not a scenario id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// Fewer parts than every id has.
    #[error(
        "`{0}` is not a scenario id: write kind/version/suite/group/key, such as handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256"
    )]
    Short(String),
    /// A kind that does not exist.
    #[error(
        "unknown kind `{0}`: one of handshake-full, handshake-session-id, handshake-ticket, bulk, memory"
    )]
    Kind(String),
    /// A part with an unknown name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A size that does not parse.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// An option that is unknown, misplaced, repeated or does not fit the kind.
    #[error(
        "option `{0}` does not belong here: options come in the order client-auth, write-SIZE, total-SIZE, sessions-N, threads-N, and only where the kind has them"
    )]
    Option(String),
    /// A kind that lacks an option that it needs.
    #[error("`{kind}` needs `{option}`")]
    Missing {
        /// The kind.
        kind: &'static str,
        /// The option, as one writes it.
        option: &'static str,
    },
    /// A combination that no TLS library can do.
    #[error("{0}")]
    Impossible(&'static str),
}

impl Scenario {
    /// The sides that are measured.
    pub const fn sides(&self) -> &'static [Side] {
        match self.kind {
            Kind::Handshake(_) => &[Side::Client, Side::Server],
            Kind::Bulk { .. } => &[Side::Send, Side::Receive],
            Kind::Memory { .. } => &[Side::Both],
        }
    }

    /// Whether each measured handshake must be a resumption.
    pub const fn resumes(&self) -> bool {
        matches!(self.kind, Kind::Handshake(Resumption::SessionId | Resumption::Ticket))
    }

    /// The first part of the id: the family that reports group by. In-tree benchmarks are
    /// families of their own, so that nothing pools their noise with that of a driver.
    pub const fn family(&self) -> &'static str {
        match self.kind {
            Kind::Handshake(Resumption::Full) if self.in_tree => "intree/handshake-full",
            Kind::Handshake(Resumption::SessionId) if self.in_tree => "intree/handshake-session-id",
            Kind::Handshake(Resumption::Ticket) if self.in_tree => "intree/handshake-ticket",
            Kind::Bulk { .. } if self.in_tree => "intree/bulk",
            Kind::Memory { .. } if self.in_tree => "intree/memory",
            Kind::Handshake(Resumption::Full) => "handshake-full",
            Kind::Handshake(Resumption::SessionId) => "handshake-session-id",
            Kind::Handshake(Resumption::Ticket) => "handshake-ticket",
            Kind::Bulk { .. } => "bulk",
            Kind::Memory { .. } => "memory",
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
            Kind::Memory { sessions } if sessions == 0 || sessions % 2 == 1 => {
                impossible("sessions must be even and more than zero: half are clients")
            }
            Kind::Memory { .. } if self.threads.get() > 1 => {
                impossible("memory is measured on one thread")
            }
            Kind::Bulk { write, total: Some(total) } if total < write => {
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
            Kind::Memory { .. } => impossible("an in-tree benchmark does not report memory"),
            Kind::Bulk { total: Some(_), .. } => {
                impossible("an in-tree benchmark sends everything over one connection")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, suite, group, key, .. } = self;
        write!(f, "{}/{version}/{suite}/{group}/{key}", self.family())?;
        if self.client_auth {
            f.write_str("/client-auth")?;
        }
        match self.kind {
            Kind::Handshake(_) => {}
            Kind::Bulk { write, total } => {
                write!(f, "/write-{write}")?;
                if let Some(total) = total {
                    write!(f, "/total-{total}")?;
                }
            }
            Kind::Memory { sessions } => write!(f, "/sessions-{sessions}")?,
        }
        if self.threads.get() > 1 {
            write!(f, "/threads-{}", self.threads)?;
        }
        Ok(())
    }
}

/// The options behind the fixed parts of an id, taken in their one order.
struct Options<'a>(Vec<&'a str>);

impl<'a> Options<'a> {
    fn flag(&mut self, name: &str) -> bool {
        let found = self.0.first() == Some(&name);
        if found {
            self.0.remove(0);
        }
        found
    }

    fn value(&mut self, prefix: &str) -> Option<&'a str> {
        let value = self.0.first()?.strip_prefix(prefix)?;
        self.0.remove(0);
        Some(value)
    }

    fn number<T: FromStr + fmt::Display>(
        &mut self,
        prefix: &str,
    ) -> Result<Option<T>, ScenarioError> {
        let Some(text) = self.value(prefix) else { return Ok(None) };
        match text.parse::<T>() {
            // `007` and `+7` would be second spellings of one id.
            Ok(number) if number.to_string() == text => Ok(Some(number)),
            _ => Err(ScenarioError::Option(format!("{prefix}{text}"))),
        }
    }

    fn size(&mut self, prefix: &str) -> Result<Option<Size>, ScenarioError> {
        let Some(text) = self.value(prefix) else { return Ok(None) };
        let size: Size = text.parse()?;
        if size.to_string() == text {
            Ok(Some(size))
        } else {
            Err(ScenarioError::Option(format!("{prefix}{text}")))
        }
    }
}

impl FromStr for Scenario {
    type Err = ScenarioError;

    fn from_str(id: &str) -> Result<Self, Self::Err> {
        let (in_tree, rest) = match id.strip_prefix(IN_TREE) {
            Some(rest) => (true, rest),
            None => (false, id),
        };
        let parts: Vec<&str> = rest.split('/').collect();
        let [family, version, suite, group, key, options @ ..] = parts.as_slice() else {
            return Err(ScenarioError::Short(id.to_owned()));
        };
        let (version, suite) = (version.parse()?, suite.parse()?);
        let (group, key) = (group.parse()?, key.parse()?);
        let mut options = Options(options.to_vec());
        let client_auth = options.flag("client-auth");
        let kind = match *family {
            "handshake-full" => Kind::Handshake(Resumption::Full),
            "handshake-session-id" => Kind::Handshake(Resumption::SessionId),
            "handshake-ticket" => Kind::Handshake(Resumption::Ticket),
            "bulk" => Kind::Bulk {
                write: options
                    .size("write-")?
                    .ok_or(ScenarioError::Missing { kind: "bulk", option: "write-SIZE" })?,
                total: options.size("total-")?,
            },
            "memory" => Kind::Memory {
                sessions: options
                    .number("sessions-")?
                    .ok_or(ScenarioError::Missing { kind: "memory", option: "sessions-N" })?,
            },
            other => return Err(ScenarioError::Kind(other.to_owned())),
        };
        let threads = match options.number::<NonZeroU16>("threads-")? {
            Some(NonZeroU16::MIN) => return Err(ScenarioError::Option("threads-1".to_owned())),
            Some(threads) => threads,
            None => NonZeroU16::MIN,
        };
        if let Some(left) = options.0.first() {
            return Err(ScenarioError::Option((*left).to_owned()));
        }
        let scenario = Self { kind, version, suite, group, key, client_auth, threads, in_tree };
        scenario.validate()?;
        Ok(scenario)
    }
}

impl Serialize for Scenario {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scenario {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = Cow::<'de, str>::deserialize(deserializer)?;
        id.parse().map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Scenario {
    fn schema_name() -> Cow<'static, str> {
        "Scenario".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "Scenario id: kind/version/suite/group/key[/option...]",
            "examples": ["handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256"],
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
