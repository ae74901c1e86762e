//! Every family of scenarios on the library that `OPENSSL_DIR` names: what was negotiated is what was
//! asked for, in every connection.

mod common;

use common::{measured, reply, request};
use shakedown_protocol::{DriverRefusal, DriverReply, Group, Measurement, Negotiated, Side};

/// The scheme of the server's signature for each key, in TLS 1.2 and 1.3. In TLS 1.2 a scheme
/// does not name the curve (RFC 8446, 4.2.3), and OpenSSL takes the first hash of the list.
const KEYS: [(&str, &str, &str); 6] = [
    ("rsa-2048", "rsa_pss_rsae_sha256", "rsa_pss_rsae_sha256"),
    ("rsa-3072", "rsa_pss_rsae_sha256", "rsa_pss_rsae_sha256"),
    ("rsa-4096", "rsa_pss_rsae_sha256", "rsa_pss_rsae_sha256"),
    ("ecdsa-p256", "ecdsa_secp256r1_sha256", "ecdsa_secp256r1_sha256"),
    ("ecdsa-p384", "ecdsa_secp256r1_sha256", "ecdsa_secp384r1_sha384"),
    ("ed25519", "ed25519", "ed25519"),
];

/// What the connections of a measurement agreed on.
fn agreed(measured: &Measurement) -> &Negotiated {
    measured.negotiated.as_ref().unwrap()
}

/// Operations of a side that were timed.
fn timed(measured: &Measurement, side: Side) -> u64 {
    let result = measured.sides.iter().find(|result| result.side == side).unwrap();
    assert!(result.samples.iter().all(|sample| sample.nanoseconds > 0));
    result.samples.iter().map(|sample| sample.operations).sum()
}

#[test]
fn full_handshakes_sign_with_the_key_and_exchange_in_the_group() {
    for (key, in12, in13) in KEYS {
        for (version, signature) in [("tls1.2", in12), ("tls1.3", in13)] {
            for group in ["x25519", "secp256r1", "secp384r1"] {
                let id = format!("handshake-full/{version}/aes256-gcm/{group}/{key}");
                let measured = measured(&request(&id));
                let seen = agreed(&measured);
                assert_eq!(seen.group.unwrap().name(), group, "{id}");
                assert_eq!(seen.key.unwrap().name(), key, "{id}");
                assert_eq!(seen.signature.as_deref(), Some(signature), "{id}");
                assert!(!seen.resumed && !seen.client_auth, "{id}");
                let operations = timed(&measured, Side::Client);
                assert_eq!(operations, timed(&measured, Side::Server), "{id}");
                assert!(measured.checked > operations, "{id}: every connection is checked");
            }
        }
    }
}

#[test]
fn a_session_id_and_a_ticket_resume_every_time() {
    for kind in ["session-id", "ticket"] {
        for version in ["tls1.2", "tls1.3"] {
            if kind == "session-id" && version == "tls1.3" && !keeps_tls13_sessions() {
                continue;
            }
            for (suffix, tickets) in [("", 1), ("", 2), ("/client-auth", 2)] {
                let id = format!("handshake-{kind}/{version}/aes128-gcm/x25519/ecdsa-p256{suffix}");
                let measured =
                    measured(&shakedown_protocol::DriverRequest { tickets, ..request(&id) });
                assert!(agreed(&measured).resumed, "{id}");
                // One connection that did not resume would be a refusal.
                assert!(measured.checked > timed(&measured, Side::Client), "{id}");
            }
        }
    }
}

/// BoringSSL and AWS-LC resume TLS 1.3 by ticket only.
fn keeps_tls13_sessions() -> bool {
    cfg!(offered = "SSL_CTX_ctrl")
}

#[test]
fn what_a_library_has_not_is_said() {
    let id = "handshake-session-id/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    match reply(&request(id)) {
        DriverReply::Measured(_) => assert!(keeps_tls13_sessions()),
        DriverReply::Refused(DriverRefusal::Unsupported(why)) => {
            assert!(!keeps_tls13_sessions());
            assert!(why.contains("tickets only"), "{why}");
        }
        DriverReply::Refused(other) => panic!("{other:?}"),
    }
}

#[test]
fn the_server_sends_as_many_tickets_as_it_is_told_to() {
    let id = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    let bytes = |tickets| {
        let request = shakedown_protocol::DriverRequest { tickets, ..request(id) };
        measured(&request).wire.unwrap().server.bytes
    };
    let (none, one, two) = (bytes(0), bytes(1), bytes(2));
    // A scenario's number comes before that of the request.
    for (tickets, expected) in [(0, none), (1, one), (2, two), (4, two + 2 * (two - one))] {
        let sent =
            measured(&request(&format!("{id}/tickets-{tickets}"))).wire.unwrap().server.bytes;
        // An ECDSA signature varies by a few bytes.
        assert!(sent.abs_diff(expected) < 20, "{tickets}: {sent} instead of {expected}");
    }
    // A ticket has the session in it, with the client's certificate chain if there is one.
    assert!(one > none + 100 && two > one + 100, "{none} {one} {two}");
}

#[test]
fn early_data_is_accepted_every_time() {
    for (options, tickets) in [("", 1), ("", 2), ("/threads-2", 2)] {
        let id = format!("handshake-early-data/tls1.3/aes256-gcm/x25519/ecdsa-p256{options}");
        let early = measured(&shakedown_protocol::DriverRequest { tickets, ..request(&id) });
        assert!(agreed(&early).early_data && agreed(&early).resumed, "{id}");
        assert!(early.checked > timed(&early, Side::Client), "{id}");
        let late = if keeps_tls13_sessions() { "session-id" } else { "ticket" };
        let late = measured(&request(&id.replace("early-data", late)));
        assert!(!agreed(&late).early_data);
        let sent = [early, late].map(|measured| measured.wire.unwrap().client.bytes);
        assert!(sent[0] > sent[1] + 1024, "{sent:?}");
    }
}

#[test]
fn more_sessions_than_the_server_keeps_still_resume() {
    // The server keeps 128.
    let version = if keeps_tls13_sessions() { "tls1.3" } else { "tls1.2" };
    let id = &format!("handshake-session-id/{version}/aes256-gcm/x25519/ecdsa-p256");
    // A busy machine needs longer for so many.
    let longer = [600, 6_000, 60_000].into_iter();
    let checked = |measure_ms| {
        measured(&shakedown_protocol::DriverRequest { measure_ms, ..request(id) }).checked
    };
    assert!(longer.map(checked).any(|connections| connections > 256), "fewer than twice its room");
}

#[test]
fn a_client_shows_its_certificate() {
    for version in ["tls1.2", "tls1.3"] {
        for (key, ..) in KEYS {
            let id = format!("handshake-full/{version}/aes128-gcm/x25519/{key}/client-auth");
            assert!(agreed(&measured(&request(&id))).client_auth, "{id}");
        }
    }
}

#[test]
fn the_hybrid_group_is_the_default_where_the_library_has_it() {
    let hybrid = "handshake-full/tls1.3/aes256-gcm/x25519mlkem768/ecdsa-p256";
    let default = "handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256";
    let group = agreed(&measured(&request(default))).group;
    match reply(&request(hybrid)) {
        DriverReply::Measured(measured) => {
            assert_eq!(agreed(&measured).group, Some(Group::X25519MlKem768));
            assert_eq!(group, Some(Group::X25519MlKem768));
        }
        DriverReply::Refused(DriverRefusal::Unsupported(why)) => {
            assert!(why.contains("X25519MLKEM768"), "{why}");
            assert_eq!(group, Some(Group::X25519));
        }
        DriverReply::Refused(other) => panic!("{other:?}"),
    }
}

#[test]
fn data_arrives_under_every_suite() {
    for version in ["tls1.2", "tls1.3"] {
        for cipher_suite in ["aes128-gcm", "aes256-gcm", "chacha20"] {
            for sizes in ["write-1MiB", "write-16KiB/total-1MB"] {
                let id = format!("bulk/{version}/{cipher_suite}/x25519/rsa-2048/{sizes}");
                let measured = measured(&request(&id));
                assert_eq!(agreed(&measured).cipher_suite.name(), cipher_suite, "{id}");
                assert!(timed(&measured, Side::Send) > 0, "{id}");
                assert_eq!(timed(&measured, Side::Send), timed(&measured, Side::Receive), "{id}");
            }
        }
    }
}

#[test]
fn a_write_is_cut_into_records_of_the_size_that_is_asked_for() {
    for version in ["tls1.2", "tls1.3"] {
        for (write, limit, records) in [
            ("16KiB", 512, 32),
            ("100kB", 1024, 98),
            ("1MiB/total-10MiB", 2048, 512),
            ("1kB", 4096, 1),
        ] {
            let id =
                format!("bulk/{version}/aes128-gcm/x25519/ecdsa-p256/write-{write}/record-{limit}");
            let wire = measured(&request(&id)).wire.unwrap();
            assert_eq!(wire.server.records, records, "{id}");
        }
    }
}

#[test]
fn sessions_cost_memory() {
    for version in ["tls1.2", "tls1.3"] {
        let id =
            |sessions| format!("memory/{version}/aes256-gcm/x25519/ecdsa-p256/sessions-{sessions}");
        let few = measured(&request(&id(20))).memory.unwrap();
        let many = measured(&request(&id(400))).memory.unwrap();
        // A session takes some KiB at least.
        assert!(many.peak_kib > few.peak_kib + 380 * 4, "{few:?} {many:?}");
    }
}

#[test]
fn threads_share_a_server() {
    let measured =
        measured(&request("handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-2"));
    let samples = &measured.sides[0].samples;
    assert!((0..2).all(|thread| samples.iter().any(|sample| sample.thread == thread)));
}

#[test]
fn a_missing_certificate_is_named() {
    let full = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    let request =
        shakedown_protocol::DriverRequest { pki: "/nonexistent/pki".into(), ..request(full) };
    match reply(&request) {
        DriverReply::Refused(DriverRefusal::Failed(why)) => {
            assert!(why.contains("/nonexistent/pki/ecdsa-p256/root.pem"), "{why}");
            assert!(why.contains("No such file"), "the library's own words: {why}");
        }
        other => panic!("{other:?}"),
    }
}
