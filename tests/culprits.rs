//! `compare` and `explain` on rustls with changes that are known: the function that was changed is named
//! first, and code that was only renamed or annotated is not named at all. Slow: run by `scripts/test`,
//! or by `cargo test --test culprits -- --ignored --nocapture`, which prints the table of
//! `docs/explaining.md`. `SHAKEDOWN_CULPRITS=N` takes each Nth change only, `SHAKEDOWN_CULPRITS=3,5` those
//! with these numbers, counted from 0.

mod common;

use common::{release, shakedown, upstream::copy};
use shakedown_culprits::ComparisonExplanation;
use std::{
    fs,
    path::{Path, PathBuf},
};

const RELEASE: &str = "0.23.46";

/// What is done to a function.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// A checksum over a few bytes, repeated: only instructions.
    Slower,
    /// One more allocation.
    Allocation,
    /// A copy of 16 KiB.
    Copy,
    /// An attribute before it.
    Attribute(&'static str),
    /// Another name, in all files.
    Renamed(&'static str),
    /// Into a module of its own.
    Moved,
}

/// A change: what, in which file, in the function that begins so, and what its culprit's name has in it;
/// nothing, where nothing may be found.
type Case = (Change, &'static str, &'static str, Option<&'static str>);

const CASES: [Case; 26] = [
    (
        Change::Slower,
        "client/hs.rs",
        "fn emit_client_hello_for_retry(",
        Some("emit_client_hello_for_retry"),
    ),
    (Change::Slower, "client/tls13.rs", "fn handle_server_hello(", Some("handle_server_hello")),
    (
        Change::Slower,
        "client/tls13.rs",
        "fn initial_key_share(",
        Some("start_handshake|initial_key_share|emit_client_hello|for_client"),
    ),
    (Change::Slower, "server/tls13.rs", "fn handle_client_hello(", Some("handle_client_hello")),
    (
        Change::Slower,
        "server/tls13.rs",
        "fn emit_certificate_verify_tls13(",
        Some("handle_client_hello|emit_certificate_verify"),
    ),
    (
        Change::Slower,
        "server/tls13.rs",
        "fn emit_finished_tls13(",
        Some("handle_client_hello|emit_finished_tls13"),
    ),
    (
        Change::Slower,
        "server/hs.rs",
        "fn choose_suite_and_kx_group(",
        Some("choose_suite_and_kx_group|with_certified_key|ExpectClientHello"),
    ),
    (
        Change::Slower,
        "hash_hs.rs",
        "    pub(crate) fn add_message(&mut self, m: &Message<'_>) -> &mut Self {",
        Some("HandshakeHash"),
    ),
    (
        Change::Slower,
        "record_layer.rs",
        "fn encrypt_outgoing(",
        Some("encrypt_outgoing|send_single_fragment|send_msg|CommonState"),
    ),
    (Change::Slower, "record_layer.rs", "fn decrypt_incoming<'a>(", Some("decrypt_incoming")),
    (
        Change::Slower,
        "tls13/key_schedule.rs",
        "fn derive_server_handshake_secrets(",
        Some("derive_server_handshake_secrets|handle_client_hello|emit_server_hello"),
    ),
    (
        Change::Slower,
        "tls13/key_schedule.rs",
        "fn derive_client_handshake_secrets(",
        Some("derive_client_handshake_secrets|handle_server_hello"),
    ),
    (
        Change::Allocation,
        "client/hs.rs",
        "fn emit_client_hello_for_retry(",
        Some("emit_client_hello_for_retry"),
    ),
    (Change::Allocation, "client/tls13.rs", "fn handle_server_hello(", Some("handle_server_hello")),
    (Change::Allocation, "server/tls13.rs", "fn handle_client_hello(", Some("handle_client_hello")),
    (Change::Allocation, "record_layer.rs", "fn encrypt_outgoing(", Some("encrypt_outgoing")),
    (
        Change::Copy,
        "server/tls13.rs",
        "fn emit_finished_tls13(",
        Some("emit_finished_tls13|handle_client_hello"),
    ),
    (Change::Copy, "client/tls13.rs", "fn handle_server_hello(", Some("handle_server_hello")),
    (Change::Copy, "record_layer.rs", "fn decrypt_incoming<'a>(", Some("decrypt_incoming")),
    (
        Change::Attribute("#[inline(never)]"),
        "hash_hs.rs",
        "    fn add_raw(&mut self, buf: &[u8]) -> &mut Self {",
        None,
    ),
    (Change::Attribute("#[cold]"), "record_layer.rs", "    pub(crate) fn is_encrypting(", None),
    (
        Change::Renamed("validate_the_server_hello"),
        "client/tls13.rs",
        "validate_server_hello",
        None,
    ),
    (Change::Renamed("write_client_hello"), "client/hs.rs", "emit_client_hello_for_retry", None),
    (Change::Renamed("seal_record"), "record_layer.rs", "encrypt_outgoing", None),
    (Change::Moved, "client/hs.rs", "emit_client_hello_for_retry", None),
    (Change::Moved, "client/tls13.rs", "validate_server_hello", None),
];

/// One handshake and one transfer, counted.
const SUITE: &str = r#"
name = "culprits"
description = "One handshake, counted"
blocks = 4
aslr = "on"
meters = ["heap", "instructions"]
tickets = 0

[budget]
warm-up-ms = 10
measure-ms = 50
batch-ms = 5
operations = 10
timeout-ms = 30000

[[scenarios]]
kind = ["handshake-full"]
version = ["tls1.3"]
cipher-suite = ["aes256-gcm"]
group = ["x25519"]
key = ["ecdsa-p256"]
"#;

#[test]
#[ignore = "builds rustls up to 27 times"]
fn the_function_that_was_changed_is_named_first() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    release::lay_out(RELEASE, &base);
    let suite = folder.path().join("culprits.toml");
    fs::write(&suite, SUITE).unwrap();
    let wanted = std::env::var("SHAKEDOWN_CULPRITS").unwrap_or_else(|_| "1".to_owned());
    let numbers: Vec<usize> = match wanted.parse() {
        Ok(every) => (0..CASES.len()).step_by(every).collect(),
        Err(_) => wanted.split(',').map(|number| number.parse().unwrap()).collect(),
    };
    let (mut right, mut tried) = (0, 0);
    for number in numbers {
        let case = &CASES[number];
        let head = folder.path().join(format!("head-{number}"));
        copy(&base, &head);
        apply(&head, case);
        let found = first_culprit(folder.path(), [&base, &head], &suite, number);
        let wanted = case.3;
        let good = match (wanted, &found) {
            (None, None) => true,
            (Some(names), Some(found)) => names.split('|').any(|name| found.contains(name)),
            _ => false,
        };
        println!(
            "| {:?} | {} `{}` | {} | {} |",
            case.0,
            case.1,
            case.2.trim(),
            found.as_deref().unwrap_or("nothing"),
            if good { "yes" } else { "NO" }
        );
        (right, tried) = (right + usize::from(good), tried + 1);
        fs::remove_dir_all(head).unwrap();
    }
    println!("{right} of {tried}");
    assert!(tried > 0 && right * 100 >= tried * 95, "{right} of {tried}");
}

/// Changes the sources of head.
fn apply(head: &Path, (change, file, function, _): &Case) {
    let source = head.join("rustls/src");
    let path = source.join(file);
    let code = match change {
        Change::Renamed(new) => return release::rename(&source, function, new),
        Change::Moved => return release::move_into_module(&path, function),
        Change::Attribute(attribute) => {
            let text = fs::read_to_string(&path).unwrap();
            let begin = text.find(function).unwrap_or_else(|| panic!("{file} has no {function}"));
            let line = text[..begin].rfind('\n').unwrap() + 1;
            let text = format!("{}{attribute}\n{}", &text[..line], &text[line..]);
            return fs::write(&path, text).unwrap();
        }
        Change::Slower => "crate::record_layer::checksum(&[1, 2, 3], 2000);",
        Change::Allocation => "core::hint::black_box(alloc::vec![7_u8; 48]);",
        Change::Copy => "core::hint::black_box(&core::hint::black_box([7_u8; 16384]).clone());",
    };
    release::put_into(&path, function, code);
}

/// The culprit that a comparison names first: the function of the largest cause, or else the first
/// allocation site.
fn first_culprit(
    folder: &Path,
    [base, head]: [&PathBuf; 2],
    suite: &Path,
    number: usize,
) -> Option<String> {
    let out = folder.join(format!("out-{number}"));
    let subject = |path: &Path| format!("rustls@path:{}+ring", path.display());
    let output = shakedown(folder)
        .args(["compare", &subject(base), &subject(head), "--no-wait", "--suite"])
        .arg(suite)
        .arg("--out")
        .arg(&out)
        .arg("--history")
        .arg(folder.join("no-history"))
        .output()
        .unwrap();
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    let Ok(text) = fs::read_to_string(out.join("explanation.json")) else {
        // Without an explanation, "nothing" is an answer only where nothing regressed.
        assert_eq!(code, Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        return None;
    };
    let found: ComparisonExplanation = serde_json::from_str(&text).unwrap();
    assert!(found.failed.is_empty(), "{:?}", found.failed);
    let cause = found.causes.first().map(|cause| cause.function.clone());
    let site = || found.allocations.first()?.sites.sites.first().map(|site| site.function.clone());
    cause.or_else(site)
}
