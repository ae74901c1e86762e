//! The text of rustls' `bench` example.

use super::values::{LineReader, key, scenario};
use crate::StoreError;

/// What `time -f %M` around `bench memory SUITE SESSIONS` leaves: the next line is its number.
pub struct PeakMemoryReport {
    pub cipher_suite: String,
    pub sessions: u32,
}

pub fn read(text: &str, reader: &mut LineReader<'_>) -> Result<(), StoreError> {
    let mut memory: Option<PeakMemoryReport> = None;
    for (number, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        if let Some(memory) = memory.take() {
            push_memory(reader, number, line, &memory)?;
            continue;
        }
        match fields[..] {
            ["bulk", version, cipher_suite, fragment, side, value, "MB/s"] => {
                let Some("default") = fragment.strip_prefix("max_fragment_size:") else {
                    return Err(reader.wrong(number, format!("`{fragment}` has no scenario")));
                };
                let version = tls(reader, number, version)?;
                let id = scenario("bulk", version, cipher_suite, key(cipher_suite)).ok_or_else(
                    || reader.wrong(number, format!("unknown cipher suite `{cipher_suite}`")),
                )?;
                let side = one_of(reader, number, side, &[("send", "send"), ("recv", "receive")])?;
                let value = reader.number(number, value)?;
                reader.push((id, side, "throughput", "MB/s"), value);
            }
            [
                "handshakes",
                version,
                key,
                cipher_suite,
                side,
                auth,
                resume,
                value,
                "handshake/s",
            ] => {
                let version = tls(reader, number, version)?;
                let kinds = [
                    ("no-resume", "handshake-full"),
                    ("sessionid", "handshake-session-id"),
                    ("tickets", "handshake-ticket"),
                ];
                let kind = one_of(reader, number, resume, &kinds)?;
                let keys = [
                    ("Rsa", "rsa-2048"),
                    ("Ecdsa", "ecdsa-p256"),
                    ("EcdsaP256", "ecdsa-p256"),
                    ("EcdsaP384", "ecdsa-p384"),
                    ("Ed25519", "ed25519"),
                    ("Rsa2048", "rsa-2048"),
                ];
                let key = one_of(reader, number, key, &keys)?;
                let mut id = scenario(kind, version, cipher_suite, key).ok_or_else(|| {
                    reader.wrong(number, format!("unknown cipher suite `{cipher_suite}`"))
                })?;
                id += one_of(
                    reader,
                    number,
                    auth,
                    &[("server-auth", ""), ("mutual", "/client-auth")],
                )?;
                let side =
                    one_of(reader, number, side, &[("client", "client"), ("server", "server")])?;
                let value = reader.number(number, value)?;
                reader.push((id, side, "handshakes", "handshakes/s"), value);
            }
            [command] if command.contains("/bench ") => memory = memory_command(command),
            [""] => {}
            _ => return Err(reader.wrong(number, format!("not a line of rustls-bench: `{line}`"))),
        }
    }
    match memory {
        Some(_) => Err(reader.wrong(text.lines().count(), "the file ends before the number")),
        None => Ok(()),
    }
}

/// The command line that `make` echoes before a memory measurement.
pub fn memory_command(line: &str) -> Option<PeakMemoryReport> {
    let mut words = line.split_whitespace().skip_while(|word| *word != "memory").skip(1);
    let cipher_suite = words.next()?.to_owned();
    let sessions = words.next()?.parse().ok()?;
    Some(PeakMemoryReport { cipher_suite, sessions })
}

pub fn push_memory(
    reader: &mut LineReader<'_>,
    number: usize,
    line: &str,
    memory: &PeakMemoryReport,
) -> Result<(), StoreError> {
    let cipher_suite = &memory.cipher_suite;
    // Only TLS 1.3 cipher suites leave out the key exchange.
    let old = cipher_suite.contains("ECDHE");
    let version = if old { "tls1.2" } else { "tls1.3" };
    let id = scenario("memory", version, cipher_suite, key(cipher_suite)).ok_or_else(|| {
        reader.wrong(number - 1, format!("unknown cipher suite `{cipher_suite}`"))
    })?;
    let value = reader.number(number, line.trim())?;
    reader
        .push((format!("{id}/sessions-{}", memory.sessions), "both", "peak-memory", "KiB"), value);
    Ok(())
}

fn tls(reader: &LineReader<'_>, line: usize, name: &str) -> Result<&'static str, StoreError> {
    one_of(reader, line, name, &[("TLSv1_2", "tls1.2"), ("TLSv1_3", "tls1.3")])
}

fn one_of(
    reader: &LineReader<'_>,
    line: usize,
    word: &str,
    known: &[(&str, &'static str)],
) -> Result<&'static str, StoreError> {
    known.iter().find(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours).ok_or_else(|| {
        let words: Vec<&str> = known.iter().map(|(theirs, _)| *theirs).collect();
        reader.wrong(line, format!("`{word}` is none of {}", words.join(", ")))
    })
}
