//! The test certificates are valid for years to come.

use base64::{Engine, engine::general_purpose::STANDARD};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

/// Tags and lengths of the two forms in which X.509 writes dates: `YYMMDDHHMMSSZ` and `YYYYMMDDHHMMSSZ`.
const UTC_TIME: [u8; 2] = [0x17, 13];
const GENERALIZED_TIME: [u8; 2] = [0x18, 15];

/// How early the test fails.
const YEARS: u64 = 10;

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, into) } else { into.push(path) }
    }
}

/// Certificates, revocation lists and OCSP responses of a file, in DER.
fn dated(path: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap();
    if path.to_string_lossy().ends_with(".ocsp.der") {
        return vec![bytes];
    }
    let Ok(text) = String::from_utf8(bytes) else { return Vec::new() };
    let blocks = text.split("-----BEGIN ").skip(1).filter_map(|block| block.split_once("-----"));
    let dated = blocks.filter(|(label, _)| ["CERTIFICATE", "X509 CRL"].contains(label));
    let der = dated.map(|(_, rest)| {
        let body: String = rest.split("-----").next().unwrap().split_whitespace().collect();
        STANDARD.decode(body).unwrap()
    });
    der.collect()
}

/// The year of the latest date. In each of the three, that is when it ends to be valid.
fn last_year(der: &[u8]) -> Option<u64> {
    let year = |window: &[u8]| {
        let digits = match window[..2].try_into().unwrap() {
            GENERALIZED_TIME => window.get(2..17)?,
            UTC_TIME => window.get(2..15)?,
            _ => return None,
        };
        let (number, zone) = digits.split_at(digits.len() - 1);
        if zone != b"Z" || !number.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let year =
            std::str::from_utf8(&number[..number.len() - 10]).unwrap().parse::<u64>().unwrap();
        // RFC 5280, 4.1.2.5.1.
        Some(if year >= 100 { year } else { year + if year < 50 { 2000 } else { 1900 } })
    };
    (0..der.len().saturating_sub(2)).filter_map(|at| year(&der[at..])).max()
}

#[test]
fn nothing_expires_within_years() {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let this_year = 1970 + seconds / 31_556_952;
    let mut all = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../pki"), &mut all);
    let mut seen = 0;
    for path in all {
        for der in dated(&path) {
            let year = last_year(&der).unwrap_or_else(|| panic!("{} has no date", path.display()));
            assert!(year > this_year + YEARS, "{} ends in {year}: run make.sh", path.display());
            seen += 1;
        }
    }
    // Of each of six keys: 5 certificates of the usual chains, 11 of the others, 4 lists and 4 responses; then the
    // roots, and a list for tests.
    assert_eq!(seen, 6 * (5 + 11 + 4 + 4) + 150 + 1);
}

#[test]
fn dates_are_read_in_both_forms() {
    assert_eq!(last_year(b"\x17\x0d260101000000Z\x18\x0f21260101000000Z"), Some(2126));
    assert_eq!(last_year(b"\x17\x0d260101000000Z\x17\x0d490101000000Z"), Some(2049));
    assert_eq!(last_year(b"\x18\x0f2126010100000"), None);
}
