//! Time to ready, on the library that `OPENSSL_DIR` names: what is loaded is what the file has, and each
//! context serves in a handshake.

mod common;

use common::{measured, request};
use shakedown_protocol::Side;

const KEYS: [&str; 6] = ["rsa-2048", "rsa-3072", "rsa-4096", "ecdsa-p256", "ecdsa-p384", "ed25519"];

#[test]
fn keys_chains_and_roots_are_those_of_the_files() {
    let parts = ["key", "chain"].into_iter().flat_map(|what| {
        KEYS.into_iter().flat_map(move |key| {
            ["pem", "der"].map(|encoding| format!("load/{what}/{key}/{encoding}"))
        })
    });
    for id in parts.chain(["load/roots-150".to_owned()]) {
        let measured = measured(&request(&id));
        assert_eq!(measured.checked, 2, "{id}: before and after");
        assert!(measured.sides[0].samples.iter().all(|sample| sample.operations > 0), "{id}");
    }
}

#[test]
fn each_new_context_serves() {
    for version in ["tls1.2", "tls1.3"] {
        for option in ["", "/client-auth"] {
            let id = |kind| format!("{kind}/{version}/aes256-gcm/x25519/ecdsa-p256{option}");
            let contexts = measured(&request(&id("setup-context")));
            assert!(contexts.checked >= 2, "at the beginning and at the end");
            let handshakes = measured(&request(&id("setup-handshake")));
            let operations: u64 = handshakes.sides[1].samples.iter().map(|s| s.operations).sum();
            assert!(handshakes.checked > operations, "{}: each is checked", handshakes.scenario);
            let process = measured(&request(&id("setup-process")));
            let [both] = &process.sides[..] else { panic!("{process:?}") };
            assert_eq!((both.side, both.samples.len()), (Side::Both, 1));
            assert_eq!((both.samples[0].operations, process.checked), (1, 2));
        }
    }
}
