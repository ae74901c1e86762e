//! Configurations of both ends.

use crate::{connection::Endpoint, provider, verifier::Noting};
use rustls::{
    ClientConfig, ClientSide, RootCertStore, ServerConfig, ServerSide,
    client::{Resumption, WebPkiServerVerifier},
    crypto::{CryptoProvider, Identity},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
    server::{
        NoServerSessionStorage, ServerSessionMemoryCache, Tls13Tickets, WebPkiClientVerifier,
    },
};
use shakedown_driver::{DriverError, EndpointConfig, Endpoints, Pki, SERVER_NAME, Worker};
use shakedown_protocol::{Kind, Refusal, Resumption as Resumes, TlsVersion};
use std::{path::Path, sync::Arc};

/// Sessions that a server keeps, and a client: as the reference tool has it.
const SESSIONS: usize = 128;

/// Both ends, configured.
pub struct Configs {
    server: Arc<ServerConfig>,
    client: ClientParts,
}

/// What a client's configuration is made of: each worker makes one, for sessions of its own.
struct ClientParts {
    setup: EndpointConfig,
    provider: Arc<CryptoProvider>,
    roots: Arc<RootCertStore>,
}

impl Configs {
    /// Loads keys and certificates.
    ///
    /// # Errors
    /// What the provider can't do, or what rustls refuses.
    pub fn new(setup: &EndpointConfig) -> Result<Self, Refusal> {
        let provider = provider::provider(setup)?;
        let roots = Arc::new(roots(&setup.pki)?);
        let server = server_config(setup, &provider, &roots)?;
        let client = ClientParts { setup: setup.clone(), provider, roots };
        Ok(Self { server: Arc::new(server), client })
    }
}

impl Endpoints for Configs {
    type Worker = RustlsWorker;

    fn worker(&self) -> Result<RustlsWorker, DriverError> {
        let (client, verifier) = client_config(&self.client)?;
        Ok(RustlsWorker {
            client: Arc::new(client),
            server: Arc::clone(&self.server),
            verifier,
            name: ServerName::try_from(SERVER_NAME)?,
        })
    }
}

/// One thread's configurations.
pub struct RustlsWorker {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    verifier: Arc<Noting>,
    name: ServerName<'static>,
}

impl Worker for RustlsWorker {
    type Client = Endpoint<ClientSide>;
    type Server = Endpoint<ServerSide>;

    #[inline]
    fn new_client(&mut self) -> Result<Self::Client, DriverError> {
        Endpoint::client(&self.client, self.name.clone(), Arc::clone(&self.verifier))
    }

    #[inline]
    fn new_server(&mut self) -> Result<Self::Server, DriverError> {
        Endpoint::server(&self.server)
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

/// How the scenario resumes; `None` where it does not.
const fn resumption(setup: &EndpointConfig) -> Option<Resumes> {
    match setup.scenario.kind {
        Kind::Handshake(Resumes::SessionId) => Some(Resumes::SessionId),
        Kind::Handshake(Resumes::Ticket) => Some(Resumes::Ticket),
        _ => None,
    }
}

fn server_config(
    setup: &EndpointConfig,
    provider: &Arc<CryptoProvider>,
    roots: &Arc<RootCertStore>,
) -> Result<ServerConfig, DriverError> {
    let builder = ServerConfig::builder(Arc::clone(provider));
    let builder = if setup.scenario.client_auth {
        let verifier = WebPkiClientVerifier::builder(Arc::clone(roots), provider).build()?;
        builder.with_client_cert_verifier(Arc::new(verifier))
    } else {
        builder.with_no_client_auth()
    };
    let mut config = builder
        .with_single_cert(identity(&setup.pki.server_chain())?, key(&setup.pki.server_key())?)?;
    let tickets = setup.tickets.into();
    config.send_tls13_tickets = Tls13Tickets { default: tickets, max: tickets };
    config.session_storage = Arc::new(NoServerSessionStorage {});
    let tickets = setup.scenario.version == TlsVersion::Tls13 && setup.tickets > 0;
    match resumption(setup) {
        Some(Resumes::SessionId) => {
            config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
        }
        Some(_) => config.ticketer = Some(provider.ticketer_factory.ticketer()?),
        // Without resumption: TLS 1.3 tickets are sent all the same, as every server does
        // that is not told otherwise; TLS 1.2 has none because the client asks for none.
        None if tickets => config.ticketer = Some(provider.ticketer_factory.ticketer()?),
        None => {}
    }
    Ok(config)
}

fn client_config(parts: &ClientParts) -> Result<(ClientConfig, Arc<Noting>), DriverError> {
    let ClientParts { setup, provider, roots } = parts;
    let verifier = WebPkiServerVerifier::builder(Arc::clone(roots), provider).build()?;
    let verifier = Arc::new(Noting::new(verifier));
    let config = ClientConfig::builder(Arc::clone(provider))
        // WebPKI verifies as ever; the wrapper only notes what it was asked.
        .dangerous()
        .with_custom_certificate_verifier(Arc::clone(&verifier) as _);
    let mut config = if setup.scenario.client_auth {
        let chain = identity(&setup.pki.client_chain())?;
        config.with_client_auth_cert(chain, key(&setup.pki.client_key())?)?
    } else {
        config.with_no_client_auth()?
    };
    config.resumption = match resumption(setup) {
        Some(_) => Resumption::in_memory_sessions(SESSIONS),
        None => Resumption::disabled(),
    };
    Ok((config, verifier))
}

fn roots(pki: &Pki) -> Result<RootCertStore, DriverError> {
    let mut roots = RootCertStore::empty();
    for certificate in chain(&pki.root())? {
        roots.add(certificate)?;
    }
    Ok(roots)
}

fn identity(path: &Path) -> Result<Arc<Identity<'static>>, DriverError> {
    let identity = Identity::from_cert_chain(chain(path)?);
    identity.map(Arc::new).map_err(|_| DriverError(format!("{} is empty", path.display())))
}

fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, DriverError> {
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| DriverError(format!("{}: {error}", path.display())))
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, DriverError> {
    PrivateKeyDer::from_pem_file(path)
        .map_err(|error| DriverError(format!("{}: {error}", path.display())))
}
