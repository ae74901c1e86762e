use super::*;
use shakedown_protocol::{Flight, TlsRecord};

fn record(content_type: u8, content: &[u8]) -> TlsRecord {
    let length = u16::try_from(content.len()).unwrap();
    let kept = if content_type == 23 { &[][..] } else { content };
    TlsRecord { content_type, length, content: kept.to_owned() }
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[kind], &length[1..], body].concat()
}

fn extension(number: u16, length: u16) -> Vec<u8> {
    [&number.to_be_bytes()[..], &length.to_be_bytes(), &vec![7; usize::from(length)]].concat()
}

/// A client's hello with these extensions and cipher suites.
fn client_hello(extensions: &[(u16, u16)], suites: u16) -> Vec<u8> {
    let extensions: Vec<u8> =
        extensions.iter().flat_map(|(number, length)| extension(*number, *length)).collect();
    let mut body = [&[3, 3][..], &[9; 32], &[32], &[8; 32]].concat();
    body.extend((2 * suites).to_be_bytes());
    body.extend(vec![0x13; 2 * usize::from(suites)]);
    body.extend([1, 0]);
    body.extend(u16::try_from(extensions.len()).unwrap().to_be_bytes());
    body.extend(extensions);
    message(1, &body)
}

fn server_hello(extensions: &[(u16, u16)], random: [u8; 4]) -> Vec<u8> {
    let extensions: Vec<u8> =
        extensions.iter().flat_map(|(number, length)| extension(*number, *length)).collect();
    let mut body = [&[3, 3][..], &random, &[9; 28], &[0, 0x13, 2, 0]].concat();
    body.extend(u16::try_from(extensions.len()).unwrap().to_be_bytes());
    body.extend(extensions);
    message(2, &body)
}

/// A handshake of TLS 1.3 whose shares of keys have these lengths, with an encrypted flight of the server.
fn handshake(shares: [u16; 2], encrypted: &[usize]) -> Transcript {
    let hello = client_hello(&[(43, 3), (10, 4), (51, shares[0]), (0x1a1a, 0)], 3);
    let answer = server_hello(&[(43, 2), (51, shares[1])], [1; 4]);
    let mut records = vec![record(22, &answer), record(20, &[1])];
    records.extend(encrypted.iter().map(|length| record(23, &vec![0; *length])));
    // The client's hello is cut into two records.
    let (one, two) = hello.split_at(100);
    Transcript {
        flights: vec![
            Flight { sender: Side::Client, records: vec![record(22, one), record(22, two)] },
            Flight { sender: Side::Server, records },
            Flight { sender: Side::Client, records: vec![record(20, &[1]), record(23, &[0; 53])] },
        ],
    }
}

fn told(found: &WireExplanation) -> Vec<String> {
    let line = |one: &WireChange| {
        let part = one.part.as_deref().unwrap_or("-");
        let ([base, head], [few, more]) = (one.bytes, one.count);
        format!("{} {} {part}: {base} -> {head} in {few} -> {more}", one.sender, one.message)
    };
    found.changes.iter().map(line).collect()
}

#[test]
fn the_extension_that_grew_is_named() {
    let base = handshake([38, 36], &[900]);
    let head = handshake([1_222, 1_124], &[900]);
    let found = explain_wire(&base, &head);
    assert_eq!(
        told(&found),
        [
            "client client_hello key_share: 42 -> 1226 in 1 -> 1",
            "server server_hello key_share: 40 -> 1128 in 1 -> 1"
        ]
    );
    assert_eq!(found.client[1] - found.client[0], 1_184);
    assert_eq!(explain_wire(&base, &base).changes, []);
}

#[test]
fn what_is_encrypted_is_told_by_flight_and_nothing_is_told_twice() {
    let found = explain_wire(&handshake([38, 36], &[900]), &handshake([38, 36], &[30, 700, 300]));
    assert_eq!(
        told(&found),
        [
            "server encrypted records of flight 1 -: 900 -> 1030 in 1 -> 3",
            "server record headers -: 15 -> 25 in 3 -> 5"
        ]
    );
    assert!(found.changes[0].encrypted && !found.changes[1].encrypted);
    let sum: i64 = found.changes.iter().map(|one| one.bytes[1] as i64 - one.bytes[0] as i64).sum();
    assert_eq!(sum, found.server[1] as i64 - found.server[0] as i64);
}

#[test]
fn tls12_shows_its_messages_until_the_cipher_changes() {
    let transcript = |certificate: usize| {
        let hello = server_hello(&[(0xff01, 1)], [2; 4]);
        let messages =
            [hello, message(11, &vec![0; certificate]), message(12, &[0; 100]), message(14, &[])];
        let finished = vec![record(20, &[1]), record(22, &[7; 40])];
        Transcript {
            flights: vec![
                Flight { sender: Side::Server, records: vec![record(22, &messages.concat())] },
                Flight { sender: Side::Server, records: finished },
            ],
        }
    };
    let found = explain_wire(&transcript(500), &transcript(620));
    assert_eq!(told(&found), ["server certificate -: 504 -> 624 in 1 -> 1"]);
    // The message of the encrypted record is not mistaken for a message of type 7.
    let names: Vec<String> = parts(&transcript(0)).into_iter().map(|part| part.message).collect();
    assert!(names.contains(&"encrypted records of flight 2".to_owned()), "{names:?}");
}

#[test]
fn a_retry_is_a_message_of_its_own() {
    let retry = server_hello(&[(51, 2)], [0xcf, 0x21, 0xad, 0x74]);
    let flight = Flight { sender: Side::Server, records: vec![record(22, &retry)] };
    let found = explain_wire(&Transcript::default(), &Transcript { flights: vec![flight] });
    assert!(found.changes.iter().all(|one| one.message != "server_hello"), "{found:?}");
    assert!(
        told(&found).contains(&"server hello_retry_request key_share: 0 -> 6 in 0 -> 1".to_owned())
    );
}

proptest::proptest! {
    /// Drivers link what a pull request wrote.
    #[test]
    fn every_byte_is_in_one_part_whatever_is_sent(
        records in proptest::collection::vec(
            (19_u8..26, proptest::collection::vec(0_u8..60, 0..80)), 0..12),
        hello in proptest::prelude::any::<bool>(),
        cut in 0_usize..200,
    ) {
        let mut all: Vec<TlsRecord> = records.iter().map(|(kind, body)| record(*kind, body)).collect();
        if hello {
            let whole = client_hello(&[(51, 40), (16, 9)], 2);
            all.insert(0, record(22, &whole[..cut.min(whole.len())]));
        }
        let sent: u64 = all.iter().map(|one| 5 + u64::from(one.length)).sum();
        let flight = Flight { sender: Side::Client, records: all };
        let found = explain_wire(&Transcript::default(), &Transcript { flights: vec![flight] });
        proptest::prop_assert_eq!(found.client, [0, sent]);
    }
}
