//! Credentials and settings of both ends.

use crate::{
    ffi::{self, check},
    priority::Priority,
    session::{Role, Session},
    store,
    worker::GnuTlsWorker,
};
use shakedown_driver::{DriverError, EndpointConfig, Endpoints, SERVER_NAME, SessionStore, c_path};
use shakedown_protocol::{DriverRefusal, Resumption, ScenarioKind, TlsScenario, TlsVersion};
use std::{ffi::CString, path::Path, ptr, sync::Arc};

/// How connections resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// The server keeps sessions by their id.
    Ids,
    /// The server sends this number of tickets.
    Tickets(u8),
    /// Not at all.
    Nothing,
}

/// Certificates, keys and roots of one end.
struct Credentials(ffi::gnutls_certificate_credentials_t);

// SAFETY: they are shared between sessions of all threads once they are loaded.
unsafe impl Send for Credentials {}
// SAFETY: as above.
unsafe impl Sync for Credentials {}

impl Drop for Credentials {
    fn drop(&mut self) {
        // SAFETY: we own them.
        unsafe { ffi::gnutls_certificate_free_credentials(self.0) };
    }
}

impl Credentials {
    fn new(own: Option<(&Path, &Path)>, roots: Option<&Path>) -> Result<Self, DriverError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the library writes the pointer.
        let code = unsafe { ffi::gnutls_certificate_allocate_credentials(&mut raw) };
        check("gnutls_certificate_allocate_credentials", code)?;
        let credentials = Self(raw);
        let pem = ffi::GNUTLS_X509_FMT_PEM;
        if let Some((chain, key)) = own {
            let (chain, key) = (c_path(chain)?, c_path(key)?);
            // SAFETY: the credentials are alive, the names are C strings.
            check("gnutls_certificate_set_x509_key_file", unsafe {
                ffi::gnutls_certificate_set_x509_key_file(raw, chain.as_ptr(), key.as_ptr(), pem)
            })?;
        }
        if let Some(roots) = roots {
            let roots = c_path(roots)?;
            // SAFETY: as above.
            check("gnutls_certificate_set_x509_trust_file", unsafe {
                ffi::gnutls_certificate_set_x509_trust_file(raw, roots.as_ptr(), pem)
            })?;
        }
        Ok(credentials)
    }
}

/// Both ends, configured; threads share it.
pub struct Configs(Arc<Shared>);

/// What the connections of all threads have in common.
pub struct Shared {
    client: Credentials,
    server: Credentials,
    priority: Priority,
    store: SessionStore,
    /// What tickets are encrypted with.
    ticket_key: TicketKey,
    /// Of the server, which clients verify.
    name: CString,
    /// How connections resume.
    pub keeps: Keeps,
    /// The scenario.
    pub scenario: TlsScenario,
}

struct TicketKey(ffi::gnutls_datum_t);

// SAFETY: never changed once it is made.
unsafe impl Send for TicketKey {}
// SAFETY: as above.
unsafe impl Sync for TicketKey {}

impl Drop for TicketKey {
    fn drop(&mut self) {
        // SAFETY: the library's allocator made it.
        unsafe {
            if let Some(free) = ffi::gnutls_free {
                free(self.0.data.cast());
            }
        }
    }
}

impl Configs {
    /// Loads keys and certificates.
    ///
    /// # Errors
    /// What this version can't do, or what it refuses.
    pub fn new(setup: &EndpointConfig) -> Result<Self, DriverRefusal> {
        let (scenario, pki) = (setup.scenario, &setup.pki);
        let keeps = match (scenario.kind, scenario.version) {
            (ScenarioKind::Handshake(Resumption::SessionId), TlsVersion::Tls12) => Keeps::Ids,
            (ScenarioKind::Handshake(Resumption::SessionId), TlsVersion::Tls13) => {
                let text = "GnuTLS's servers keep no TLS 1.3 sessions: they send tickets only";
                return Err(DriverRefusal::Unsupported(text.to_owned()));
            }
            (ScenarioKind::Handshake(Resumption::Ticket), _) | (_, TlsVersion::Tls13) => {
                Keeps::Tickets(setup.tickets)
            }
            _ => Keeps::Nothing,
        };
        let priority = Priority::new(&scenario)?;
        let (root, mutual) = (pki.root(), scenario.client_auth);
        let (chain, key) = (pki.client_chain(), pki.client_key());
        let client = Credentials::new(mutual.then_some((&*chain, &*key)), Some(&root))?;
        let (chain, key) = (pki.server_chain(), pki.server_key());
        let server = Credentials::new(Some((&chain, &key)), mutual.then_some(&*root))?;
        let mut ticket_key = ffi::gnutls_datum_t { data: ptr::null_mut(), size: 0 };
        // SAFETY: the library writes the key.
        let made = unsafe { ffi::gnutls_session_ticket_key_generate(&mut ticket_key) };
        check("gnutls_session_ticket_key_generate", made)?;
        let store = SessionStore::new(setup.cached_sessions());
        let ticket_key = TicketKey(ticket_key);
        let name = CString::new(SERVER_NAME).map_err(DriverError::from)?;
        Ok(Self(Arc::new(Shared {
            client,
            server,
            priority,
            store,
            ticket_key,
            name,
            keeps,
            scenario,
        })))
    }
}

impl Endpoints for Configs {
    type Worker = GnuTlsWorker;

    fn worker(&self) -> Result<GnuTlsWorker, DriverError> {
        Ok(GnuTlsWorker::new(&self.0))
    }
}

impl Shared {
    /// A client that verifies the server's whole chain and its name.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn new_client(&self) -> Result<Session, DriverError> {
        let no_tickets =
            if matches!(self.keeps, Keeps::Tickets(_)) { 0 } else { ffi::GNUTLS_NO_TICKETS };
        let flags = ffi::GNUTLS_CLIENT | no_tickets;
        let session = Session::new(Role::Client, flags)?;
        let raw = session.as_ptr();
        // SAFETY: the session is alive; what it is given outlives it.
        unsafe {
            self.equip(raw, &self.client)?;
            let name = self.name.as_bytes();
            let dns = ffi::GNUTLS_NAME_DNS;
            let set = ffi::gnutls_server_name_set(raw, dns, name.as_ptr().cast(), name.len());
            check("gnutls_server_name_set", set)?;
            ffi::gnutls_session_set_verify_cert(raw, self.name.as_ptr(), 0);
        }
        Ok(session)
    }

    /// A server.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn new_server(&self) -> Result<Session, DriverError> {
        // Tickets are sent when they are asked for: otherwise their number is the library's.
        let flags = ffi::GNUTLS_SERVER | ffi::GNUTLS_NO_AUTO_SEND_TICKET;
        let mut session = Session::new(Role::Server, flags)?;
        let raw = session.as_ptr();
        // SAFETY: as above.
        unsafe {
            self.equip(raw, &self.server)?;
            if self.scenario.client_auth {
                ffi::gnutls_certificate_server_set_request(raw, ffi::GNUTLS_CERT_REQUIRE);
                ffi::gnutls_session_set_verify_cert(raw, ptr::null(), 0);
            }
            match self.keeps {
                Keeps::Ids => store::serve(&self.store, raw),
                Keeps::Tickets(tickets) => {
                    let enabled = ffi::gnutls_session_ticket_enable_server(raw, &self.ticket_key.0);
                    check("gnutls_session_ticket_enable_server", enabled)?;
                    if self.scenario.version == TlsVersion::Tls13 {
                        session.owe_tickets(tickets);
                    }
                }
                Keeps::Nothing => {}
            }
        }
        Ok(session)
    }

    /// # Safety
    /// The session is alive.
    unsafe fn equip(
        &self,
        session: ffi::gnutls_session_t,
        credentials: &Credentials,
    ) -> Result<(), DriverError> {
        let kind = ffi::GNUTLS_CRD_CERTIFICATE;
        // SAFETY: the caller's promise; credentials and priority outlive every session.
        unsafe {
            check("gnutls_credentials_set", {
                ffi::gnutls_credentials_set(session, kind, credentials.0.cast())
            })?;
            let set = ffi::gnutls_priority_set(session, self.priority.as_ptr());
            check("gnutls_priority_set", set)?;
        }
        Ok(())
    }
}
