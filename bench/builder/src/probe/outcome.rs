//! Parses cargo's results for the probes (`--message-format=json`).

use crate::call::BuildLog;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The results of the probes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ProbeOutcomes {
    /// By name of the example: the first error of one that does not compile.
    pub(super) probes: BTreeMap<String, Result<(), String>>,
    /// The first error in anything else, such as the library itself.
    pub(super) library: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "reason")]
enum CargoMessage {
    #[serde(rename = "compiler-artifact")]
    Compiled { target: CargoTarget },
    #[serde(rename = "compiler-message")]
    Diagnosed { target: CargoTarget, message: CargoDiagnostic },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct CargoTarget {
    name: String,
    kind: Vec<String>,
}

impl CargoTarget {
    fn is_probe(&self) -> bool {
        self.kind.iter().any(|kind| kind == "example")
    }
}

#[derive(Deserialize)]
struct CargoDiagnostic {
    level: String,
    rendered: Option<String>,
    message: String,
}

/// Parses the JSON lines in cargo's output.
pub(super) fn read(text: &str) -> ProbeOutcomes {
    let mut outcomes = ProbeOutcomes::default();
    let messages = text.lines().filter(|line| line.starts_with('{'));
    for message in messages.filter_map(|line| serde_json::from_str(line).ok()) {
        match message {
            CargoMessage::Compiled { target } if target.is_probe() => {
                outcomes.probes.insert(target.name, Ok(()));
            }
            CargoMessage::Diagnosed { target, message } if message.level.starts_with("error") => {
                let error = message.rendered.unwrap_or(message.message).trim_end().to_owned();
                if !target.is_probe() {
                    outcomes.library.get_or_insert(error);
                } else if !matches!(outcomes.probes.get(&target.name), Some(Err(_))) {
                    outcomes.probes.insert(target.name, Err(error));
                }
            }
            _ => {}
        }
    }
    outcomes
}

/// Logs the result of each probe.
pub(super) fn summarise(log: &mut BuildLog, outcomes: &ProbeOutcomes) {
    for (name, outcome) in &outcomes.probes {
        match outcome {
            Ok(()) => log.note(&format!("{name}: compiles")),
            Err(error) => log.note(&format!("{name}: {error}")),
        }
    }
}

/// The first error of the Rust compiler in a log of cargo; `None` if something else failed.
pub(crate) fn compiler_error(log: &str) -> Option<String> {
    if !log.contains("error: could not compile") {
        return None;
    }
    let first = log.lines().skip_while(|line| !line.starts_with("error"));
    Some(first.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_and_first_errors_are_read() {
        let text = r#"   Compiling rustls v0.23.46
{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"rustls"},"fresh":true}
{"reason":"compiler-artifact","target":{"kind":["example"],"name":"io--old"}}
{"reason":"compiler-message","target":{"kind":["example"],"name":"io--new"},"message":{"level":"warning","message":"unused","rendered":"warning"}}
{"reason":"compiler-message","target":{"kind":["example"],"name":"io--new"},"message":{"level":"error","message":"a","rendered":"error: a\n\n"}}
{"reason":"compiler-message","target":{"kind":["example"],"name":"io--new"},"message":{"level":"error","message":"b","rendered":null}}
{"reason":"build-finished","success":false}
{"half"#;
        let outcomes = read(text);
        assert_eq!(outcomes.probes.len(), 2);
        assert_eq!(outcomes.probes["io--old"], Ok(()));
        assert_eq!(outcomes.probes["io--new"], Err("error: a".to_owned()));
        assert_eq!(outcomes.library, None);

        let text = r#"{"reason":"compiler-message","target":{"kind":["lib"],"name":"rustls"},"message":{"level":"error","message":"m","rendered":null}}"#;
        assert_eq!(read(text).library.as_deref(), Some("m"));
    }

    #[test]
    fn the_first_error_of_a_log_is_found() {
        let log = "   Compiling x\nerror[E0599]: no method\n --> src/main.rs:1\n\nerror: could not compile `x`\n";
        assert_eq!(
            compiler_error(log).as_deref(),
            Some("error[E0599]: no method\n --> src/main.rs:1")
        );
        assert_eq!(compiler_error("error: failed to run custom build command\n"), None);
    }
}
