//! nginx's configuration.

use crate::connections::{PATH, tls};
use shakedown_driver::{Pki, groups};
use shakedown_protocol::{
    CipherSuite, DriverRequest, Group, Resumption, ScenarioKind, TlsScenario, TlsVersion,
};
use std::{fmt::Write as _, net::SocketAddr};

/// Connections that the kernel keeps waiting, and that one nginx serves at once beside idle ones.
pub const WAITING: u32 = 4096;

/// The servers' configuration. Nothing is written: temporary files are never needed for requests
/// without a body, and the file for the process's number is in memory.
pub fn configuration(
    request: &DriverRequest,
    address: SocketAddr,
    body: &str,
    scratch: &str,
) -> String {
    let DriverRequest { pki, tickets, .. } = request;
    let scenario = tls(request);
    let pki = Pki::new(pki, scenario.key);
    // As root, nginx would become another user, who can't read the files.
    // SAFETY: no memory is passed.
    let user = if unsafe { libc::geteuid() } == 0 { "user root root;\n" } else { "" };
    let tickets = if resumes_by_ticket(scenario) && *tickets > 0 { "on" } else { "off" };
    let mut text = format!(
        "{user}daemon off;\nmaster_process off;\npid {scratch};\nerror_log stderr error;\n\
         events {{ worker_connections {}; }}\n\
         http {{\naccess_log off;\nclient_body_temp_path /tmp;\nserver_tokens off;\n\
         keepalive_requests 100000000;\nkeepalive_timeout 600s;\ndefault_type text/plain;\n\
         open_file_cache max=16;\nopen_file_cache_valid 1h;\n\
         server {{\nlisten {address} ssl backlog={WAITING};\n\
         ssl_certificate \"{}\";\nssl_certificate_key \"{}\";\n\
         ssl_protocols {};\nssl_session_cache off;\nssl_session_tickets {tickets};\n",
        WAITING + idle(scenario),
        pki.server_chain().display(),
        pki.server_key().display(),
        match scenario.version {
            TlsVersion::Tls12 => "TLSv1.2",
            TlsVersion::Tls13 => "TLSv1.3",
        },
    );
    let _ = match scenario.version {
        TlsVersion::Tls12 => writeln!(text, "ssl_ciphers {};", tls12_cipher(scenario)),
        TlsVersion::Tls13 => {
            writeln!(text, "ssl_conf_command Ciphersuites {};", tls13_cipher(scenario.cipher_suite))
        }
    };
    let groups: Vec<&str> = groups(scenario).into_iter().filter_map(group_name).collect();
    if !groups.is_empty() {
        let _ = writeln!(text, "ssl_ecdh_curve {};", groups.join(":"));
    }
    text + &format!("location = {PATH} {{ alias {body}; }}\n}}\n}}\n")
}

/// Connections that stay open.
const fn idle(scenario: &TlsScenario) -> u32 {
    match scenario.kind {
        ScenarioKind::Memory { sessions } => sessions,
        _ => 0,
    }
}

/// Whether the server has to send tickets.
fn resumes_by_ticket(scenario: &TlsScenario) -> bool {
    // In TLS 1.3 servers send tickets after every full handshake, too.
    scenario.version == TlsVersion::Tls13
        || scenario.kind == ScenarioKind::Handshake(Resumption::Ticket)
}

const fn tls13_cipher(suite: CipherSuite) -> &'static str {
    match suite {
        CipherSuite::Aes128Gcm => "TLS_AES_128_GCM_SHA256",
        CipherSuite::Aes256Gcm => "TLS_AES_256_GCM_SHA384",
        CipherSuite::Chacha20 => "TLS_CHACHA20_POLY1305_SHA256",
    }
}

fn tls12_cipher(scenario: &TlsScenario) -> String {
    let key = if scenario.key.is_rsa() { "RSA" } else { "ECDSA" };
    let suite = match scenario.cipher_suite {
        CipherSuite::Aes128Gcm => "AES128-GCM-SHA256",
        CipherSuite::Aes256Gcm => "AES256-GCM-SHA384",
        CipherSuite::Chacha20 => "CHACHA20-POLY1305",
    };
    format!("ECDHE-{key}-{suite}")
}

const fn group_name(group: Group) -> Option<&'static str> {
    match group {
        Group::Default => None,
        Group::X25519 => Some("X25519"),
        Group::Secp256r1 => Some("prime256v1"),
        Group::Secp384r1 => Some("secp384r1"),
        Group::X25519MlKem768 => Some("X25519MLKEM768"),
        Group::Secp256r1MlKem768 => Some("SecP256r1MLKEM768"),
        Group::MlKem768 => Some("MLKEM768"),
    }
}
