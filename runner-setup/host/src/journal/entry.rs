//! The entries of a journal.

use crate::setting::Setting;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Version of the lines.
const SCHEMA: u32 = 2;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum JournalEntry {
    /// The first line.
    Begin(JournalHeader),
    /// The original values.
    Originals(Vec<OriginalValue>),
    /// A setting is about to be set.
    Set { setting: Setting, to: String },
    /// A setting has another value than the one set: the system changed it, or another setting did.
    Became { setting: Setting, to: String },
    /// Tuning has finished.
    Done,
    /// A restore starts. Something else has changed these settings; they are left alone.
    Restoring { leave: Vec<Setting> },
}

/// When and how the machine was tuned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JournalHeader {
    pub schema: u32,
    /// The kernel's id of this boot.
    pub boot: String,
    /// Milliseconds since 1970 UTC.
    pub at_ms: u64,
    /// CPUs for benchmarks.
    pub benchmark: String,
}

impl JournalHeader {
    pub fn new(boot: String, benchmark: String) -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let at_ms = now.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        Self { schema: SCHEMA, boot, at_ms, benchmark }
    }
}

/// The original value of a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OriginalValue {
    pub setting: Setting,
    /// Name of the knob.
    pub knob: String,
    pub was: String,
    /// Wanted value.
    pub wanted: Option<String>,
}

impl JournalEntry {
    /// Reads a line.
    pub fn read(line: &str) -> Result<Self, String> {
        let entry: Self = serde_json::from_str(line).map_err(|error| error.to_string())?;
        match &entry {
            Self::Begin(header) if header.schema != SCHEMA => Err(format!(
                "schema {} instead of {SCHEMA}: restore with the shakedown that tuned this host",
                header.schema
            )),
            _ => Ok(entry),
        }
    }
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
