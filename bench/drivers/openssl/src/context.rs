//! `SSL_CTX` of either end, as a scenario wants it.

use crate::{
    error::{check, failure},
    ffi as ssl, interface,
};
use shakedown_driver::{DriverError, EndpointConfig, c_path, groups};
use shakedown_protocol::{
    CertificateKey, CipherSuite, DriverRefusal, Group, RecordLimit, Resumption, ScenarioKind,
    TlsVersion, Verification,
};
use std::{
    ffi::{CString, c_int},
    fs,
    path::Path,
    ptr,
};

/// An `SSL_CTX`.
pub struct Context {
    raw: *mut ssl::SSL_CTX,
    /// What its callback hands out, freed after it.
    #[allow(dead_code, reason = "only kept")]
    staple: Option<interface::Staple>,
}

// SAFETY: OpenSSL's contexts are made to be shared between threads once they are set up.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: we own one reference.
        unsafe { ssl::SSL_CTX_free(self.raw) };
    }
}

impl Context {
    /// The library's pointer, valid for as long as `self`.
    pub const fn as_ptr(&self) -> *mut ssl::SSL_CTX {
        self.raw
    }

    /// A server's.
    ///
    /// # Errors
    /// What this library can't do, or what it refuses.
    pub fn server(setup: &EndpointConfig) -> Result<Self, DriverRefusal> {
        // SAFETY: the method is a constant of the library.
        let mut context = Self::new(setup, unsafe { ssl::SSL_CTX_new(ssl::TLS_server_method()) })?;
        context.identity(&setup.pki.server_chain(), &setup.pki.server_key())?;
        if let Some(file) = setup.pki.ocsp_response() {
            let response = fs::read(&file)
                .map_err(|error| DriverError(format!("{}: {error}", file.display())))?;
            // SAFETY: the context is ours, and keeps what it is given.
            context.staple = Some(unsafe { interface::staple(context.raw, response)? });
        }
        context.tickets(setup)?;
        if let ScenarioKind::Bulk { record, .. } = setup.scenario.kind
            && record != RecordLimit::Protocol
        {
            // SAFETY: the context is ours.
            unsafe { interface::limit_records(context.raw, record.bytes())? };
        }
        if setup.scenario.client_auth {
            context.trust(&setup.pki.root())?;
            let roots = c_path(&setup.pki.root())?;
            let mode = ssl::SSL_VERIFY_PEER | ssl::SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
            // SAFETY: the context is ours; it takes the list over.
            unsafe {
                ssl::SSL_CTX_set_verify(context.raw, mode, None);
                let names = ssl::SSL_load_client_CA_file(roots.as_ptr());
                ssl::SSL_CTX_set_client_CA_list(context.raw, names);
            }
        }
        Ok(context)
    }

    /// A client's: it verifies the server's whole chain; the name is set on each connection.
    ///
    /// # Errors
    /// What this library can't do, or what it refuses.
    pub fn client(setup: &EndpointConfig) -> Result<Self, DriverRefusal> {
        // SAFETY: the method is a constant of the library.
        let context = Self::new(setup, unsafe { ssl::SSL_CTX_new(ssl::TLS_client_method()) })?;
        context.verify(setup)?;
        if setup.scenario.client_auth {
            context.identity(&setup.pki.client_chain(), &setup.pki.client_key())?;
        }
        let scenario = &setup.scenario;
        if scenario.resumes() {
            // Sessions are kept by the worker, which offers the newest one.
            let mode = ssl::SSL_SESS_CACHE_CLIENT | ssl::SSL_SESS_CACHE_NO_INTERNAL;
            context.cache_mode(mode);
        } else {
            context.cache_mode(ssl::SSL_SESS_CACHE_OFF);
        }
        if scenario.sends_early_data() {
            // SAFETY: the context is ours.
            unsafe { interface::offer_early_data(context.raw) };
        }
        let asks = scenario.kind == ScenarioKind::Handshake(Resumption::Ticket);
        if scenario.version == TlsVersion::Tls12 && !asks {
            context.no_tickets();
        }
        Ok(context)
    }

    /// What both ends have in common.
    fn new(setup: &EndpointConfig, context: *mut ssl::SSL_CTX) -> Result<Self, DriverRefusal> {
        if context.is_null() {
            return Err(failure("SSL_CTX_new").into());
        }
        let context = Self { raw: context, staple: None };
        let scenario = &setup.scenario;
        let version = match scenario.version {
            TlsVersion::Tls12 => ssl::TLS1_2_VERSION,
            TlsVersion::Tls13 => ssl::TLS1_3_VERSION,
        };
        // SAFETY: the context is ours.
        unsafe {
            if !interface::set_version(context.raw, version) {
                let text = format!("this build has no {}", scenario.version);
                return Err(DriverRefusal::Unsupported(text));
            }
            interface::accept_key(context.raw, setup)?;
        }
        context.set_cipher_suite(setup)?;
        context.groups(setup)?;
        Ok(context)
    }

    fn set_cipher_suite(&self, setup: &EndpointConfig) -> Result<(), DriverRefusal> {
        let scenario = &setup.scenario;
        let name = cipher_suite_name(scenario.version, scenario.cipher_suite, scenario.key);
        let list = CString::new(name).map_err(DriverError::from)?;
        // SAFETY: the context is ours, the list is a C string.
        let set = unsafe {
            match scenario.version {
                TlsVersion::Tls12 => ssl::SSL_CTX_set_cipher_list(self.raw, list.as_ptr()),
                TlsVersion::Tls13 => {
                    return interface::set_tls13_cipher_suite(
                        self.raw,
                        scenario.cipher_suite,
                        &list,
                    );
                }
            }
        };
        if set == 1 {
            Ok(())
        } else {
            Err(DriverRefusal::Unsupported(failure(&format!("this build has no {name}")).0))
        }
    }

    fn groups(&self, setup: &EndpointConfig) -> Result<(), DriverRefusal> {
        let names: Vec<&str> = groups(&setup.scenario).into_iter().filter_map(group_name).collect();
        let Some(name) = names.first() else { return Ok(()) };
        let list = CString::new(names.join(":")).map_err(DriverError::from)?;
        // SAFETY: the context is ours, the list is a C string.
        if unsafe { interface::set_groups(self.raw, &list) } {
            Ok(())
        } else {
            Err(DriverRefusal::Unsupported(failure(&format!("this library has no group {name}")).0))
        }
    }

    /// How the server keeps sessions.
    fn tickets(&self, setup: &EndpointConfig) -> Result<(), DriverRefusal> {
        // SAFETY: the context is ours.
        unsafe { interface::set_tickets(self.raw, setup.tickets)? };
        match setup.scenario.kind {
            ScenarioKind::Handshake(Resumption::SessionId) => {
                self.no_tickets();
                self.keep_sessions(setup);
            }
            ScenarioKind::Handshake(Resumption::EarlyData) => {
                // For a server that lets each session be resumed once.
                self.keep_sessions(setup);
                // SAFETY: the context is ours.
                unsafe { interface::accept_early_data(self.raw)? };
            }
            ScenarioKind::Handshake(Resumption::Ticket) => self.cache_mode(ssl::SSL_SESS_CACHE_OFF),
            _ => {
                self.cache_mode(ssl::SSL_SESS_CACHE_OFF);
                if setup.scenario.version == TlsVersion::Tls12 {
                    self.no_tickets();
                }
            }
        }
        let name = b"shakedown";
        // SAFETY: the context is ours and copies the name.
        Ok(check("SSL_CTX_set_session_id_context", unsafe {
            ssl::SSL_CTX_set_session_id_context(self.raw, name.as_ptr(), name.len() as _)
        })?)
    }

    fn keep_sessions(&self, setup: &EndpointConfig) {
        self.cache_mode(ssl::SSL_SESS_CACHE_SERVER);
        // SAFETY: the context is ours.
        unsafe { interface::set_cache_size(self.raw, setup.cached_sessions()) };
    }

    fn cache_mode(&self, mode: c_int) {
        // SAFETY: the context is ours.
        unsafe { interface::set_cache_mode(self.raw, mode) };
    }

    fn no_tickets(&self) {
        // SAFETY: the context is ours.
        unsafe { interface::no_tickets(self.raw) };
    }

    /// Makes a client verify the server as the scenario says.
    fn verify(&self, setup: &EndpointConfig) -> Result<(), DriverError> {
        setup.pki.trusted().try_for_each(|roots| self.trust(&roots))?;
        // SAFETY: the context is ours.
        unsafe { ssl::SSL_CTX_set_verify(self.raw, ssl::SSL_VERIFY_PEER, None) };
        let Verification { crl, ocsp, .. } = setup.scenario.verification;
        if crl {
            // A file with revocation lists is read like one with roots.
            setup.pki.revocation_lists().iter().try_for_each(|list| self.trust(list))?;
            let flags = ssl::X509_V_FLAG_CRL_CHECK | ssl::X509_V_FLAG_CRL_CHECK_ALL;
            // SAFETY: the context is ours, and so are its parameters.
            check("X509_VERIFY_PARAM_set_flags", unsafe {
                ssl::X509_VERIFY_PARAM_set_flags(ssl::SSL_CTX_get0_param(self.raw), flags)
            })?;
        }
        if ocsp {
            // SAFETY: the context is ours.
            unsafe { interface::ask_for_staple(self.raw)? };
        }
        Ok(())
    }

    fn trust(&self, roots: &Path) -> Result<(), DriverError> {
        let file = c_path(roots)?;
        // SAFETY: the context is ours, the name is a C string.
        check(&format!("{}", roots.display()), unsafe {
            ssl::SSL_CTX_load_verify_locations(self.raw, file.as_ptr(), ptr::null())
        })
    }

    fn identity(&self, chain: &Path, key: &Path) -> Result<(), DriverError> {
        let (chain_file, key_file) = (c_path(chain)?, c_path(key)?);
        // SAFETY: the context is ours, the names are C strings.
        unsafe {
            check(
                &format!("{}", chain.display()),
                ssl::SSL_CTX_use_certificate_chain_file(self.raw, chain_file.as_ptr()),
            )?;
            check(
                &format!("{}", key.display()),
                ssl::SSL_CTX_use_PrivateKey_file(
                    self.raw,
                    key_file.as_ptr(),
                    ssl::SSL_FILETYPE_PEM,
                ),
            )
        }
    }
}

/// OpenSSL's name of a group; `None` for the library's default.
const fn group_name(group: Group) -> Option<&'static str> {
    match group {
        Group::Default => None,
        Group::X25519 => Some("X25519"),
        Group::Secp256r1 => Some("P-256"),
        Group::Secp384r1 => Some("P-384"),
        Group::X25519MlKem768 => Some("X25519MLKEM768"),
        Group::Secp256r1MlKem768 => Some("SecP256r1MLKEM768"),
        Group::MlKem768 => Some("MLKEM768"),
    }
}

/// OpenSSL's name of a cipher suite.
const fn cipher_suite_name(
    version: TlsVersion,
    cipher_suite: CipherSuite,
    key: CertificateKey,
) -> &'static str {
    match (version, cipher_suite, key.is_rsa()) {
        (TlsVersion::Tls13, CipherSuite::Aes128Gcm, _) => "TLS_AES_128_GCM_SHA256",
        (TlsVersion::Tls13, CipherSuite::Aes256Gcm, _) => "TLS_AES_256_GCM_SHA384",
        (TlsVersion::Tls13, CipherSuite::Chacha20, _) => "TLS_CHACHA20_POLY1305_SHA256",
        (TlsVersion::Tls12, CipherSuite::Aes128Gcm, true) => "ECDHE-RSA-AES128-GCM-SHA256",
        (TlsVersion::Tls12, CipherSuite::Aes256Gcm, true) => "ECDHE-RSA-AES256-GCM-SHA384",
        (TlsVersion::Tls12, CipherSuite::Chacha20, true) => "ECDHE-RSA-CHACHA20-POLY1305",
        (TlsVersion::Tls12, CipherSuite::Aes128Gcm, false) => "ECDHE-ECDSA-AES128-GCM-SHA256",
        (TlsVersion::Tls12, CipherSuite::Aes256Gcm, false) => "ECDHE-ECDSA-AES256-GCM-SHA384",
        (TlsVersion::Tls12, CipherSuite::Chacha20, false) => "ECDHE-ECDSA-CHACHA20-POLY1305",
    }
}
