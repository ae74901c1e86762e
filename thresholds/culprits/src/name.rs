//! Names of functions, comparable across builds.

/// A name without what differs between two builds of the same code: the hash at the end of a Rust
/// symbol (`::h0123456789abcdef`), the disambiguators of crates (`rustls[1f3e…]::`), suffixes of
/// copies that a compiler made (`.constprop.0`, `.isra.1`, `.llvm.123`, `.cold`), versions of
/// dynamic symbols (`@@GLIBC_2.34`) and callgrind's mark of a recursion (`'2`).
pub fn normalized(name: &str) -> String {
    let name = name.split("@@").next().unwrap_or(name);
    let mut name = without_crate_hashes(name);
    if let Some((before, depth)) = name.rsplit_once('\'')
        && !depth.is_empty()
        && depth.bytes().all(|b| b.is_ascii_digit())
    {
        name = before.to_owned();
    }
    loop {
        let shorter = without_suffix(&name);
        if shorter.len() == name.len() {
            return name;
        }
        name = shorter.to_owned();
    }
}

fn without_suffix(name: &str) -> &str {
    if let Some((before, hash)) = name.rsplit_once("::h")
        && hash.len() == 16
        && hash.bytes().all(|b| b.is_ascii_hexdigit())
    {
        return before;
    }
    let Some((before, last)) = name.rsplit_once('.') else { return name };
    let number = !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit());
    let copy = ["constprop", "isra", "part", "cold", "llvm", "lto_priv"].contains(&last);
    if (number || copy) && !before.is_empty() { before } else { name }
}

/// `alloc[0123456789abcdef]::vec` as `alloc::vec`.
fn without_crate_hashes(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('[') {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        let hash = after[1..].find(']').filter(|end| {
            (8..=16).contains(end) && after[1..=*end].bytes().all(|b| b.is_ascii_hexdigit())
        });
        match hash {
            Some(end) => rest = &after[end + 2..],
            None => {
                text.push('[');
                rest = &after[1..];
            }
        }
    }
    text + rest
}

/// The last two segments of a path, which is what people call a function: of
/// `<rustls::client::hs::ExpectServerHello as rustls::common_state::State<T>>::handle`,
/// `ExpectServerHello::handle`.
pub fn short(name: &str) -> String {
    let name = match name.strip_prefix('<').and_then(implementation) {
        Some((kind, rest)) => format!("{}{rest}", last_segment(kind)),
        None => name.to_owned(),
    };
    let segments = segments(&name);
    segments[segments.len().saturating_sub(2)..].join("::")
}

/// Of `T as Trait>::method`, the type and the rest after the closing bracket.
fn implementation(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1_u32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if at > 0 && text.as_bytes()[at - 1] != b'-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let inner = &text[..at];
            return Some((inner.split(" as ").next()?, &text[at + 1..]));
        }
    }
    None
}

fn last_segment(path: &str) -> &str {
    segments(path).last().copied().unwrap_or(path)
}

/// The parts between `::` that are not within brackets.
fn segments(path: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0_i32);
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] != b'-' => depth -= 1,
            b')' | b']' | b'}' => depth -= 1,
            b':' if depth == 0 && bytes.get(at + 1) == Some(&b':') => {
                parts.push(&path[begin..at]);
                begin = at + 2;
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&path[begin..]);
    parts
}

/// The end of a path that says which file it is: its name and the folder that it is in.
pub fn end_of_path(path: &str) -> String {
    let mut parts = path.rsplit('/');
    match (parts.next(), parts.next()) {
        (Some(file), Some(folder)) if !folder.is_empty() && folder != "." => {
            format!("{folder}/{file}")
        }
        _ => path.to_owned(),
    }
}

/// Whether a source file is of Rust's own libraries, which have this path in every build.
pub fn is_rust_library(path: &str) -> bool {
    path.starts_with("/rustc/")
}

/// Whether a function only serves its callers, so that its cost is theirs: allocation, copying and
/// comparing of memory, and what compilers generate to drop and clone.
pub fn serves(name: &str, object: &str) -> bool {
    const WHOLE: [&str; 12] = [
        "malloc",
        "calloc",
        "realloc",
        "free",
        "posix_memalign",
        "memcpy",
        "memmove",
        "memset",
        "memcmp",
        "bcmp",
        "strlen",
        "explicit_bzero",
    ];
    const OPENSSL: [&str; 8] = [
        "CRYPTO_malloc",
        "CRYPTO_zalloc",
        "CRYPTO_realloc",
        "CRYPTO_free",
        "CRYPTO_clear_free",
        "CRYPTO_clear_realloc",
        "OPENSSL_cleanse",
        "CRYPTO_memdup",
    ];
    const BEGINNINGS: [&str; 6] =
        ["__rustc::__r", "__rust_", "alloc::alloc::", "alloc::raw_vec::", "__memcpy", "_rjem_"];
    object.contains("/libc.so")
        || object.contains("/libc-")
        || WHOLE.contains(&name)
        || OPENSSL.contains(&name)
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_two_builds_is_left_out() {
        for (name, wanted) in [
            ("rustls::hash::sum::h0123456789abcdef", "rustls::hash::sum"),
            ("rustls[1f3e5a7b9c]::hash::sum", "rustls::hash::sum"),
            ("tls_construct_server_hello.constprop.0", "tls_construct_server_hello"),
            ("foo.isra.1.cold", "foo"),
            ("pthread_rwlock_unlock@@GLIBC_2.34", "pthread_rwlock_unlock"),
            ("walk'2", "walk"),
            ("<[u8; 4] as core::fmt::Debug>::fmt", "<[u8; 4] as core::fmt::Debug>::fmt"),
            ("aesni_gcm_encrypt", "aesni_gcm_encrypt"),
            ("", ""),
        ] {
            assert_eq!(normalized(name), wanted);
        }
    }

    #[test]
    fn people_call_functions_by_their_last_two_segments() {
        for (name, wanted) in [
            (
                "<rustls::client::hs::ExpectServerHello as rustls::common_state::State<T>>::handle",
                "ExpectServerHello::handle",
            ),
            ("rustls::msgs::codec::u16::read", "u16::read"),
            ("alloc::vec::Vec<rustls::msgs::A>::push", "Vec<rustls::msgs::A>::push"),
            ("core::ops::FnOnce<fn(u8) -> u8>::call", "FnOnce<fn(u8) -> u8>::call"),
            ("SSL_do_handshake", "SSL_do_handshake"),
            ("rustls::vecbuf::{closure#0}", "vecbuf::{closure#0}"),
        ] {
            assert_eq!(short(name), wanted);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_name_is_too_strange(name in ".{0,60}") {
            let once = normalized(&name);
            proptest::prop_assert!(once.len() <= name.len());
            let _ = short(&name);
        }
    }
}
