//! A configuration of either end, as a scenario wants it.

use crate::{
    ffi::{self, check, made},
    parts::{Cache, Certificates, Key, Random, TicketKeys},
};
use shakedown_driver::{DriverError, EndpointConfig, groups, iana};
use shakedown_protocol::{
    CertificateKey, CipherSuite, DriverRefusal, Resumption, ScenarioKind, TlsScenario, TlsVersion,
};
use std::{ffi::c_int, path::Path, ptr, sync::Arc};

/// A configuration and what it refers to, which never moves.
pub struct Config {
    raw: Box<ffi::mbedtls_ssl_config>,
    roots: Option<Certificates>,
    own: Option<(Certificates, Key)>,
    tickets: TicketKeys,
    cache: Cache,
    random: Arc<Random>,
    /// Ended by zeros.
    _suites: Box<[c_int]>,
    _groups: Box<[u16]>,
}

// SAFETY: shared between threads once it is set up; what changes has a lock of its own.
unsafe impl Send for Config {}
// SAFETY: as above.
unsafe impl Sync for Config {}

impl Drop for Config {
    fn drop(&mut self) {
        // SAFETY: it was initialised; what it refers to is dropped after it.
        unsafe { ffi::mbedtls_ssl_config_free(&mut *self.raw) };
    }
}

/// What Mbed TLS can't do of a scenario.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] with the reason.
pub fn offers(scenario: &TlsScenario) -> Result<(), DriverRefusal> {
    let by_id = scenario.kind == ScenarioKind::Handshake(Resumption::SessionId);
    let text = match scenario {
        TlsScenario { group, .. } if group.is_post_quantum() => "Mbed TLS has no ML-KEM",
        TlsScenario { key: CertificateKey::Ed25519, .. } => "Mbed TLS has no Ed25519",
        TlsScenario { version: TlsVersion::Tls13, .. } if by_id => {
            "Mbed TLS's servers keep no TLS 1.3 sessions: they send tickets only"
        }
        TlsScenario { version: TlsVersion::Tls13, client_auth: true, .. } if scenario.resumes() => {
            "Mbed TLS's servers do not know the client's certificate after a TLS 1.3 resumption"
        }
        _ => return Ok(()),
    };
    Err(DriverRefusal::Unsupported(text.to_owned()))
}

impl Config {
    /// The library's pointer, valid for as long as `self`.
    pub fn as_ptr(&self) -> *const ffi::mbedtls_ssl_config {
        &*self.raw
    }

    /// A server's.
    ///
    /// # Errors
    /// What the library says.
    pub fn server(setup: &EndpointConfig, random: &Arc<Random>) -> Result<Self, DriverError> {
        let mut config = Self::new(setup, random, ffi::MBEDTLS_SSL_IS_SERVER)?;
        config.identity(&setup.pki.server_chain(), &setup.pki.server_key())?;
        config.verify(setup.scenario.client_auth.then(|| setup.pki.root()).as_deref())?;
        let raw = &raw mut *config.raw;
        let (keys, cache) = (config.tickets.as_ptr(), config.cache.as_ptr());
        // SAFETY: everything that the configuration refers to lives as long.
        unsafe {
            match (setup.scenario.kind, setup.scenario.version) {
                (ScenarioKind::Handshake(Resumption::SessionId), _) => {
                    let capacity = setup.cached_sessions() as c_int;
                    ffi::mbedtls_ssl_cache_set_max_entries(cache, capacity);
                    let (get, set) = (ffi::mbedtls_ssl_cache_get, ffi::mbedtls_ssl_cache_set);
                    ffi::mbedtls_ssl_conf_session_cache(
                        raw,
                        cache.cast(),
                        Some(get as _),
                        Some(set as _),
                    );
                }
                (ScenarioKind::Handshake(Resumption::Ticket), _) | (_, TlsVersion::Tls13) => {
                    let draw = Some(ffi::mbedtls_ctr_drbg_random as _);
                    let cipher = ffi::MBEDTLS_CIPHER_AES_256_GCM;
                    let made =
                        ffi::mbedtls_ssl_ticket_setup(keys, draw, random.context(), cipher, DAY);
                    check("mbedtls_ssl_ticket_setup", made)?;
                    let (write, parse) =
                        (ffi::mbedtls_ssl_ticket_write, ffi::mbedtls_ssl_ticket_parse);
                    let keys = keys.cast();
                    ffi::mbedtls_ssl_conf_session_tickets_cb(
                        raw,
                        Some(write as _),
                        Some(parse as _),
                        keys,
                    );
                    ffi::mbedtls_ssl_conf_new_session_tickets(raw, setup.tickets.into());
                }
                _ => {}
            }
        }
        Ok(config)
    }

    /// A client's, which verifies the server's whole chain; the name is set on each connection.
    ///
    /// # Errors
    /// What the library says.
    pub fn client(setup: &EndpointConfig, random: &Arc<Random>) -> Result<Self, DriverError> {
        let mut config = Self::new(setup, random, ffi::MBEDTLS_SSL_IS_CLIENT)?;
        config.verify(Some(&setup.pki.root()))?;
        if setup.scenario.client_auth {
            config.identity(&setup.pki.client_chain(), &setup.pki.client_key())?;
        }
        let asks = setup.scenario.kind == ScenarioKind::Handshake(Resumption::Ticket);
        let takes = asks || setup.scenario.version == TlsVersion::Tls13;
        // SAFETY: the configuration is ours.
        unsafe {
            ffi::mbedtls_ssl_conf_session_tickets(&mut *config.raw, takes.into());
            // Otherwise the library reads tickets and drops them.
            let signal = c_int::from(setup.scenario.resumes());
            ffi::mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(&mut *config.raw, signal);
        }
        Ok(config)
    }

    fn new(setup: &EndpointConfig, random: &Arc<Random>, end: u32) -> Result<Self, DriverError> {
        let scenario = &setup.scenario;
        let version = match scenario.version {
            TlsVersion::Tls12 => ffi::MBEDTLS_SSL_VERSION_TLS1_2,
            TlsVersion::Tls13 => ffi::MBEDTLS_SSL_VERSION_TLS1_3,
        };
        let suites = Box::new([suite(scenario), 0]);
        let groups = groups(scenario).into_iter().filter_map(iana::group_number);
        let groups: Box<[u16]> = groups.chain([0]).collect();
        let mut raw = made(ffi::mbedtls_ssl_config_init);
        // SAFETY: a new configuration; the lists live as long.
        unsafe {
            let stream = ffi::MBEDTLS_SSL_TRANSPORT_STREAM as c_int;
            let preset = ffi::MBEDTLS_SSL_PRESET_DEFAULT as c_int;
            let set = ffi::mbedtls_ssl_config_defaults(&mut *raw, end as c_int, stream, preset);
            check("mbedtls_ssl_config_defaults", set)?;
            // What the header's inline functions do.
            raw.private_min_tls_version = version;
            raw.private_max_tls_version = version;
            ffi::mbedtls_ssl_conf_ciphersuites(&mut *raw, suites.as_ptr());
            if groups.len() > 1 {
                ffi::mbedtls_ssl_conf_groups(&mut *raw, groups.as_ptr());
            }
            let draw = Some(ffi::mbedtls_ctr_drbg_random as _);
            ffi::mbedtls_ssl_conf_rng(&mut *raw, draw, random.context());
        }
        Ok(Self {
            raw,
            roots: None,
            own: None,
            tickets: TicketKeys::new(),
            cache: Cache::new(),
            random: Arc::clone(random),
            _suites: suites,
            _groups: groups,
        })
    }

    fn verify(&mut self, roots: Option<&Path>) -> Result<(), DriverError> {
        let mode = match roots {
            Some(path) => {
                self.roots = Some(Certificates::read(path)?);
                ffi::MBEDTLS_SSL_VERIFY_REQUIRED
            }
            None => ffi::MBEDTLS_SSL_VERIFY_NONE,
        };
        let roots = self.roots.as_ref().map_or(ptr::null_mut(), Certificates::as_ptr);
        // SAFETY: the roots live as long as the configuration.
        unsafe {
            ffi::mbedtls_ssl_conf_authmode(&mut *self.raw, mode as c_int);
            ffi::mbedtls_ssl_conf_ca_chain(&mut *self.raw, roots, ptr::null_mut());
        }
        Ok(())
    }

    fn identity(&mut self, chain: &Path, key: &Path) -> Result<(), DriverError> {
        let own = (Certificates::read(chain)?, Key::read(key, &self.random)?);
        // SAFETY: chain and key live as long as the configuration.
        check("mbedtls_ssl_conf_own_cert", unsafe {
            ffi::mbedtls_ssl_conf_own_cert(&mut *self.raw, own.0.as_ptr(), own.1.as_ptr())
        })?;
        self.own = Some(own);
        Ok(())
    }
}

/// How long tickets are good for, in seconds.
const DAY: u32 = 86_400;

/// The number of the scenario's cipher suite in the TLS registry.
fn suite(scenario: &TlsScenario) -> c_int {
    let rsa = scenario.key.is_rsa();
    match (scenario.version, scenario.cipher_suite, rsa) {
        (TlsVersion::Tls13, CipherSuite::Aes128Gcm, _) => 0x1301,
        (TlsVersion::Tls13, CipherSuite::Aes256Gcm, _) => 0x1302,
        (TlsVersion::Tls13, CipherSuite::Chacha20, _) => 0x1303,
        (TlsVersion::Tls12, CipherSuite::Aes128Gcm, false) => 0xc02b,
        (TlsVersion::Tls12, CipherSuite::Aes256Gcm, false) => 0xc02c,
        (TlsVersion::Tls12, CipherSuite::Chacha20, false) => 0xcca9,
        (TlsVersion::Tls12, CipherSuite::Aes128Gcm, true) => 0xc02f,
        (TlsVersion::Tls12, CipherSuite::Aes256Gcm, true) => 0xc030,
        (TlsVersion::Tls12, CipherSuite::Chacha20, true) => 0xcca8,
    }
}
