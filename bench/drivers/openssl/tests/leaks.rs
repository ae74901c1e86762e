//! Nothing leaks and nothing is touched that is not ours, under valgrind.

mod common;

use common::{answer, request};
use std::process::Command;

#[test]
#[ignore = "takes a minute, and needs valgrind"]
fn valgrind_finds_nothing() {
    for id in [
        "handshake-full/tls1.2/aes256-gcm/x25519/ecdsa-p256",
        "handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256/client-auth",
        "handshake-session-id/tls1.2/aes256-gcm/x25519/ecdsa-p256",
        "handshake-session-id/tls1.3/aes256-gcm/x25519/ecdsa-p256",
        "handshake-ticket/tls1.2/aes256-gcm/x25519/ecdsa-p256",
        "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256",
        "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB/total-64KiB",
        "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-8",
    ] {
        // BoringSSL and AWS-LC refuse this one.
        if !cfg!(offered = "SSL_CTX_ctrl") && id.starts_with("handshake-session-id/tls1.3/") {
            continue;
        }
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["-q", "--error-exitcode=9", "--leak-check=full"]);
        valgrind.args(["--errors-for-leak-kinds=definite,indirect"]);
        let output = answer(valgrind.args([env!("CARGO_BIN_EXE_driver"), "measure"]), &request(id));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{id}: {stderr}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("measured"), "{id}");
    }
}
