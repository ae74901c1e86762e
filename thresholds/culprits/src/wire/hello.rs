//! The fields and extensions of hello messages, by their lengths. Parsers of TLS give what extensions mean,
//! and drop how long they were.

use super::names;

/// `random` of a server hello that is a hello retry request begins so (RFC 8446, section 4.1.3).
const RETRY: [u8; 4] = [0xcf, 0x21, 0xad, 0x74];
const VERSION: usize = 2;
const RANDOM: usize = 32;

/// Whether the body of a server hello is that of a hello retry request.
pub fn is_retry(body: &[u8]) -> bool {
    body.get(VERSION..).is_some_and(|rest| rest.starts_with(&RETRY))
}

/// The parts of a client's hello with their lengths, which add up to that of `body`; `None` if it has not
/// the form of one.
pub fn client(body: &[u8]) -> Option<Vec<(String, u64)>> {
    let mut parts = Vec::new();
    let mut rest = fixed(body, VERSION + RANDOM, &mut parts)?;
    rest = vector::<1>(rest, "session_id", &mut parts)?;
    rest = vector::<2>(rest, "cipher_suites", &mut parts)?;
    rest = vector::<1>(rest, "compression_methods", &mut parts)?;
    extensions(rest, parts)
}

/// The same of a server's.
pub fn server(body: &[u8]) -> Option<Vec<(String, u64)>> {
    const SUITE_AND_COMPRESSION: usize = 3;
    let mut parts = Vec::new();
    let mut rest = fixed(body, VERSION + RANDOM, &mut parts)?;
    rest = vector::<1>(rest, "session_id", &mut parts)?;
    rest = fixed(rest, SUITE_AND_COMPRESSION, &mut parts)?;
    extensions(rest, parts)
}

/// Takes a field that is as long in each hello; gives what follows.
fn fixed<'a>(bytes: &'a [u8], length: usize, parts: &mut Vec<(String, u64)>) -> Option<&'a [u8]> {
    let (_, rest) = bytes.split_at_checked(length)?;
    parts.push(("fixed fields".to_owned(), length as u64));
    Some(rest)
}

/// Takes a field with a length of `N` bytes before it.
fn vector<'a, const N: usize>(
    bytes: &'a [u8],
    name: &str,
    parts: &mut Vec<(String, u64)>,
) -> Option<&'a [u8]> {
    let (value, rest) = value::<N>(bytes)?;
    parts.push((name.to_owned(), (N + value.len()) as u64));
    Some(rest)
}

fn value<const N: usize>(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<N>()?;
    rest.split_at_checked(length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}

/// The extensions, which are the rest of a hello. Those of TLS 1.2 may lack them.
fn extensions(bytes: &[u8], mut parts: Vec<(String, u64)>) -> Option<Vec<(String, u64)>> {
    const TYPE: usize = 2;
    if bytes.is_empty() {
        return Some(parts);
    }
    let (mut list, rest) = value::<2>(bytes)?;
    parts.push(("fixed fields".to_owned(), 2));
    while let Some((kind, after)) = list.split_first_chunk::<TYPE>() {
        let name = names::extension(u16::from_be_bytes(*kind)).into_owned();
        let (_, further) = value::<2>(after)?;
        parts.push((name, (list.len() - further.len()) as u64));
        list = further;
    }
    (list.is_empty() && rest.is_empty()).then_some(parts)
}
