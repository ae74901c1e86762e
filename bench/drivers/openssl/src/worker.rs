//! Contexts shared between threads, and what one thread makes of them.

use crate::{
    bio,
    connection::{Role, Ssl},
    context::Context,
    early_data::EarlyData,
    error::check,
    ffi as ssl, interface, random,
};
use shakedown_driver::{DriverError, EndpointConfig, Endpoints, Worker};
use shakedown_protocol::DriverRefusal;
use std::{
    ffi::c_int,
    mem, ptr,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// Both ends, configured.
pub struct Configs {
    setup: EndpointConfig,
    server: Arc<Context>,
    /// Of the first worker; the others make one each.
    client: Mutex<Option<Context>>,
}

impl Configs {
    /// Loads keys and certificates and makes both contexts.
    ///
    /// # Errors
    /// What this library can't do, or what it refuses.
    pub fn new(setup: &EndpointConfig) -> Result<Self, DriverRefusal> {
        interface::offers(setup)?;
        interface::initialize()?;
        if let Some(seed) = setup.seed {
            random::fix(seed)?;
        }
        let client = Mutex::new(Some(Context::client(setup)?));
        Ok(Self { setup: setup.clone(), server: Arc::new(Context::server(setup)?), client })
    }
}

impl Endpoints for Configs {
    type Worker = OpenSslWorker;

    fn worker(&self) -> Result<OpenSslWorker, DriverError> {
        let made = mem::take(&mut *self.client.lock().unwrap_or_else(PoisonError::into_inner));
        let client = made.map_or_else(|| Context::client(&self.setup), Ok);
        let client = client.map_err(|refusal| match refusal {
            DriverRefusal::Unsupported(text)
            | DriverRefusal::Broken(text)
            | DriverRefusal::Failed(text) => DriverError(text),
        })?;
        let newest = Box::into_raw(Box::new(Newest(ptr::null_mut())));
        if self.setup.scenario.resumes() {
            // SAFETY: both pointers live as long as the worker, which frees the context first.
            unsafe {
                ssl::SSL_CTX_sess_set_new_cb(client.as_ptr(), Some(keep));
                let set = ssl::SSL_CTX_set_ex_data(client.as_ptr(), index(), newest.cast());
                check("SSL_CTX_set_ex_data", set)?;
            }
        }
        let server = Arc::clone(&self.server);
        let (setup, spare) = (self.setup.clone(), Vec::with_capacity(4));
        Ok(OpenSslWorker { client: Some(client), server, setup, newest, spare })
    }
}

/// The newest session of a worker's client.
struct Newest(*mut ssl::SSL_SESSION);

impl Drop for Newest {
    fn drop(&mut self) {
        // SAFETY: we own a reference, or it is null, which is fine too.
        unsafe { ssl::SSL_SESSION_free(self.0) };
    }
}

/// Where the client's context keeps its [`Newest`].
fn index() -> c_int {
    static INDEX: OnceLock<c_int> = OnceLock::new();
    *INDEX.get_or_init(interface::context_index)
}

/// Called by the library for each new session; keeps it in place of the one before.
unsafe extern "C" fn keep(connection: *mut ssl::SSL, session: *mut ssl::SSL_SESSION) -> c_int {
    // SAFETY: the callback is set on contexts of workers only, with this data.
    unsafe {
        let context = ssl::SSL_get_SSL_CTX(connection);
        let newest = ssl::SSL_CTX_get_ex_data(context, index()).cast::<Newest>();
        *newest = Newest(session);
    }
    // The reference is ours now.
    1
}

/// One thread's contexts and sessions.
pub struct OpenSslWorker {
    /// `None` only while the worker is dropped.
    client: Option<Context>,
    server: Arc<Context>,
    setup: EndpointConfig,
    newest: *mut Newest,
    /// BIOs for the next connections, made between the timed parts.
    spare: Vec<*mut ssl::BIO>,
}

// SAFETY: nothing in a worker belongs to a thread; it is used by one at a time.
unsafe impl Send for OpenSslWorker {}

impl Drop for OpenSslWorker {
    fn drop(&mut self) {
        self.client = None;
        // SAFETY: the context that knew the pointer is gone; the BIOs were never given away.
        unsafe {
            drop(Box::from_raw(self.newest));
            self.spare.iter().for_each(|bio| ssl::BIO_free_all(*bio));
        }
    }
}

impl OpenSslWorker {
    #[inline]
    fn bio(&mut self) -> Result<*mut ssl::BIO, DriverError> {
        self.spare.pop().map_or_else(bio::new, Ok)
    }
}

impl Worker for OpenSslWorker {
    type Client = Ssl;
    type Server = Ssl;

    #[inline]
    fn new_client(&mut self) -> Result<Ssl, DriverError> {
        let bio = self.bio()?;
        let context = self.client.as_ref().ok_or_else(|| DriverError("no context".to_owned()))?;
        let client = Ssl::new(context, bio, Role::Client)?;
        // SAFETY: only the callback changes it, and no call into the library is under way.
        let session = unsafe { (*self.newest).0 };
        if !session.is_null() {
            client.offer(session)?;
            if self.setup.scenario.sends_early_data() {
                return Ok(client.with_early_data(EarlyData::ToSend));
            }
        }
        Ok(client)
    }

    #[inline]
    fn new_server(&mut self) -> Result<Ssl, DriverError> {
        let bio = self.bio()?;
        let server = Ssl::new(&self.server, bio, Role::Server)?;
        Ok(if self.setup.scenario.sends_early_data() {
            server.with_early_data(EarlyData::to_receive())
        } else {
            server
        })
    }

    #[inline]
    fn renew_client(&mut self) -> Result<(), DriverRefusal> {
        self.client = Some(Context::client(&self.setup)?);
        Ok(())
    }

    #[inline]
    fn renew_server(&mut self) -> Result<(), DriverRefusal> {
        self.server = Arc::new(Context::server(&self.setup)?);
        Ok(())
    }

    fn after_handshake(&mut self, client: &mut Ssl, server: &mut Ssl) -> Result<(), DriverError> {
        for end in [client, server] {
            end.close_cleanly();
            self.spare.push(bio::new()?);
        }
        Ok(())
    }
}
