use super::*;
use crate::Size;
use proptest::{prelude::*, sample::select};

/// Any scenario that [`Scenario::validate`] accepts.
pub(crate) fn any_scenario() -> impl Strategy<Value = Scenario> {
    prop_oneof![
        any_tls().prop_map(Scenario::Tls),
        any_primitive().prop_map(Scenario::Primitive),
        any_load().prop_map(Scenario::Load),
    ]
}

fn any_load() -> impl Strategy<Value = Load> {
    let parts = || (select(CertificateKey::ALL), select(Encoding::ALL));
    prop_oneof![
        parts().prop_map(|(key, encoding)| Load::Key { key, encoding }),
        parts().prop_map(|(key, encoding)| Load::Chain { key, encoding }),
        Just(Load::Roots),
    ]
}

fn any_primitive() -> impl Strategy<Value = Primitive> {
    let size = || select(Primitive::SIZES.to_vec());
    let groups = vec![Group::X25519, Group::Secp256r1, Group::Secp384r1];
    let algorithm = prop_oneof![
        select(CipherSuite::ALL).prop_map(Algorithm::Cipher),
        select(HashFunction::ALL).prop_map(Algorithm::Hash),
    ];
    prop_oneof![
        (select(CipherSuite::ALL), select(AeadWork::ALL), size(), any::<bool>())
            .prop_map(|(cipher, work, size, tag)| Primitive::Aead { cipher, work, size, tag }),
        (select(HashFunction::ALL), size())
            .prop_map(|(function, size)| Primitive::Hash { function, size }),
        select(HashFunction::ALL).prop_map(|function| Primitive::Hkdf { function }),
        (select(CertificateKey::ALL), select(SignatureWork::ALL))
            .prop_map(|(key, work)| Primitive::Signature { key, work }),
        (select(groups), select(AgreementWork::ALL))
            .prop_map(|(group, work)| Primitive::Agreement { group, work }),
        (select(Kem::ALL), select(KemWork::ALL))
            .prop_map(|(kem, work)| Primitive::Kem { kem, work }),
        algorithm.prop_map(Primitive::Fetch),
    ]
}

fn any_tls() -> impl Strategy<Value = TlsScenario> {
    let size = || {
        (1u64..=4096, select(vec![1u64, 1000, 1024, 1 << 20])).prop_map(|(n, unit)| Size(n * unit))
    };
    let kind = prop_oneof![
        select(Resumption::ALL).prop_map(ScenarioKind::Handshake),
        (size(), proptest::option::of(size()), select(RecordLimit::ALL))
            .prop_map(|(write, total, record)| ScenarioKind::Bulk { write, total, record }),
        (1u32..100_000).prop_map(|half| ScenarioKind::Memory { sessions: half * 2 }),
        select(SetupWork::ALL).prop_map(ScenarioKind::Setup),
    ];
    (
        kind,
        select(TlsVersion::ALL),
        select(CipherSuite::ALL),
        select(Group::ALL),
        select(CertificateKey::ALL),
        (any::<bool>(), any_verification(), proptest::option::of(select(TicketCount::ALL))),
        (1u16..64, proptest::option::of(1u16..=2000)),
        any::<bool>(),
    )
        .prop_map(|(kind, version, cipher_suite, group, key, proof, many, in_tree)| {
            let (threads, connections) = many;
            let (client_auth, verification, tickets) = proof;
            TlsScenario {
                kind,
                version,
                cipher_suite,
                group,
                key,
                client_auth,
                verification,
                tickets,
                threads: NonZeroU16::new(threads).unwrap(),
                connections: connections.and_then(NonZeroU16::new),
                in_tree,
            }
        })
        .prop_map(as_kinds_verify)
        .prop_map(as_kinds_send_tickets)
        .prop_map(as_kinds_connect)
        .prop_map(as_in_tree_can)
        .prop_filter("impossible in TLS", |scenario| scenario.validate().is_ok())
}

fn any_verification() -> impl Strategy<Value = Verification> {
    let options = (1u8..=4, any::<bool>(), any::<bool>(), any::<bool>());
    options.prop_map(|(chain, many_roots, crl, ocsp)| Verification { chain, many_roots, crl, ocsp })
}

/// Verifies as usual where not every operation verifies, so that the filter behind leaves enough scenarios.
fn as_kinds_verify(scenario: TlsScenario) -> TlsScenario {
    match scenario.kind {
        ScenarioKind::Handshake(Resumption::Full) | ScenarioKind::Setup(_) => scenario,
        _ => TlsScenario { verification: Verification::default(), ..scenario },
    }
}

/// Leaves the number of tickets where the kind has none, so that the filter behind leaves enough scenarios.
fn as_kinds_send_tickets(scenario: TlsScenario) -> TlsScenario {
    match scenario.kind {
        ScenarioKind::Handshake(_) if scenario.version == TlsVersion::Tls13 => scenario,
        _ => TlsScenario { tickets: None, ..scenario },
    }
}

/// Leaves the number of connections to kinds that have one, so that the filter behind leaves enough scenarios.
fn as_kinds_connect(scenario: TlsScenario) -> TlsScenario {
    match scenario.kind {
        ScenarioKind::Handshake(_) | ScenarioKind::Bulk { .. } => scenario,
        _ => TlsScenario { connections: None, ..scenario },
    }
}

/// Takes from an in-tree scenario what such a program can't do, so that the filter behind
/// leaves enough of them.
fn as_in_tree_can(scenario: TlsScenario) -> TlsScenario {
    if !scenario.in_tree {
        return scenario;
    }
    let kind = match scenario.kind {
        ScenarioKind::Bulk { write, .. } => {
            ScenarioKind::Bulk { write, total: None, record: RecordLimit::Protocol }
        }
        ScenarioKind::Memory { .. }
        | ScenarioKind::Setup(_)
        | ScenarioKind::Handshake(Resumption::EarlyData) => {
            ScenarioKind::Handshake(Resumption::Full)
        }
        handshake => handshake,
    };
    let (threads, key) = (NonZeroU16::MIN, CertificateKey::EcdsaP256);
    let (group, verification) = (Group::Default, Verification::default());
    let (client_auth, tickets, connections) = (false, None, None);
    let scenario = TlsScenario { client_auth, tickets, connections, ..scenario };
    TlsScenario { kind, key, group, verification, threads, ..scenario }
}

proptest! {
    #[test]
    fn printing_then_parsing_is_the_identity(scenario in any_scenario()) {
        let id = scenario.to_string();
        prop_assert_eq!(id.parse::<Scenario>().unwrap(), scenario);
    }

    /// One scenario has one id: whatever parses prints as it was written.
    #[test]
    fn parsing_then_printing_is_the_identity(
        family in "(intree/)?(handshake-(full|session-id|ticket|early-data)|bulk|memory|setup-(context|process)|other)",
        version in "tls1\\.[123]", cipher_suite in "(aes128-gcm|aes256-gcm|chacha20)",
        options in proptest::collection::vec(
            "(client-auth|chain-[0-9]|roots-150|crl|ocsp|tickets-[0-4]|write-1?6?(KiB|kB|B)|total-[0-9]{1,3}MB|record-(512|1024|1000|16384)|sessions-[0-9]{1,3}|threads-[0-9]{1,2})", 0..4)
    ) {
        let group = if family.starts_with("intree/") { "default" } else { "x25519" };
        let mut id = format!("{family}/{version}/{cipher_suite}/{group}/ecdsa-p256");
        for option in options { id.push('/'); id.push_str(&option); }
        if let Ok(scenario) = id.parse::<Scenario>() {
            prop_assert_eq!(scenario.to_string(), id);
        }
    }

    #[test]
    fn one_primitive_has_one_id(
        id in "primitive/(aead/aes128-gcm/seal|hash/sha256)/(16B|1024B|1KiB|2KiB)(/no-tag){0,2}"
    ) {
        if let Ok(scenario) = id.parse::<Scenario>() {
            prop_assert_eq!(scenario.to_string(), id);
        }
    }

    #[test]
    fn no_text_makes_parsing_panic(text in ".{0,80}") {
        let _ = (text.parse::<Scenario>(), format!("primitive/{text}").parse::<Scenario>());
    }
}

/// Series of the history are found by ids: one that has no option means what it meant before there was the option.
#[test]
fn an_id_without_options_asks_for_nothing_special() {
    let rest = "aes256-gcm/x25519/ecdsa-p256";
    for id in [
        format!("handshake-full/tls1.3/{rest}"),
        format!("handshake-ticket/tls1.2/{rest}/client-auth"),
        format!("handshake-session-id/tls1.3/{rest}/threads-2"),
        format!("bulk/tls1.3/{rest}/write-16KiB/total-100MB"),
        format!("memory/tls1.2/{rest}/sessions-1000"),
        format!("setup-handshake/tls1.3/{rest}"),
    ] {
        let scenario: TlsScenario = id.parse().unwrap();
        assert_eq!(scenario.to_string(), id);
        assert_eq!(scenario.verification, Verification::default(), "{id}");
        assert_eq!((scenario.tickets, scenario.records()), (None, None), "{id}");
        assert!(!scenario.sends_early_data(), "{id}");
    }
}

#[test]
fn errors_say_what_to_do() {
    let say = |id: &str| id.parse::<Scenario>().unwrap_err().to_string();
    let wrong = [
        "handshake-full",
        "handshake/tls1.3/aes256-gcm/x25519/ecdsa-p256",
        "handshake-full/tls1.4/aes256-gcm/x25519/ecdsa-p256",
        "handshake-full/tls1.3/aes256-gcm/x448/ecdsa-p256",
        "handshake-full/tls1.2/aes256-gcm/x25519mlkem768/ecdsa-p256",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/chain-2",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/chain-5",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/roots-100",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/ocsp/crl",
        "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256/ocsp",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/tickets-3",
        "handshake-full/tls1.2/aes256-gcm/x25519/ecdsa-p256/tickets-1",
        "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256/tickets-0",
        "handshake-early-data/tls1.2/aes256-gcm/x25519/ecdsa-p256",
        "intree/handshake-early-data/tls1.3/aes256-gcm/default/ecdsa-p256",
        "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256",
        "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-1024B",
        "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-1KiB/record-1000",
        "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-1KiB/record-16384",
        "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-3",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-1",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/connections-0",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/connections-32",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/connections-2001",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/connections-100/threads-2",
        "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-2/connections-100",
        "intree/handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256/connections-100",
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-1KiB",
        "intree/handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256",
        "intree/handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256/client-auth",
        "intree/handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256/chain-1",
        "intree/bulk/tls1.3/aes256-gcm/default/ecdsa-p256/write-1KiB/total-1MB",
        "intree/bulk/tls1.3/aes256-gcm/default/ecdsa-p256/write-1KiB/record-512",
        "intree/memory/tls1.3/aes256-gcm/default/ecdsa-p256/sessions-2",
        "primitive",
        "primitive/aead/aes128-gcm/seal/2KiB",
        "primitive/aead/aes128-gcm/seal/1024B",
        "primitive/aead/aes128-gcm/seal/1KiB/tag",
        "primitive/hash/md5/1KiB",
        "primitive/agreement/x25519mlkem768/agree",
        "primitive/signature/ecdsa-p256",
        "primitive/fetch/md5",
        "setup/tls1.3/aes256-gcm/x25519/ecdsa-p256",
        "setup-process/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-2",
        "intree/setup-context/tls1.3/aes256-gcm/default/ecdsa-p256",
        "load/key/ecdsa-p256",
        "load/chain/ecdsa-p256/pkcs12",
        "load/roots",
        "intree/intree/bulk/tls1.3/aes256-gcm/default/ecdsa-p256/write-1KiB",
    ];
    let said: Vec<String> = wrong.iter().map(|id| format!("{id}\n  {}", say(id))).collect();
    insta::assert_snapshot!(said.join("\n"));
}
