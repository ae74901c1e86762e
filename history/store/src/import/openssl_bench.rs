//! The text of ctz's openssl-bench: each measurement begins with the command that `make` echoes.

use super::{
    rustls_bench::{PeakMemoryReport, memory_command, push_memory},
    values::{LineReader, SeriesKey, key, scenario},
};
use crate::StoreError;

/// Where in the text we are.
struct OpensslBenchCommand {
    kind: &'static str,
    cipher_suite: String,
    /// Resumptions that did not resume, of how many.
    missed: (u64, u64),
}

pub fn read(text: &str, reader: &mut LineReader<'_>) -> Result<(), StoreError> {
    let mut current: Option<OpensslBenchCommand> = None;
    let mut memory: Option<PeakMemoryReport> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(memory) = memory.take() {
            push_memory(reader, number, line, &memory)?;
        } else if line.contains("./bench memory ") {
            memory = memory_command(line);
            if memory.is_none() {
                return Err(reader.wrong(number, "a command without cipher suite and sessions"));
            }
        } else if let Some((_, command)) = line.split_once("./bench ") {
            current = Some(bench_command(reader, number, command)?);
        } else if !line.is_empty() {
            let command = current
                .as_mut()
                .ok_or_else(|| reader.wrong(number, "a result before the command that made it"))?;
            result(reader, number, line, command)?;
        }
    }
    match memory {
        Some(_) => Err(reader.wrong(text.lines().count(), "the file ends before the number")),
        None => Ok(()),
    }
}

fn bench_command(
    reader: &LineReader<'_>,
    line: usize,
    command: &str,
) -> Result<OpensslBenchCommand, StoreError> {
    let mut words = command.split_whitespace();
    let kind = match words.next() {
        Some("bulk") => "bulk",
        Some("handshake") => "handshake-full",
        Some("handshake-resume") => "handshake-session-id",
        Some("handshake-ticket") => "handshake-ticket",
        _ => return Err(reader.wrong(line, format!("unknown measurement `{command}`"))),
    };
    let cipher_suite =
        words.next().ok_or_else(|| reader.wrong(line, "a command without a cipher suite"))?;
    Ok(OpensslBenchCommand { kind, cipher_suite: cipher_suite.to_owned(), missed: (0, 0) })
}

fn result(
    reader: &mut LineReader<'_>,
    number: usize,
    line: &str,
    command: &mut OpensslBenchCommand,
) -> Result<(), StoreError> {
    let tabs: Vec<&str> = line.split('\t').collect();
    if let ["handshakes", side @ ("client" | "server"), value, "handshakes/s"] = tabs[..] {
        let side = if side == "client" { "client" } else { "server" };
        let value = reader.number(number, value)?;
        let key = name(reader, number, command, side, "handshakes", "handshakes/s")?;
        reader.push(key, value);
        return Ok(());
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [side @ ("send:" | "recv:"), value, "MB/s"] => {
            let side = if side == "send:" { "send" } else { "receive" };
            let value = reader.number(number, value)?;
            let key = name(reader, number, command, side, "throughput", "MB/s")?;
            reader.push(key, value);
            Ok(())
        }
        ["negotiated", _, "with", cipher_suite] if cipher_suite == command.cipher_suite => Ok(()),
        ["negotiated", ..] => {
            let reason = format!("negotiated something other than {}", command.cipher_suite);
            Err(reader.wrong(number, reason))
        }
        ["connects:", ..] => Ok(()),
        ["sessions:", _, "hits:", hits, "misses:", misses] => {
            let count = |text: &str| text.trim_end_matches(',').parse::<u64>().ok();
            let (Some(hits), Some(misses)) = (count(hits), count(misses)) else {
                return Err(reader.wrong(number, "hits and misses are no numbers"));
            };
            command.missed = (misses, hits + misses);
            if misses > 0 {
                let text = format!(
                    "{misses} of {} handshakes did not resume: kept under the name `blended`",
                    hits + misses
                );
                reader.warn(number, &text);
            }
            Ok(())
        }
        _ => Err(reader.wrong(number, format!("not a line of openssl-bench: `{line}`"))),
    }
}

fn name(
    reader: &LineReader<'_>,
    line: usize,
    command: &OpensslBenchCommand,
    side: &'static str,
    metric: &'static str,
    unit: &'static str,
) -> Result<SeriesKey, StoreError> {
    let version = if command.cipher_suite.starts_with("TLS_") { "tls1.3" } else { "tls1.2" };
    let mut id = scenario(command.kind, version, &command.cipher_suite, key(&command.cipher_suite))
        .ok_or_else(|| {
            reader.wrong(line, format!("unknown cipher suite `{}`", command.cipher_suite))
        })?;
    if command.missed.0 > 0 {
        // A rate of full and resumed handshakes together must never be compared with either.
        id += "/blended";
    }
    Ok((id, side, metric, unit))
}
