//! Configurations shared between threads, and what one thread makes of them.

use crate::{
    config::{self, Config},
    ffi::{self, check},
    parts::{Random, Resumable},
    session::Session,
};
use shakedown_driver::{Connection, DriverError, EndpointConfig, Endpoints, SERVER_NAME, Worker};
use shakedown_protocol::DriverRefusal;
use std::{ffi::CString, sync::Arc};

/// Both ends, configured.
pub struct Configs {
    client: Arc<Config>,
    server: Arc<Config>,
    resumes: bool,
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
            resumes: setup.scenario.resumes(),
        })
    }
}

impl Endpoints for Configs {
    type Worker = MbedTlsWorker;

    fn worker(&self) -> Result<MbedTlsWorker, DriverError> {
        Ok(MbedTlsWorker {
            client: Arc::clone(&self.client),
            server: Arc::clone(&self.server),
            resumes: self.resumes,
            newest: None,
            name: CString::new(SERVER_NAME)?,
        })
    }
}

/// One thread's state. Sessions are its own; a client's configuration has none.
pub struct MbedTlsWorker {
    client: Arc<Config>,
    server: Arc<Config>,
    resumes: bool,
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

    fn after_handshake(
        &mut self,
        client: &mut Session,
        server: &mut Session,
    ) -> Result<(), DriverError> {
        if client.is_handshaking() || server.is_handshaking() {
            return Err(DriverError("the connection is not finished".to_owned()));
        }
        if self.resumes {
            self.newest = Some(client.resumable()?);
        }
        Ok(())
    }
}
