//! Scenario ids: printing and parsing.

use super::{
    Load, Primitive, RecordLimit, Resumption, Scenario, ScenarioError, ScenarioKind, SetupWork,
    TlsScenario, Verification,
};
use crate::Size;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{borrow::Cow, fmt, num::NonZeroU16, str::FromStr};

/// What the ids of in-tree benchmarks begin with.
const IN_TREE: &str = "intree/";

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tls(scenario) => scenario.fmt(f),
            Self::Primitive(primitive) => primitive.fmt(f),
            Self::Load(load) => load.fmt(f),
        }
    }
}

impl FromStr for Scenario {
    type Err = ScenarioError;

    fn from_str(id: &str) -> Result<Self, Self::Err> {
        if Primitive::claims(id) {
            id.parse().map(Self::Primitive)
        } else if Load::claims(id) {
            id.parse().map(Self::Load)
        } else {
            id.parse().map(Self::Tls)
        }
    }
}

impl fmt::Display for TlsScenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, cipher_suite, group, key, .. } = self;
        write!(f, "{}/{version}/{cipher_suite}/{group}/{key}", self.family())?;
        if self.client_auth {
            f.write_str("/client-auth")?;
        }
        write_verification(f, &self.verification)?;
        if let Some(tickets) = self.tickets {
            write!(f, "/tickets-{tickets}")?;
        }
        match self.kind {
            ScenarioKind::Handshake(_) | ScenarioKind::Setup(_) => {}
            ScenarioKind::Bulk { write, total, record } => {
                write!(f, "/write-{write}")?;
                if let Some(total) = total {
                    write!(f, "/total-{total}")?;
                }
                if record != RecordLimit::Protocol {
                    write!(f, "/record-{record}")?;
                }
            }
            ScenarioKind::Memory { sessions } => write!(f, "/sessions-{sessions}")?,
        }
        if self.threads.get() > 1 {
            write!(f, "/threads-{}", self.threads)?;
        }
        if let Some(connections) = self.connections {
            write!(f, "/connections-{connections}")?;
        }
        Ok(())
    }
}

/// Nothing for what is verified by default.
fn write_verification(f: &mut fmt::Formatter<'_>, asked: &Verification) -> fmt::Result {
    if asked.chain != Verification::USUAL_CHAIN {
        write!(f, "/chain-{}", asked.chain)?;
    }
    let flags = [(asked.many_roots, "/roots-150"), (asked.crl, "/crl"), (asked.ocsp, "/ocsp")];
    flags.into_iter().filter(|(given, _)| *given).try_for_each(|(_, name)| f.write_str(name))
}

/// The options after the fixed parts of an id, consumed in their fixed order.
struct IdOptions<'a>(Vec<&'a str>);

impl<'a> IdOptions<'a> {
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

    fn verification(&mut self) -> Result<Verification, ScenarioError> {
        let chain = match self.number("chain-")? {
            // A second spelling of one id.
            Some(Verification::USUAL_CHAIN) => {
                return Err(ScenarioError::Option("chain-2".to_owned()));
            }
            Some(chain) => chain,
            None => Verification::USUAL_CHAIN,
        };
        Ok(Verification {
            chain,
            many_roots: self.flag("roots-150"),
            crl: self.flag("crl"),
            ocsp: self.flag("ocsp"),
        })
    }

    fn record(&mut self) -> Result<RecordLimit, ScenarioError> {
        match self.value("record-").map(str::parse).transpose()? {
            // A second spelling of one id.
            Some(limit @ RecordLimit::Protocol) => {
                Err(ScenarioError::Option(format!("record-{limit}")))
            }
            limit => Ok(limit.unwrap_or(RecordLimit::Protocol)),
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

impl FromStr for TlsScenario {
    type Err = ScenarioError;

    fn from_str(id: &str) -> Result<Self, Self::Err> {
        let (in_tree, rest) = match id.strip_prefix(IN_TREE) {
            Some(rest) => (true, rest),
            None => (false, id),
        };
        let parts: Vec<&str> = rest.split('/').collect();
        let [family, version, cipher_suite, group, key, options @ ..] = parts.as_slice() else {
            return Err(ScenarioError::Short(id.to_owned()));
        };
        let (version, cipher_suite) = (version.parse()?, cipher_suite.parse()?);
        let (group, key) = (group.parse()?, key.parse()?);
        let mut options = IdOptions(options.to_vec());
        let client_auth = options.flag("client-auth");
        let verification = options.verification()?;
        let tickets = options.value("tickets-").map(str::parse).transpose()?;
        let kind = match *family {
            "handshake-full" => ScenarioKind::Handshake(Resumption::Full),
            "handshake-session-id" => ScenarioKind::Handshake(Resumption::SessionId),
            "handshake-ticket" => ScenarioKind::Handshake(Resumption::Ticket),
            "handshake-early-data" => ScenarioKind::Handshake(Resumption::EarlyData),
            "bulk" => ScenarioKind::Bulk {
                write: options
                    .size("write-")?
                    .ok_or(ScenarioError::Missing { kind: "bulk", option: "write-SIZE" })?,
                total: options.size("total-")?,
                record: options.record()?,
            },
            "memory" => ScenarioKind::Memory {
                sessions: options
                    .number("sessions-")?
                    .ok_or(ScenarioError::Missing { kind: "memory", option: "sessions-N" })?,
            },
            other => match other.parse::<SetupWork>() {
                Ok(work) => ScenarioKind::Setup(work),
                Err(_) => return Err(ScenarioError::Kind(other.to_owned())),
            },
        };
        let threads = match options.number::<NonZeroU16>("threads-")? {
            Some(NonZeroU16::MIN) => return Err(ScenarioError::Option("threads-1".to_owned())),
            Some(threads) => threads,
            None => NonZeroU16::MIN,
        };
        let connections = options.number("connections-")?;
        if let Some(left) = options.0.first() {
            return Err(ScenarioError::Option((*left).to_owned()));
        }
        let scenario = Self {
            kind,
            version,
            cipher_suite,
            group,
            key,
            client_auth,
            verification,
            tickets,
            threads,
            connections,
            in_tree,
        };
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
            "description": "Scenario id: kind/version/cipher-suite/group/key[/option...], primitive/kind/... or load/kind/...",
            "examples": ["handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256"],
        })
    }
}
