//! Configurations shared between threads, and what one thread makes of them.

use crate::{
    config::Config,
    error::{check, failure},
    policy::{self, Policies},
    session::Session,
};
use s2n_tls_sys as s2n;
use shakedown_driver::{DriverError, EndpointConfig, Endpoints, SERVER_NAME, SessionStore, Worker};
use shakedown_protocol::{DriverRefusal, TlsVersion};
use std::{
    ffi::{CString, c_int, c_void},
    ptr,
    sync::Arc,
};

/// Both ends, configured.
pub struct Configs {
    setup: EndpointConfig,
    policies: Policies,
    shared: Arc<Shared>,
}

/// The server, which threads share.
struct Shared {
    server: Config,
    /// Outlives the server, which refers to it.
    _store: Box<SessionStore>,
}

impl Shared {
    fn new(setup: &EndpointConfig, policies: &Policies) -> Result<Self, DriverRefusal> {
        let store = Box::new(SessionStore::new(setup.cached_sessions()));
        Ok(Self { server: Config::server(setup, policies, &*store)?, _store: store })
    }
}

impl Configs {
    /// Loads keys and certificates.
    ///
    /// # Errors
    /// What no policy leads to, or what the library refuses.
    pub fn new(setup: &EndpointConfig) -> Result<Self, DriverRefusal> {
        // SAFETY: before any other call; the heap is then that of malloc, and stays in memory.
        unsafe {
            s2n::s2n_disable_atexit();
            let mlock = CString::new("1").map_err(DriverError::from)?;
            libc::setenv(c"S2N_DONT_MLOCK".as_ptr(), mlock.as_ptr(), 1);
            check("s2n_init", s2n::s2n_init())?;
        }
        let policies = policy::of(&setup.scenario)?;
        let shared = Arc::new(Shared::new(setup, &policies)?);
        Config::client(setup, &policies, None, ptr::null_mut())?;
        Ok(Self { setup: setup.clone(), policies, shared })
    }
}

impl Endpoints for Configs {
    type Worker = S2nWorker;

    fn worker(&self) -> Result<S2nWorker, DriverError> {
        let newest = Box::into_raw(Box::<Vec<u8>>::default());
        let client = Config::client(&self.setup, &self.policies, Some(keep), newest.cast())?;
        Ok(S2nWorker {
            client,
            shared: Arc::clone(&self.shared),
            newest,
            setup: self.setup.clone(),
            policies: self.policies,
            name: CString::new(SERVER_NAME)?,
        })
    }
}

/// One thread's configuration and sessions.
pub struct S2nWorker {
    client: Config,
    shared: Arc<Shared>,
    /// The newest session of this thread's clients, in a buffer that the client's configuration
    /// knows.
    newest: *mut Vec<u8>,
    setup: EndpointConfig,
    policies: Policies,
    name: CString,
}

// SAFETY: nothing in a worker belongs to a thread; it is used by one at a time.
unsafe impl Send for S2nWorker {}

impl Drop for S2nWorker {
    fn drop(&mut self) {
        // SAFETY: ours. Connections are gone before their worker, and nothing else writes to it.
        drop(unsafe { Box::from_raw(self.newest) });
    }
}

/// Called by the library for each ticket; keeps it in place of the one before.
unsafe extern "C" fn keep(
    _: *mut s2n::s2n_connection,
    newest: *mut c_void,
    ticket: *mut s2n::s2n_session_ticket,
) -> c_int {
    // SAFETY: called by the library as it was told to; the buffer is as long as we say.
    unsafe {
        let newest = &mut *newest.cast::<Vec<u8>>();
        let mut length = 0;
        if s2n::s2n_session_ticket_get_data_len(ticket, &mut length) < 0 {
            return -1;
        }
        newest.resize(length, 0);
        s2n::s2n_session_ticket_get_data(ticket, length, newest.as_mut_ptr())
    }
}

impl Worker for S2nWorker {
    type Client = Session;
    type Server = Session;

    #[inline]
    fn new_client(&mut self) -> Result<Session, DriverError> {
        let client = Session::new(s2n::s2n_mode::CLIENT, &self.client)?;
        client.expect(&self.name)?;
        // SAFETY: nothing writes to it now.
        let newest = unsafe { &*self.newest };
        if !newest.is_empty() {
            // SAFETY: the connection is alive and copies the session.
            check("s2n_connection_set_session", unsafe {
                s2n::s2n_connection_set_session(client.as_ptr(), newest.as_ptr(), newest.len())
            })?;
        }
        Ok(client)
    }

    #[inline]
    fn new_server(&mut self) -> Result<Session, DriverError> {
        Session::new(s2n::s2n_mode::SERVER, &self.shared.server)
    }

    #[inline]
    fn renew_client(&mut self) -> Result<(), DriverRefusal> {
        self.client = Config::client(&self.setup, &self.policies, Some(keep), self.newest.cast())?;
        Ok(())
    }

    #[inline]
    fn renew_server(&mut self) -> Result<(), DriverRefusal> {
        self.shared = Arc::new(Shared::new(&self.setup, &self.policies)?);
        Ok(())
    }

    fn after_handshake(
        &mut self,
        client: &mut Session,
        _: &mut Session,
    ) -> Result<(), DriverError> {
        // In TLS 1.3 the callback keeps them.
        if self.setup.scenario.resumes() && self.setup.scenario.version == TlsVersion::Tls12 {
            // SAFETY: the connection is alive; the buffer is as long as we say.
            unsafe {
                let newest = &mut *self.newest;
                let length = s2n::s2n_connection_get_session_length(client.as_ptr());
                newest.resize(usize::try_from(length).unwrap_or_default(), 0);
                let room = newest.len();
                let into = newest.as_mut_ptr();
                if s2n::s2n_connection_get_session(client.as_ptr(), into, room) < 0 {
                    return Err(failure("s2n_connection_get_session"));
                }
            }
        }
        Ok(())
    }
}
