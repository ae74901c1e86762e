//! The TOML of a suite, with the places of its parts, so that errors can name a line.

use serde::Deserialize;
use toml::Spanned;

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SuiteText {
    pub name: Spanned<String>,
    pub description: String,
    pub blocks: Spanned<u32>,
    pub aslr: Spanned<String>,
    pub meters: Spanned<Vec<Spanned<String>>>,
    pub tickets: Spanned<u8>,
    pub budget: Spanned<SuiteBudget>,
    #[serde(default)]
    pub ids: Vec<Spanned<String>>,
    #[serde(default)]
    pub scenarios: Vec<Spanned<ScenarioMatrix>>,
}

/// How long a trial takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SuiteBudget {
    pub warm_up_ms: u32,
    pub measure_ms: u32,
    pub batch_ms: u32,
    pub operations: u32,
    pub timeout_ms: u64,
}

/// Every combination of its lists is a scenario.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ScenarioMatrix {
    pub kind: Vec<Spanned<String>>,
    pub version: Vec<Spanned<String>>,
    pub cipher_suite: Vec<Spanned<String>>,
    pub group: Vec<Spanned<String>>,
    pub key: Vec<Spanned<String>>,
    #[serde(default)]
    pub client_auth: Option<Vec<bool>>,
    #[serde(default)]
    pub threads: Option<Vec<Spanned<u16>>>,
    #[serde(default)]
    pub connections: Option<Vec<Spanned<u16>>>,
    #[serde(default)]
    pub write: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    pub total: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    pub sessions: Option<Vec<u32>>,
    #[serde(default)]
    pub skip_impossible: bool,
}

/// Something wrong at a byte of the text.
#[derive(Debug)]
pub(super) struct SuiteFault {
    /// Byte offset in the text.
    pub at: usize,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl SuiteFault {
    pub fn new(at: usize, problem: impl Into<String>) -> Self {
        Self { at, problem: problem.into() }
    }
}

/// The name nearest to `text`, if any is near enough to be meant.
pub(super) fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(text, name), name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// Says which name was meant, as an addition to an error.
pub(super) fn hint<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(text, known).map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// Reads the text of a suite.
pub(super) fn parse(text: &str) -> Result<SuiteText, SuiteFault> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        SuiteFault::new(at, kindly(error.message()))
    })
}

/// Adds the near name to serde's "unknown field `x`, expected one of `a`, `b`".
fn kindly(message: &str) -> String {
    let message = message.trim_end();
    let mut quoted = message.split('`').skip(1).step_by(2);
    match (message.starts_with("unknown field"), quoted.next()) {
        (true, Some(field)) => format!("{message}{}", hint(field, quoted)),
        _ => message.to_owned(),
    }
}

/// Adds the near name to "unknown group `x`: one of a, b".
pub(super) fn kindly_id(message: &str) -> String {
    let found = message.split('`').nth(1);
    match (found, message.rsplit_once("one of ")) {
        (Some(found), Some((_, known))) => format!("{message}{}", hint(found, known.split(", "))),
        _ => message.to_owned(),
    }
}
