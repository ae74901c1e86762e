//! From lists of values to scenarios.

use super::file::{ScenarioMatrix, SuiteFault, hint};
use shakedown_protocol::{
    CertificateKey, CipherSuite, Group, NameError, RecordLimit, Resumption, Scenario, ScenarioKind,
    SetupWork, Size, TlsScenario, TlsVersion, Verification,
};
use std::{fmt::Display, num::NonZeroU16, str::FromStr};
use toml::Spanned;

const KINDS: [&str; 9] = [
    "handshake-full",
    "handshake-session-id",
    "handshake-ticket",
    "handshake-early-data",
    "bulk",
    "memory",
    "setup-context",
    "setup-handshake",
    "setup-process",
];

/// The lists of a matrix, read.
struct MatrixLists {
    kinds: Vec<ScenarioKind>,
    versions: Vec<TlsVersion>,
    cipher_suites: Vec<CipherSuite>,
    groups: Vec<Group>,
    keys: Vec<CertificateKey>,
    client_auth: Vec<bool>,
    threads: Vec<NonZeroU16>,
    connections: Vec<Option<NonZeroU16>>,
}

/// Reads one name of a closed set.
pub(super) fn name<T: FromStr<Err = NameError>>(text: &Spanned<String>) -> Result<T, SuiteFault> {
    text.get_ref().parse().map_err(|error: NameError| {
        let near = hint(&error.found, error.known.iter().copied());
        SuiteFault::new(text.span().start, format!("{error}{near}"))
    })
}

fn names<T: FromStr<Err = NameError>>(texts: &[Spanned<String>]) -> Result<Vec<T>, SuiteFault> {
    texts.iter().map(name).collect()
}

fn parsed<T: FromStr<Err: Display>>(texts: &[Spanned<String>]) -> Result<Vec<T>, SuiteFault> {
    let one = |text: &Spanned<String>| {
        text.get_ref()
            .parse()
            .map_err(|error: T::Err| SuiteFault::new(text.span().start, error.to_string()))
    };
    texts.iter().map(one).collect()
}

/// The kinds of a matrix, each with every combination of its own options.
fn kinds(matrix: &ScenarioMatrix, at: usize) -> Result<Vec<ScenarioKind>, SuiteFault> {
    let needs = |kind: &str, key: &str| SuiteFault::new(at, format!("kind `{kind}` needs `{key}`"));
    let mut kinds = Vec::new();
    for text in &matrix.kind {
        match text.get_ref().as_str() {
            "handshake-full" => kinds.push(ScenarioKind::Handshake(Resumption::Full)),
            "handshake-session-id" => kinds.push(ScenarioKind::Handshake(Resumption::SessionId)),
            "handshake-early-data" => {
                kinds.push(ScenarioKind::Handshake(Resumption::EarlyData));
            }
            "handshake-ticket" => kinds.push(ScenarioKind::Handshake(Resumption::Ticket)),
            "bulk" => {
                let writes = matrix.write.as_ref().ok_or_else(|| needs("bulk", "write"))?;
                let totals = matrix.total.as_deref().map_or(Ok(vec![None]), |texts| {
                    parsed::<Size>(texts).map(|sizes| sizes.into_iter().map(Some).collect())
                })?;
                for write in parsed::<Size>(writes)? {
                    let record = RecordLimit::Protocol;
                    let with = |&total: &_| ScenarioKind::Bulk { write, total, record };
                    kinds.extend(totals.iter().map(with));
                }
            }
            "memory" => {
                let sessions =
                    matrix.sessions.as_ref().ok_or_else(|| needs("memory", "sessions"))?;
                kinds.extend(sessions.iter().map(|&sessions| ScenarioKind::Memory { sessions }));
            }
            "setup-context" => kinds.push(ScenarioKind::Setup(SetupWork::Context)),
            "setup-handshake" => kinds.push(ScenarioKind::Setup(SetupWork::Handshake)),
            "setup-process" => kinds.push(ScenarioKind::Setup(SetupWork::Process)),
            other => {
                let near = hint(other, KINDS);
                let known = KINDS.join(", ");
                let problem = format!("unknown kind `{other}`: one of {known}{near}");
                return Err(SuiteFault::new(text.span().start, problem));
            }
        }
    }
    unused_keys(matrix, at)?;
    Ok(kinds)
}

/// A key that no kind of the matrix looks at is a mistake, not decoration.
fn unused_keys(matrix: &ScenarioMatrix, at: usize) -> Result<(), SuiteFault> {
    let has = |kind: &str| matrix.kind.iter().any(|text| text.get_ref() == kind);
    let keys = [
        ("write", matrix.write.is_some(), "bulk"),
        ("total", matrix.total.is_some(), "bulk"),
        ("sessions", matrix.sessions.is_some(), "memory"),
    ];
    match keys.into_iter().find(|(_, given, kind)| *given && !has(kind)) {
        Some((key, _, kind)) => {
            Err(SuiteFault::new(at, format!("`{key}` belongs to kind `{kind}`, which is not here")))
        }
        None => Ok(()),
    }
}

fn lists(matrix: &ScenarioMatrix, at: usize) -> Result<MatrixLists, SuiteFault> {
    let threads = counts(&matrix.threads, "threads must be at least 1")?;
    let connections = counts(&matrix.connections, "connections must be at least 1")?;
    Ok(MatrixLists {
        kinds: kinds(matrix, at)?,
        versions: names(&matrix.version)?,
        cipher_suites: names(&matrix.cipher_suite)?,
        groups: names(&matrix.group)?,
        keys: names(&matrix.key)?,
        client_auth: matrix.client_auth.clone().unwrap_or_else(|| vec![false]),
        threads: threads.unwrap_or_else(|| vec![NonZeroU16::MIN]),
        connections: connections
            .map_or_else(|| vec![None], |counts| counts.into_iter().map(Some).collect()),
    })
}

/// Numbers that are at least 1.
fn counts(
    given: &Option<Vec<Spanned<u16>>>,
    problem: &str,
) -> Result<Option<Vec<NonZeroU16>>, SuiteFault> {
    let one = |count: &Spanned<u16>| {
        NonZeroU16::new(*count.get_ref())
            .ok_or_else(|| SuiteFault::new(count.span().start, problem))
    };
    given.as_ref().map(|counts| counts.iter().map(one).collect()).transpose()
}

impl MatrixLists {
    /// Every number of threads with every number of connections.
    fn at_once(&self) -> impl Iterator<Item = (NonZeroU16, Option<NonZeroU16>)> {
        let with =
            |&threads| self.connections.iter().map(move |&connections| (threads, connections));
        self.threads.iter().flat_map(with)
    }

    /// Every combination, the leftmost list slowest.
    fn combinations(&self) -> Vec<TlsScenario> {
        let mut found = vec![];
        for &kind in &self.kinds {
            for &version in &self.versions {
                for &cipher_suite in &self.cipher_suites {
                    for &group in &self.groups {
                        for &key in &self.keys {
                            for &client_auth in &self.client_auth {
                                found.extend(self.at_once().map(|(threads, connections)| {
                                    TlsScenario {
                                        kind,
                                        version,
                                        cipher_suite,
                                        group,
                                        key,
                                        client_auth,
                                        verification: Verification::default(),
                                        tickets: None,
                                        threads,
                                        connections,
                                        in_tree: false,
                                    }
                                }));
                            }
                        }
                    }
                }
            }
        }
        found
    }
}

/// Every scenario of a matrix, in the order of its lists.
pub(super) fn expand(matrix: &Spanned<ScenarioMatrix>) -> Result<Vec<Scenario>, SuiteFault> {
    let at = matrix.span().start;
    let matrix = matrix.get_ref();
    let mut scenarios = lists(matrix, at)?.combinations();
    if matrix.skip_impossible {
        scenarios.retain(|scenario| scenario.validate().is_ok());
    }
    for scenario in &scenarios {
        scenario.validate().map_err(|error| {
            let problem = format!(
                "`{scenario}` can't be: {error}. Take it out of the lists, or say `skip-impossible = true`"
            );
            SuiteFault::new(at, problem)
        })?;
    }
    if scenarios.is_empty() {
        return Err(SuiteFault::new(
            at,
            "no scenario comes out of these lists: one of them is empty, or all combinations are impossible",
        ));
    }
    Ok(scenarios.into_iter().map(Scenario::Tls).collect())
}
