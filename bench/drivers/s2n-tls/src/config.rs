//! A configuration of either end, as a scenario wants it.

use crate::{
    error::{check, failure},
    policy::Policies,
    store::CALLBACKS,
};
use s2n_tls_sys as s2n;
use shakedown_driver::{DriverError, EndpointConfig, SessionStore};
use shakedown_protocol::{DriverRefusal, Resumption, ScenarioKind, TlsVersion};
use std::{
    ffi::{CString, c_char, c_int, c_void},
    fs,
    path::Path,
    ptr,
    time::{SystemTime, UNIX_EPOCH},
};

/// A configuration with its certificate.
pub struct Config {
    raw: *mut s2n::s2n_config,
    own: *mut s2n::s2n_cert_chain_and_key,
}

// SAFETY: configurations are made to be shared between threads once they are set up.
unsafe impl Send for Config {}
// SAFETY: as above.
unsafe impl Sync for Config {}

impl Drop for Config {
    fn drop(&mut self) {
        // SAFETY: we own both; the configuration refers to the certificate.
        unsafe {
            s2n::s2n_config_free(self.raw);
            if !self.own.is_null() {
                s2n::s2n_cert_chain_and_key_free(self.own);
            }
        }
    }
}

impl Config {
    /// The library's pointer, valid for as long as `self`.
    pub const fn as_ptr(&self) -> *mut s2n::s2n_config {
        self.raw
    }

    /// A server's.
    ///
    /// # Errors
    /// What the library says.
    pub fn server(
        setup: &EndpointConfig,
        policies: &Policies,
        store: *const SessionStore,
    ) -> Result<Self, DriverRefusal> {
        let mut config = Self::new(policies.server)?;
        config.identity(&setup.pki.server_chain(), &setup.pki.server_key())?;
        if setup.scenario.client_auth {
            config.authenticate(&setup.pki.root())?;
            // SAFETY: the configuration is ours. Clients have names of their own.
            unsafe {
                let any = s2n::s2n_config_set_verify_host_callback(
                    config.raw,
                    Some(any_name),
                    ptr::null_mut(),
                );
                check("s2n_config_set_verify_host_callback", any)?;
            }
        }
        match (setup.scenario.kind, setup.scenario.version) {
            (ScenarioKind::Handshake(Resumption::SessionId), TlsVersion::Tls12) => {
                config.cache(store)?;
            }
            (ScenarioKind::Handshake(Resumption::SessionId), TlsVersion::Tls13) => {
                let text = "s2n-tls's servers keep no TLS 1.3 sessions: they send tickets only";
                return Err(DriverRefusal::Unsupported(text.to_owned()));
            }
            (ScenarioKind::Handshake(Resumption::Ticket), _) | (_, TlsVersion::Tls13) => {
                config.tickets(setup.tickets)?;
            }
            _ => {}
        }
        Ok(config)
    }

    /// A client's, which verifies the server's whole chain; the name is set on each connection.
    /// `tickets` is called for each new session, with `context`.
    ///
    /// # Errors
    /// What the library says.
    pub fn client(
        setup: &EndpointConfig,
        policies: &Policies,
        tickets: s2n::s2n_session_ticket_fn,
        context: *mut c_void,
    ) -> Result<Self, DriverError> {
        let mut config = Self::new(policies.client)?;
        config.trust(&setup.pki.root())?;
        if setup.scenario.client_auth {
            config.identity(&setup.pki.client_chain(), &setup.pki.client_key())?;
            config.authenticate(&setup.pki.root())?;
        }
        if setup.scenario.resumes() {
            // SAFETY: the configuration is ours; the context outlives it.
            unsafe {
                let by_ticket = ScenarioKind::Handshake(Resumption::Ticket) == setup.scenario.kind;
                let set = s2n::s2n_config_set_session_tickets_onoff(config.raw, by_ticket.into());
                check("s2n_config_set_session_tickets_onoff", set)?;
                let set = s2n::s2n_config_set_session_ticket_cb(config.raw, tickets, context);
                check("s2n_config_set_session_ticket_cb", set)?;
            }
        }
        Ok(config)
    }

    fn new(policy: &str) -> Result<Self, DriverError> {
        let name = CString::new(policy)?;
        // SAFETY: a new configuration, without the system's roots; the name is a C string.
        unsafe {
            let raw = s2n::s2n_config_new_minimal();
            if raw.is_null() {
                return Err(failure("s2n_config_new_minimal"));
            }
            let config = Self { raw, own: ptr::null_mut() };
            check(policy, s2n::s2n_config_set_cipher_preferences(raw, name.as_ptr()))?;
            Ok(config)
        }
    }

    fn trust(&self, roots: &Path) -> Result<(), DriverError> {
        let pem = CString::new(fs::read(roots)?)?;
        // SAFETY: the configuration is ours, the text is a C string.
        let trusted = unsafe { s2n::s2n_config_add_pem_to_trust_store(self.raw, pem.as_ptr()) };
        check("s2n_config_add_pem_to_trust_store", trusted)
    }

    fn authenticate(&self, roots: &Path) -> Result<(), DriverError> {
        self.trust(roots)?;
        let required = s2n::s2n_cert_auth_type::REQUIRED;
        // SAFETY: the configuration is ours.
        let set = unsafe { s2n::s2n_config_set_client_auth_type(self.raw, required) };
        check("s2n_config_set_client_auth_type", set)
    }

    fn identity(&mut self, chain: &Path, key: &Path) -> Result<(), DriverError> {
        let (mut chain, mut key) = (fs::read(chain)?, fs::read(key)?);
        // SAFETY: both are as long as we say; the configuration refers to what we keep.
        unsafe {
            self.own = s2n::s2n_cert_chain_and_key_new();
            if self.own.is_null() {
                return Err(failure("s2n_cert_chain_and_key_new"));
            }
            let loaded = s2n::s2n_cert_chain_and_key_load_pem_bytes(
                self.own,
                chain.as_mut_ptr(),
                chain.len() as u32,
                key.as_mut_ptr(),
                key.len() as u32,
            );
            check("s2n_cert_chain_and_key_load_pem_bytes", loaded)?;
            let added = s2n::s2n_config_add_cert_chain_and_key_to_store(self.raw, self.own);
            check("s2n_config_add_cert_chain_and_key_to_store", added)
        }
    }

    fn tickets(&self, number: u8) -> Result<(), DriverError> {
        let name = *b"shakedown";
        let mut key = [7_u8; 32];
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        // SAFETY: the configuration is ours and copies name and key.
        unsafe {
            check(
                "s2n_config_set_session_tickets_onoff",
                s2n::s2n_config_set_session_tickets_onoff(self.raw, 1),
            )?;
            check(
                "s2n_config_set_initial_ticket_count",
                s2n::s2n_config_set_initial_ticket_count(self.raw, number),
            )?;
            let (length, size) = (name.len() as u32, key.len() as u32);
            let key = key.as_mut_ptr();
            let added = s2n::s2n_config_add_ticket_crypto_key(
                self.raw,
                name.as_ptr(),
                length,
                key,
                size,
                now,
            );
            check("s2n_config_add_ticket_crypto_key", added)
        }
    }

    fn cache(&self, store: *const SessionStore) -> Result<(), DriverError> {
        let of = store.cast_mut().cast::<c_void>();
        let (put, get, remove) = CALLBACKS;
        // The cached state is encrypted with the key of tickets.
        self.tickets(0)?;
        // SAFETY: the configuration is ours; the store outlives it.
        let set: [c_int; 5] = unsafe {
            [
                s2n::s2n_config_set_cache_store_callback(self.raw, put, of),
                s2n::s2n_config_set_cache_retrieve_callback(self.raw, get, of),
                s2n::s2n_config_set_cache_delete_callback(self.raw, remove, of),
                s2n::s2n_config_set_session_cache_onoff(self.raw, 1),
                // Last: without a cache it would drop the key.
                s2n::s2n_config_set_session_tickets_onoff(self.raw, 0),
            ]
        };
        set.into_iter().try_for_each(|returned| check("the session cache", returned))
    }
}

unsafe extern "C" fn any_name(_: *const c_char, _: usize, _: *mut c_void) -> u8 {
    1
}
