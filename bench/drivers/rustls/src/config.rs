//! Configurations of both ends.

use crate::{
    connection::{Client, Server, TlsEndpoint},
    identity, provider, record_size,
    signature::{self, Note},
};
use pki_types::ServerName;
use rustls::{
    ClientConfig, ServerConfig,
    client::Resumption,
    crypto::CryptoProvider,
    server::{NoServerSessionStorage, ServerSessionMemoryCache, WebPkiClientVerifier},
};
use shakedown_driver::{DriverError, EARLY_DATA, EndpointConfig, Endpoints, SERVER_NAME, Worker};
use shakedown_protocol::{DriverRefusal, Resumption as Resumes, ScenarioKind, TlsVersion};
use std::{fs, sync::Arc};

/// Both ends, configured.
pub struct Configs {
    server: Arc<ServerConfig>,
    parts: Arc<Parts>,
}

/// What configurations are made of. Each worker makes a client's, for sessions of its own.
struct Parts {
    setup: EndpointConfig,
    provider: Arc<CryptoProvider>,
}

impl Configs {
    /// Loads keys and certificates.
    ///
    /// # Errors
    /// What the provider can't do, or what rustls refuses.
    pub fn new(setup: &EndpointConfig) -> Result<Self, DriverRefusal> {
        let provider = Arc::new(provider::provider(setup)?);
        if cfg!(ticketer = "absent") && resumption(setup) == Some(Resumes::Ticket) {
            let text = format!("{} has nothing that encrypts tickets", provider::NAME);
            return Err(DriverRefusal::Unsupported(text));
        }
        let parts = Parts { setup: setup.clone(), provider };
        Ok(Self { server: Arc::new(server_config(&parts)?), parts: Arc::new(parts) })
    }
}

impl Endpoints for Configs {
    type Worker = RustlsWorker;

    fn worker(&self) -> Result<RustlsWorker, DriverError> {
        let note = Note::new();
        let parts = Arc::clone(&self.parts);
        // With notes, of which a process never frees any.
        let provider = Arc::new(signature::noting((*parts.provider).clone(), note));
        Ok(RustlsWorker {
            client: Arc::new(client_config(&parts.setup, &provider, note)?),
            server: Arc::clone(&self.server),
            parts,
            provider,
            note,
            name: ServerName::try_from(SERVER_NAME)?,
        })
    }
}

/// One thread's configurations.
pub struct RustlsWorker {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    parts: Arc<Parts>,
    /// The client's.
    provider: Arc<CryptoProvider>,
    note: &'static Note,
    name: ServerName<'static>,
}

impl Worker for RustlsWorker {
    type Client = TlsEndpoint<Client>;
    type Server = TlsEndpoint<Server>;

    #[inline]
    fn new_client(&mut self) -> Result<Self::Client, DriverError> {
        let sends = self.parts.setup.scenario.sends_early_data();
        TlsEndpoint::client(&self.client, self.name.clone(), self.note, sends)
    }

    #[inline]
    fn new_server(&mut self) -> Result<Self::Server, DriverError> {
        TlsEndpoint::server(&self.server, self.parts.setup.scenario.sends_early_data())
    }

    #[inline]
    fn renew_client(&mut self) -> Result<(), DriverRefusal> {
        let client = client_config(&self.parts.setup, &self.provider, self.note)?;
        self.client = Arc::new(client);
        Ok(())
    }

    #[inline]
    fn renew_server(&mut self) -> Result<(), DriverRefusal> {
        self.server = Arc::new(server_config(&self.parts)?);
        Ok(())
    }

    fn after_handshake(
        &mut self,
        _: &mut Self::Client,
        _: &mut Self::Server,
    ) -> Result<(), DriverError> {
        // The client's store keeps sessions by itself.
        Ok(())
    }
}

/// A builder of `$config` that knows provider and version.
macro_rules! builder {
    ($config:ident, $provider:expr, $setup:expr) => {{
        let provider = Arc::clone($provider);
        #[cfg(builder = "versions")]
        let builder =
            $config::builder_with_provider(provider).with_protocol_versions(versions($setup))?;
        #[cfg(builder = "with_provider")]
        let builder = $config::builder_with_provider(provider);
        #[cfg(builder = "provider")]
        let builder = $config::builder(provider);
        builder
    }};
}

#[cfg(builder = "versions")]
fn versions(setup: &EndpointConfig) -> &'static [&'static rustls::SupportedProtocolVersion] {
    use rustls::version::{TLS12, TLS13};
    static ONLY_TLS12: [&rustls::SupportedProtocolVersion; 1] = [&TLS12];
    static ONLY_TLS13: [&rustls::SupportedProtocolVersion; 1] = [&TLS13];
    match setup.scenario.version {
        TlsVersion::Tls12 => &ONLY_TLS12,
        TlsVersion::Tls13 => &ONLY_TLS13,
    }
}

/// How the scenario resumes; `None` where it does not.
const fn resumption(setup: &EndpointConfig) -> Option<Resumes> {
    match setup.scenario.kind {
        ScenarioKind::Handshake(Resumes::Full) => None,
        ScenarioKind::Handshake(resumption) => Some(resumption),
        _ => None,
    }
}

#[allow(clippy::useless_conversion, reason = "a response is shared in other revisions")]
fn server_config(parts: &Parts) -> Result<ServerConfig, DriverError> {
    let Parts { setup, provider } = parts;
    let builder = builder!(ServerConfig, provider, setup);
    let builder = if setup.scenario.client_auth {
        let roots = Arc::new(identity::roots([setup.pki.root()])?);
        #[cfg(client_verifier = "owned_provider")]
        let verifier =
            WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(provider)).build()?;
        #[cfg(client_verifier = "borrowed_provider")]
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build()?;
        #[cfg(client_verifier = "shared")]
        let verifier = WebPkiClientVerifier::builder(roots, provider).build()?;
        #[cfg(client_verifier = "plain")]
        let verifier = Arc::new(WebPkiClientVerifier::builder(roots, provider).build()?);
        builder.with_client_cert_verifier(verifier)
    } else {
        builder.with_no_client_auth()
    };
    let chain = identity::own(&setup.pki.server_chain())?;
    let key = identity::key(&setup.pki.server_key())?;
    let mut config = match setup.pki.ocsp_response() {
        Some(file) => {
            let response = fs::read(&file)
                .map_err(|error| DriverError(format!("{}: {error}", file.display())))?;
            builder.with_single_cert_with_ocsp(chain, key, response.into())?
        }
        None => builder.with_single_cert(chain, key)?,
    };
    let tickets = setup.tickets.into();
    #[cfg(tickets = "count")]
    {
        config.send_tls13_tickets = tickets;
    }
    #[cfg(tickets = "range")]
    {
        config.send_tls13_tickets = rustls::server::Tls13Tickets { default: tickets, max: tickets };
    }
    if setup.scenario.sends_early_data() {
        config.max_early_data_size = 16 * EARLY_DATA.len() as u32;
    }
    config.max_fragment_size = record_size::of(&setup.scenario);
    config.session_storage = Arc::new(NoServerSessionStorage {});
    match resumption(setup) {
        // Early data is accepted where the server keeps the sessions, and lets each be resumed once.
        Some(Resumes::SessionId | Resumes::EarlyData) => {
            config.session_storage = ServerSessionMemoryCache::new(setup.cached_sessions());
        }
        // Without resumption, TLS 1.3 tickets are sent all the same, as by every server in its
        // default configuration; TLS 1.2 has none because the client asks for none.
        None if setup.scenario.version == TlsVersion::Tls12 || setup.tickets == 0 => {}
        #[cfg(not(ticketer = "absent"))]
        _ => config.ticketer = ticketer!(provider),
        // As rustls does by default: the server keeps the sessions, and a ticket is the id of one.
        #[cfg(ticketer = "absent")]
        _ => config.session_storage = ServerSessionMemoryCache::new(setup.cached_sessions()),
    }
    Ok(config)
}

#[cfg(ticketer = "module")]
macro_rules! ticketer {
    ($provider:expr) => {{
        let _ = $provider;
        provider::chosen::Ticketer::new()?.into()
    }};
}

#[cfg(ticketer = "optional_factory")]
macro_rules! ticketer {
    ($provider:expr) => {{
        let factory = $provider.ticketer_factory;
        factory.ok_or_else(|| DriverError("no tickets".to_owned()))?.ticketer()?.into()
    }};
}

#[cfg(ticketer = "factory")]
macro_rules! ticketer {
    ($provider:expr) => {
        $provider.ticketer_factory.ticketer()?.into()
    };
}

#[cfg(not(ticketer = "absent"))]
use ticketer;

/// What the last step of a client's builder gives: a configuration, or a result of one.
trait Finish {
    fn finish(self) -> Result<ClientConfig, rustls::Error>;
}

impl Finish for ClientConfig {
    fn finish(self) -> Result<ClientConfig, rustls::Error> {
        Ok(self)
    }
}

impl Finish for Result<ClientConfig, rustls::Error> {
    fn finish(self) -> Result<ClientConfig, rustls::Error> {
        self
    }
}

#[allow(unused_variables, reason = "the provider's wrapper may leave the note")]
fn client_config(
    setup: &EndpointConfig,
    provider: &Arc<CryptoProvider>,
    note: &'static Note,
) -> Result<ClientConfig, DriverError> {
    let roots = &Arc::new(identity::roots(setup.pki.trusted())?);
    let builder = builder!(ClientConfig, provider, setup);
    let builder = signature::verify!(builder, setup, roots, provider, note);
    let mut config = if setup.scenario.client_auth {
        builder.with_client_auth_cert(
            identity::own(&setup.pki.client_chain())?,
            identity::key(&setup.pki.client_key())?,
        )?
    } else {
        builder.with_no_client_auth().finish()?
    };
    config.enable_early_data = setup.scenario.sends_early_data();
    config.resumption = match resumption(setup) {
        Some(_) => Resumption::in_memory_sessions(setup.cached_sessions()),
        None => Resumption::disabled(),
    };
    Ok(config)
}
