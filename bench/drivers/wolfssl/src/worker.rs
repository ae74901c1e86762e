//! The connections of one thread, and the session that its clients resume.

use crate::{
    context::Context,
    ffi::{self, check},
    session::{Role, Session},
    settings::Keeps,
};
use shakedown_driver::{DriverError, EndpointConfig, Endpoints, SERVER_NAME, SessionStore, Worker};
use shakedown_protocol::DriverRefusal;
use std::{ffi::CString, ptr, sync::Arc};

/// Both ends, configured; threads share it.
pub struct Configs {
    client: Arc<Context>,
    server: Arc<Context>,
    parts: Arc<Parts>,
}

/// What contexts are made of.
struct Parts {
    setup: EndpointConfig,
    keeps: Keeps,
    store: Arc<SessionStore>,
}

impl Configs {
    /// Loads keys and certificates.
    ///
    /// # Errors
    /// What this version can't do, or what it refuses.
    pub fn new(setup: &EndpointConfig) -> Result<Self, DriverRefusal> {
        // SAFETY: may be called at any time.
        check("wolfSSL_Init", unsafe { ffi::wolfSSL_Init() })?;
        let keeps = Keeps::new(&setup.scenario, setup.tickets)?;
        let store = Arc::new(SessionStore::new(setup.cached_sessions()));
        Ok(Self {
            client: Arc::new(Context::client(setup, keeps)?),
            server: Arc::new(Context::server(setup, keeps, &store)?),
            parts: Arc::new(Parts { setup: setup.clone(), keeps, store }),
        })
    }
}

impl Endpoints for Configs {
    type Worker = WolfSslWorker;

    fn worker(&self) -> Result<WolfSslWorker, DriverError> {
        Ok(WolfSslWorker {
            client: Arc::clone(&self.client),
            server: Arc::clone(&self.server),
            parts: Arc::clone(&self.parts),
            newest: Newest(ptr::null_mut()),
            name: CString::new(SERVER_NAME)?,
        })
    }
}

/// One thread's state.
pub struct WolfSslWorker {
    client: Arc<Context>,
    server: Arc<Context>,
    parts: Arc<Parts>,
    newest: Newest,
    name: CString,
}

/// The newest session of this thread's clients, or null.
struct Newest(*mut ffi::WOLFSSL_SESSION);

// SAFETY: nothing in a session belongs to a thread; it is used by one at a time.
unsafe impl Send for Newest {}

impl Drop for Newest {
    fn drop(&mut self) {
        // SAFETY: the reference is ours; null is nothing to free.
        unsafe { ffi::wolfSSL_SESSION_free(self.0) };
    }
}

impl Worker for WolfSslWorker {
    type Client = Session;
    type Server = Session;

    #[inline]
    fn new_client(&mut self) -> Result<Session, DriverError> {
        let mut client = Session::new(&self.client, Role::Client)?;
        client.expect(&self.name)?;
        if !self.newest.0.is_null() {
            // SAFETY: both are alive; the connection copies the session.
            let set = unsafe { ffi::wolfSSL_set_session(client.as_ptr(), self.newest.0) };
            check("wolfSSL_set_session", set)?;
        }
        Ok(client)
    }

    #[inline]
    fn new_server(&mut self) -> Result<Session, DriverError> {
        Session::new(&self.server, Role::Server)
    }

    #[inline]
    fn renew_client(&mut self) -> Result<(), DriverRefusal> {
        self.client = Arc::new(Context::client(&self.parts.setup, self.parts.keeps)?);
        Ok(())
    }

    #[inline]
    fn renew_server(&mut self) -> Result<(), DriverRefusal> {
        let Parts { setup, keeps, store } = &*self.parts;
        self.server = Arc::new(Context::server(setup, *keeps, store)?);
        Ok(())
    }

    fn after_handshake(
        &mut self,
        client: &mut Session,
        _: &mut Session,
    ) -> Result<(), DriverError> {
        if self.parts.setup.scenario.resumes() {
            // SAFETY: the connection is alive.
            self.newest = Newest(unsafe { ffi::wolfSSL_get1_session(client.as_ptr()) });
        }
        Ok(())
    }
}
