//! The text of ctz's openssl-bench: each measurement begins with the command that `make` echoes.

use super::{
    rustls_bench::{Memory, memory_command, push_memory},
    values::{Reader, SeriesKey, key, scenario},
};
use crate::StoreError;

/// Where in the text we are.
struct Place {
    kind: &'static str,
    suite: String,
    /// Resumptions that did not resume, of how many.
    missed: (u64, u64),
}

pub fn read(text: &str, reader: &mut Reader<'_>) -> Result<(), StoreError> {
    let mut place: Option<Place> = None;
    let mut memory: Option<Memory> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(memory) = memory.take() {
            push_memory(reader, number, line, &memory)?;
        } else if line.contains("./bench memory ") {
            memory = memory_command(line);
            if memory.is_none() {
                return Err(reader.wrong(number, "a command without suite and sessions"));
            }
        } else if let Some((_, command)) = line.split_once("./bench ") {
            place = Some(command_place(reader, number, command)?);
        } else if !line.is_empty() {
            let place = place
                .as_mut()
                .ok_or_else(|| reader.wrong(number, "a result before the command that made it"))?;
            result(reader, number, line, place)?;
        }
    }
    match memory {
        Some(_) => Err(reader.wrong(text.lines().count(), "the file ends before the number")),
        None => Ok(()),
    }
}

fn command_place(reader: &Reader<'_>, line: usize, command: &str) -> Result<Place, StoreError> {
    let mut words = command.split_whitespace();
    let kind = match words.next() {
        Some("bulk") => "bulk",
        Some("handshake") => "handshake-full",
        Some("handshake-resume") => "handshake-session-id",
        Some("handshake-ticket") => "handshake-ticket",
        _ => return Err(reader.wrong(line, format!("unknown measurement `{command}`"))),
    };
    let suite = words.next().ok_or_else(|| reader.wrong(line, "a command without a suite"))?;
    Ok(Place { kind, suite: suite.to_owned(), missed: (0, 0) })
}

fn result(
    reader: &mut Reader<'_>,
    number: usize,
    line: &str,
    place: &mut Place,
) -> Result<(), StoreError> {
    let tabs: Vec<&str> = line.split('\t').collect();
    if let ["handshakes", side @ ("client" | "server"), value, "handshakes/s"] = tabs[..] {
        let side = if side == "client" { "client" } else { "server" };
        let value = reader.number(number, value)?;
        let key = name(reader, number, place, side, "handshakes", "handshakes/s")?;
        reader.push(key, value);
        return Ok(());
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [side @ ("send:" | "recv:"), value, "MB/s"] => {
            let side = if side == "send:" { "send" } else { "receive" };
            let value = reader.number(number, value)?;
            let key = name(reader, number, place, side, "throughput", "MB/s")?;
            reader.push(key, value);
            Ok(())
        }
        ["negotiated", _, "with", suite] if suite == place.suite => Ok(()),
        ["negotiated", ..] => {
            let reason = format!("negotiated something other than {}", place.suite);
            Err(reader.wrong(number, reason))
        }
        ["connects:", ..] => Ok(()),
        ["sessions:", _, "hits:", hits, "misses:", misses] => {
            let count = |text: &str| text.trim_end_matches(',').parse::<u64>().ok();
            let (Some(hits), Some(misses)) = (count(hits), count(misses)) else {
                return Err(reader.wrong(number, "hits and misses are no numbers"));
            };
            place.missed = (misses, hits + misses);
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
    reader: &Reader<'_>,
    line: usize,
    place: &Place,
    side: &'static str,
    metric: &'static str,
    unit: &'static str,
) -> Result<SeriesKey, StoreError> {
    let version = if place.suite.starts_with("TLS_") { "tls1.3" } else { "tls1.2" };
    let mut id = scenario(place.kind, version, &place.suite, key(&place.suite))
        .ok_or_else(|| reader.wrong(line, format!("unknown suite `{}`", place.suite)))?;
    if place.missed.0 > 0 {
        // A rate of full and resumed handshakes together must never be compared with either.
        id += "/blended";
    }
    Ok((id, side, metric, unit))
}
