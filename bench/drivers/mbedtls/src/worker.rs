//! Configurations shared between threads, and what one thread makes of them.

use crate::{
    config::{self, Config},
    ffi::{self, check},
    parts::{Random, Resumable},
    session::Session,
};
use shakedown_driver::{DriverError, EndpointConfig, Endpoints, SERVER_NAME, Worker};
use shakedown_protocol::DriverRefusal;
use std::{ffi::CString, sync::Arc};

/// Both ends, configured.
pub struct Configs {
    client: Arc<Config>,
    server: Arc<Config>,
    parts: Arc<Parts>,
}

/// What configurations are made of.
struct Parts {
    setup: EndpointConfig,
    random: Arc<Random>,
}

impl Configs {
    /// Loads keys and certificates.
    ///
    /// # Errors
    /// What the library can't do, or what it refuses.
    pub fn new(setup: &EndpointConfig) -> Result<Self, DriverRefusal> {
        config::offers(&setup.scenario)?;
        // SAFETY: may be called at any time.
        check("psa_crypto_init", unsafe { ffi::psa_crypto_init() })?;
        let random = Arc::new(Random::new()?);
        Ok(Self {
            client: Arc::new(Config::client(setup, &random)?),
            server: Arc::new(Config::server(setup, &random)?),
            parts: Arc::new(Parts { setup: setup.clone(), random }),
        })
    }
}

impl Endpoints for Configs {
    type Worker = MbedTlsWorker;

    fn worker(&self) -> Result<MbedTlsWorker, DriverError> {
        Ok(MbedTlsWorker {
            client: Arc::clone(&self.client),
            server: Arc::clone(&self.server),
            parts: Arc::clone(&self.parts),
            newest: None,
            name: CString::new(SERVER_NAME)?,
        })
    }
}

/// One thread's state. Sessions are its own; a client's configuration has none.
pub struct MbedTlsWorker {
    client: Arc<Config>,
    server: Arc<Config>,
    parts: Arc<Parts>,
    /// The newest session of this thread's clients.
    newest: Option<Resumable>,
    name: CString,
}

impl Worker for MbedTlsWorker {
    type Client = Session;
    type Server = Session;

    #[inline]
    fn new_client(&mut self) -> Result<Session, DriverError> {
        let mut client = Session::new(&self.client)?;
        client.expect(&self.name)?;
        if let Some(newest) = &self.newest {
            client.offer(newest)?;
        }
        Ok(client)
    }

    #[inline]
    fn new_server(&mut self) -> Result<Session, DriverError> {
        Session::new(&self.server)
    }

    #[inline]
    fn renew_client(&mut self) -> Result<(), DriverRefusal> {
        self.client = Arc::new(Config::client(&self.parts.setup, &self.parts.random)?);
        Ok(())
    }

    #[inline]
    fn renew_server(&mut self) -> Result<(), DriverRefusal> {
        self.server = Arc::new(Config::server(&self.parts.setup, &self.parts.random)?);
        Ok(())
    }

    fn after_handshake(
        &mut self,
        client: &mut Session,
        _: &mut Session,
    ) -> Result<(), DriverError> {
        if self.parts.setup.scenario.resumes() {
            self.newest = Some(client.resumable()?);
        }
        Ok(())
    }
}
