//! Reading what a benchmark program prints.
//!
//! Every form since rustls 0.22 is lines of fields with tabs between them:
//!
//! ```text
//! handshakes  TLSv1_3  EcdsaP256  TLS13_AES_128_GCM_SHA256  client  server-auth  no-resume  2299.02  handshakes/s
//! bulk  TLSv1_3  TLS13_AES_128_GCM_SHA256  max_fragment_size:default  send  6609.41  MB/s
//! ```
//!
//! The unit was `handshake/s` once, and the name of a key has changed. Lines of other
//! interfaces (`handshakes-unbuffered`) are left out. A line that begins like ours and does
//! not fit is an error: a number in a form that nobody has looked at is no number.

use shakedown_protocol::{
    CertificateKey, CipherSuite, Resumption, ScenarioKind, TlsScenario, TlsVersion,
};

/// Longer output than that of any benchmark is not read.
pub const LONGEST: usize = 64 * 1024;

/// Faster than any machine: a rate above is a mistake of the program.
const FASTEST: f64 = 1e9;

/// The rates of one run, the scenario's first side first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates(pub [f64; 2]);

/// Reads the rates of `scenario`: one pair for each time that the program measured it.
/// Older programs have no option for the key and measure a cipher suite with every key.
///
/// # Errors
/// Says which line does not fit, or that there is none.
pub fn parse(text: &str, scenario: &TlsScenario) -> Result<Vec<Rates>, String> {
    let mut firsts = Vec::new();
    let mut seconds = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let found = match (fields[0], scenario.kind) {
            ("handshakes", ScenarioKind::Handshake(resumption)) => {
                handshake(&fields, scenario, resumption)
            }
            ("bulk", ScenarioKind::Bulk { .. }) => bulk(&fields, scenario),
            _ => continue,
        };
        match found.map_err(|why| format!("{why} in the line `{}`", shown(line)))? {
            None => {}
            Some((true, rate)) => firsts.push(rate),
            Some((false, rate)) => seconds.push(rate),
        }
    }
    if firsts.is_empty() && seconds.is_empty() {
        return Err(format!("no line of its output is about {scenario}: `{}`", shown(text)));
    }
    if firsts.len() != seconds.len() {
        return Err(format!(
            "its output has {} rates of {} and {} of {}",
            firsts.len(),
            scenario.sides()[0],
            seconds.len(),
            scenario.sides()[1],
        ));
    }
    Ok(firsts.into_iter().zip(seconds).map(|(first, second)| Rates([first, second])).collect())
}

/// A rate and whether it is of the scenario's first side; `None` for a line about another key.
type Line = Result<Option<(bool, f64)>, String>;

fn handshake(fields: &[&str], scenario: &TlsScenario, resumption: Resumption) -> Line {
    let [_, version, key, cipher_suite, side, auth, resume, rate, unit] = fields else {
        return Err(format!("{} fields instead of 9", fields.len()));
    };
    if key_of(key)? != scenario.key {
        return Ok(None);
    }
    expect("version", version, version_name(scenario.version))?;
    expect("cipher suite", cipher_suite, &cipher_suite_name(scenario))?;
    expect("authentication", auth, "server-auth")?;
    expect("resumption", resume, resumption_name(resumption))?;
    if !matches!(*unit, "handshakes/s" | "handshake/s") {
        return Err(format!("unknown unit `{}`", shown(unit)));
    }
    Ok(Some((first_side(side, ["client", "server"])?, rate_of(rate)?)))
}

/// Lines of bulk transfers do not name the key, which has no part in them.
fn bulk(fields: &[&str], scenario: &TlsScenario) -> Line {
    let [_, version, cipher_suite, fragment, side, rate, unit] = fields else {
        return Err(format!("{} fields instead of 7", fields.len()));
    };
    expect("version", version, version_name(scenario.version))?;
    expect("cipher suite", cipher_suite, &cipher_suite_name(scenario))?;
    expect("fragment size", fragment, "max_fragment_size:default")?;
    // They are 2^20 bytes, whatever the label says: the program divides by 1024 * 1024.
    expect("unit", unit, "MB/s")?;
    Ok(Some((first_side(side, ["send", "recv"])?, rate_of(rate)?)))
}

fn expect(what: &str, found: &str, wanted: &str) -> Result<(), String> {
    if found == wanted {
        return Ok(());
    }
    Err(format!("{what} `{}` instead of `{wanted}`", shown(found)))
}

fn first_side(found: &str, [first, second]: [&str; 2]) -> Result<bool, String> {
    if found == first {
        Ok(true)
    } else if found == second {
        Ok(false)
    } else {
        Err(format!("unknown side `{}`", shown(found)))
    }
}

fn rate_of(text: &str) -> Result<f64, String> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match text.parse::<f64>() {
        Ok(rate) if plain && rate > 0.0 && rate < FASTEST => Ok(rate),
        _ => Err(format!("`{}` is not a rate", shown(text))),
    }
}

fn key_of(text: &str) -> Result<CertificateKey, String> {
    match text {
        "Rsa" | "Rsa2048" => Ok(CertificateKey::Rsa2048),
        "Ecdsa" | "EcdsaP256" => Ok(CertificateKey::EcdsaP256),
        "EcdsaP384" => Ok(CertificateKey::EcdsaP384),
        "Ed25519" => Ok(CertificateKey::Ed25519),
        other => Err(format!("unknown key `{}`", shown(other))),
    }
}

const fn version_name(version: TlsVersion) -> &'static str {
    match version {
        TlsVersion::Tls12 => "TLSv1_2",
        TlsVersion::Tls13 => "TLSv1_3",
    }
}

const fn resumption_name(resumption: Resumption) -> &'static str {
    match resumption {
        Resumption::Full => "no-resume",
        Resumption::SessionId => "sessionid",
        Resumption::Ticket => "tickets",
        // No id says so.
        Resumption::EarlyData => "early-data",
    }
}

/// The cipher suite as rustls names it, which is also the program's argument.
pub fn cipher_suite_name(scenario: &TlsScenario) -> String {
    let protection = match scenario.cipher_suite {
        CipherSuite::Aes128Gcm => "AES_128_GCM_SHA256",
        CipherSuite::Aes256Gcm => "AES_256_GCM_SHA384",
        CipherSuite::Chacha20 => "CHACHA20_POLY1305_SHA256",
    };
    match (scenario.version, scenario.key) {
        (TlsVersion::Tls13, _) => format!("TLS13_{protection}"),
        (TlsVersion::Tls12, key) if key.is_rsa() => format!("TLS_ECDHE_RSA_WITH_{protection}"),
        (TlsVersion::Tls12, _) => format!("TLS_ECDHE_ECDSA_WITH_{protection}"),
    }
}

/// The beginning of a text of unknown origin, on one line.
pub fn shown(text: &str) -> String {
    const MOST: usize = 120;
    let mut start: String = text.chars().take(MOST).collect::<String>().escape_debug().collect();
    if text.chars().nth(MOST).is_some() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests;
