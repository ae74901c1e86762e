//! The connections of one thread, and the session that its clients resume.

use crate::{
    config::{Keeps, Shared},
    ffi::{self, check},
    session::Session,
};
use shakedown_driver::{DriverError, Worker};
use std::{ptr, sync::Arc};

/// One thread's state.
pub struct GnuTlsWorker {
    shared: Arc<Shared>,
    /// The newest session of this thread's clients, as the library writes it down.
    newest: ffi::gnutls_datum_t,
}

// SAFETY: nothing in a worker belongs to a thread; it is used by one at a time.
unsafe impl Send for GnuTlsWorker {}

impl Drop for GnuTlsWorker {
    fn drop(&mut self) {
        self.forget();
    }
}

impl GnuTlsWorker {
    /// Without a session to resume.
    pub fn new(shared: &Arc<Shared>) -> Self {
        let newest = ffi::gnutls_datum_t { data: ptr::null_mut(), size: 0 };
        Self { shared: Arc::clone(shared), newest }
    }

    fn forget(&mut self) {
        // SAFETY: the library's allocator made it, or it is null.
        unsafe {
            if let Some(free) = ffi::gnutls_free {
                free(self.newest.data.cast());
            }
        }
        self.newest = ffi::gnutls_datum_t { data: ptr::null_mut(), size: 0 };
    }
}

impl Worker for GnuTlsWorker {
    type Client = Session;
    type Server = Session;

    #[inline]
    fn new_client(&mut self) -> Result<Session, DriverError> {
        let client = self.shared.new_client()?;
        if !self.newest.data.is_null() {
            let (data, size) = (self.newest.data, self.newest.size as usize);
            // SAFETY: the session is alive and copies the data.
            check("gnutls_session_set_data", unsafe {
                ffi::gnutls_session_set_data(client.as_ptr(), data.cast(), size)
            })?;
        }
        Ok(client)
    }

    #[inline]
    fn new_server(&mut self) -> Result<Session, DriverError> {
        self.shared.new_server()
    }

    fn after_handshake(
        &mut self,
        client: &mut Session,
        _: &mut Session,
    ) -> Result<(), DriverError> {
        if self.shared.scenario.resumes() && self.shared.keeps != Keeps::Nothing {
            self.forget();
            // SAFETY: the session is alive; the library writes the datum.
            check("gnutls_session_get_data2", unsafe {
                ffi::gnutls_session_get_data2(client.as_ptr(), &mut self.newest)
            })?;
        }
        Ok(())
    }
}
