//! The load generator's client: rustls, the same for every library under test.

use crate::connections::tls;
use rustls::{
    ClientConfig, ClientConnection, HandshakeKind, NamedGroup, RootCertStore,
    client::Resumption as Sessions,
    crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs},
    pki_types::{CertificateDer, ServerName, pem::PemObject},
    version::{TLS12, TLS13},
};
use shakedown_driver::{Pki, SERVER_NAME, groups, iana};
use shakedown_protocol::{
    CipherSuite, DriverRefusal, DriverRequest, Group, Negotiated, TlsScenario, TlsVersion,
};
use std::sync::Arc;

/// One thread's configuration, with a memory of sessions of its own.
///
/// # Errors
/// What rustls can't do, or a certificate that it refuses.
pub fn configuration(request: &DriverRequest) -> Result<Arc<ClientConfig>, DriverRefusal> {
    let failed = |error: &dyn std::fmt::Display| DriverRefusal::Failed(error.to_string());
    let scenario = tls(request);
    let path = Pki::new(&request.pki, scenario.key).root();
    let root = CertificateDer::from_pem_file(&path)
        .map_err(|error| failed(&format_args!("{}: {error}", path.display())))?;
    let mut roots = RootCertStore::empty();
    roots.add(root).map_err(|error| failed(&error))?;
    let versions = match scenario.version {
        TlsVersion::Tls12 => [&TLS12],
        TlsVersion::Tls13 => [&TLS13],
    };
    let builder = ClientConfig::builder_with_provider(Arc::new(provider(scenario)?))
        .with_protocol_versions(&versions)
        .map_err(|error| failed(&error))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.resumption =
        if scenario.resumes() { Sessions::in_memory_sessions(8) } else { Sessions::disabled() };
    Ok(Arc::new(config))
}

fn provider(scenario: &TlsScenario) -> Result<CryptoProvider, DriverRefusal> {
    let mut provider = aws_lc_rs::default_provider();
    let suite = scenario.cipher_suite;
    provider.cipher_suites.retain(|one| {
        let number = u16::from(one.suite());
        iana::cipher_suite(number).is_some_and(|(known, _)| known == suite)
    });
    let wanted = groups(scenario);
    if !wanted.is_empty() {
        let offered = |one: &&'static dyn SupportedKxGroup| {
            group(one.name()).is_some_and(|group| wanted.contains(&group))
        };
        provider.kx_groups.retain(offered);
    }
    if provider.kx_groups.is_empty() || provider.cipher_suites.is_empty() {
        let what = format!("the load generator has no {} or no {suite}", scenario.group);
        return Err(DriverRefusal::Unsupported(what));
    }
    Ok(provider)
}

fn group(name: NamedGroup) -> Option<Group> {
    iana::group(u16::from(name))
}

/// A new connection to the server.
///
/// # Errors
/// What rustls refuses.
pub fn connection(config: &Arc<ClientConfig>) -> Result<ClientConnection, String> {
    let name = ServerName::try_from(SERVER_NAME).map_err(|error| error.to_string())?;
    ClientConnection::new(Arc::clone(config), name).map_err(|error| error.to_string())
}

/// What a connection agreed on, after its handshake: what the scenario asks for.
///
/// # Errors
/// [`DriverRefusal::Broken`] where it is something else.
pub fn agreed(
    connection: &ClientConnection,
    scenario: &TlsScenario,
) -> Result<Negotiated, DriverRefusal> {
    let found = negotiated(connection).map_err(DriverRefusal::Failed)?;
    match found.differences(scenario).first() {
        Some(difference) => Err(DriverRefusal::Broken(difference.to_string())),
        None => Ok(found),
    }
}

/// # Errors
/// If something that every connection has is missing.
fn negotiated(connection: &ClientConnection) -> Result<Negotiated, String> {
    let suite = connection.negotiated_cipher_suite().ok_or("no cipher suite")?;
    let number = u16::from(suite.suite());
    let (cipher_suite, cipher_suite_name): (CipherSuite, &str) =
        iana::cipher_suite(number).ok_or_else(|| format!("cipher suite {number:#06x}"))?;
    let version = match connection.protocol_version() {
        Some(rustls::ProtocolVersion::TLSv1_2) => TlsVersion::Tls12,
        Some(rustls::ProtocolVersion::TLSv1_3) => TlsVersion::Tls13,
        other => return Err(format!("version {other:?}")),
    };
    let resumed = connection.handshake_kind() == Some(HandshakeKind::Resumed);
    let key = connection.peer_certificates().and_then(<[_]>::first).and_then(|leaf| {
        let parsed = webpki::EndEntityCert::try_from(leaf).ok()?;
        iana::key(&parsed.subject_public_key_info())
    });
    Ok(Negotiated {
        version,
        cipher_suite,
        cipher_suite_name: cipher_suite_name.to_owned(),
        group: connection.negotiated_key_exchange_group().and_then(|one| group(one.name())),
        key: key.filter(|_| !resumed),
        signature: None,
        resumed,
        client_auth: false,
        certificates: None,
        ocsp_response: None,
        early_data: false,
    })
}
