//! The context of one end: certificates, keys and settings, which the connections of all threads share.

use crate::{
    ffi::{self, check},
    session, settings,
    settings::Keeps,
    store,
};
use shakedown_driver::{DriverError, EndpointConfig, SERVER_NAME, SessionStore, c_path};
use shakedown_protocol::{DriverRefusal, TlsVersion};
use std::{ffi::c_int, path::Path, ptr, sync::Arc};

/// A context of the library.
pub struct Context {
    raw: *mut ffi::WOLFSSL_CTX,
    /// Where a server keeps its sessions.
    store: Option<Arc<SessionStore>>,
}

// SAFETY: not changed once it is set up; the library counts references under a lock.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: we own it; connections that are alive have references of their own.
        unsafe { ffi::wolfSSL_CTX_free(self.raw) };
    }
}

impl Context {
    /// A client's, which verifies the server's whole chain; the name is set on each connection.
    ///
    /// # Errors
    /// What this build lacks, or what it refuses.
    pub fn client(setup: &EndpointConfig, keeps: Keeps) -> Result<Self, DriverRefusal> {
        // SAFETY: may be called at any time.
        let method = unsafe {
            match setup.scenario.version {
                TlsVersion::Tls12 => ffi::wolfTLSv1_2_client_method(),
                TlsVersion::Tls13 => ffi::wolfTLSv1_3_client_method(),
            }
        };
        let context = Self::new(method, setup)?;
        context.verify(&setup.pki.root(), ffi::WOLFSSL_VERIFY_PEER)?;
        if setup.scenario.client_auth {
            context.identity(&setup.pki.client_chain(), &setup.pki.client_key())?;
        }
        // SAFETY: the context is alive; the name is as long as we say.
        unsafe {
            let (name, length) = (SERVER_NAME.as_ptr().cast(), SERVER_NAME.len() as u16);
            let kind = ffi::WOLFSSL_SNI_HOST_NAME as u8;
            check("wolfSSL_CTX_UseSNI", ffi::wolfSSL_CTX_UseSNI(context.raw, kind, name, length))?;
            if matches!(keeps, Keeps::Tickets(_)) {
                let asked = ffi::wolfSSL_CTX_UseSessionTicket(context.raw);
                check("wolfSSL_CTX_UseSessionTicket", asked)?;
            }
        }
        // The worker keeps the session that it resumes.
        context.cache_nothing()?;
        Ok(context)
    }

    /// A server's. Sessions go into `store` where the scenario resumes them.
    ///
    /// # Errors
    /// As for a client.
    pub fn server(
        setup: &EndpointConfig,
        keeps: Keeps,
        store: &Arc<SessionStore>,
    ) -> Result<Self, DriverRefusal> {
        let version = setup.scenario.version;
        // SAFETY: may be called at any time.
        let method = unsafe {
            match version {
                TlsVersion::Tls12 => ffi::wolfTLSv1_2_server_method(),
                TlsVersion::Tls13 => ffi::wolfTLSv1_3_server_method(),
            }
        };
        let mut context = Self::new(method, setup)?;
        context.identity(&setup.pki.server_chain(), &setup.pki.server_key())?;
        if setup.scenario.client_auth {
            let required = ffi::WOLFSSL_VERIFY_PEER | ffi::WOLFSSL_VERIFY_FAIL_IF_NO_PEER_CERT;
            context.verify(&setup.pki.root(), required)?;
        }
        // SAFETY: the context is alive.
        unsafe {
            match (keeps, version) {
                (Keeps::Tickets(tickets), TlsVersion::Tls13) => {
                    let set = ffi::wolfSSL_CTX_set_num_tickets(context.raw, tickets.into());
                    check("wolfSSL_CTX_set_num_tickets", set)?;
                }
                (Keeps::Tickets(_), TlsVersion::Tls12) => {}
                _ => {
                    let set = ffi::wolfSSL_CTX_NoTicketTLSv12(context.raw);
                    check("wolfSSL_CTX_NoTicketTLSv12", set)?;
                }
            }
        }
        match keeps {
            Keeps::Ids => {
                // The library's own cache has room for 33 sessions, whatever it is told.
                context.cache(ffi::WOLFSSL_SESS_CACHE_NO_INTERNAL)?;
                store::serve(context.raw);
                context.store = Some(Arc::clone(store));
            }
            // A ticket does not hold the client's certificate: the server takes it from its own cache.
            Keeps::Tickets(_) if setup.scenario.resumes() && setup.scenario.client_auth => {}
            _ => context.cache_nothing()?,
        }
        Ok(context)
    }

    /// The library's pointer, valid for as long as `self`.
    pub const fn as_ptr(&self) -> *mut ffi::WOLFSSL_CTX {
        self.raw
    }

    /// Where a server keeps its sessions.
    pub fn store(&self) -> Option<&SessionStore> {
        self.store.as_deref()
    }

    fn new(
        method: *mut ffi::WOLFSSL_METHOD,
        setup: &EndpointConfig,
    ) -> Result<Self, DriverRefusal> {
        // SAFETY: the library takes the method over.
        let raw = unsafe { ffi::wolfSSL_CTX_new(method) };
        if raw.is_null() {
            return Err(DriverError("wolfSSL_CTX_new: no context".to_owned()).into());
        }
        let context = Self { raw, store: None };
        // SAFETY: the context is new; the functions live for ever.
        unsafe {
            settings::pin(raw, &setup.scenario)?;
            ffi::wolfSSL_CTX_SetIORecv(raw, Some(session::receive));
            ffi::wolfSSL_CTX_SetIOSend(raw, Some(session::send));
        }
        Ok(context)
    }

    /// Switched off alone, the cache still takes sessions that have a ticket.
    fn cache_nothing(&self) -> Result<(), DriverError> {
        self.cache(ffi::WOLFSSL_SESS_CACHE_OFF)?;
        self.cache(ffi::WOLFSSL_SESS_CACHE_NO_INTERNAL)
    }

    fn cache(&self, mode: c_int) -> Result<(), DriverError> {
        // SAFETY: the context is alive.
        let set = unsafe { ffi::wolfSSL_CTX_set_session_cache_mode(self.raw, mode.into()) };
        check("wolfSSL_CTX_set_session_cache_mode", set as c_int)
    }

    fn verify(&self, roots: &Path, mode: c_int) -> Result<(), DriverError> {
        let roots = c_path(roots)?;
        // SAFETY: the context is alive, the name is a C string.
        unsafe {
            check("wolfSSL_CTX_load_verify_locations", {
                ffi::wolfSSL_CTX_load_verify_locations(self.raw, roots.as_ptr(), ptr::null())
            })?;
            ffi::wolfSSL_CTX_set_verify(self.raw, mode, None);
        }
        Ok(())
    }

    fn identity(&self, chain: &Path, key: &Path) -> Result<(), DriverError> {
        let (chain, key) = (c_path(chain)?, c_path(key)?);
        let pem = ffi::WOLFSSL_FILETYPE_PEM;
        // SAFETY: the context is alive, the names are C strings.
        unsafe {
            check("wolfSSL_CTX_use_certificate_chain_file", {
                ffi::wolfSSL_CTX_use_certificate_chain_file(self.raw, chain.as_ptr())
            })?;
            check("wolfSSL_CTX_use_PrivateKey_file", {
                ffi::wolfSSL_CTX_use_PrivateKey_file(self.raw, key.as_ptr(), pem)
            })
        }
    }
}
