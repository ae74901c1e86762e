//! The connections of one thread.

use crate::{client::ClientEnd, server::ServerEnd, settings::Shared};
use rand::{SeedableRng, rngs::StdRng};
use shakedown_driver::{DriverError, Worker};
use std::sync::Arc;

/// One thread's state.
pub struct BertieWorker {
    shared: Arc<Shared>,
    random: StdRng,
}

impl BertieWorker {
    /// A thread's, with randomness of its own.
    pub fn new(shared: &Arc<Shared>) -> Self {
        let random = shared.seed.map_or_else(StdRng::from_entropy, StdRng::seed_from_u64);
        Self { shared: Arc::clone(shared), random }
    }
}

impl Worker for BertieWorker {
    type Client = ClientEnd;
    type Server = ServerEnd;

    #[inline]
    fn new_client(&mut self) -> Result<ClientEnd, DriverError> {
        ClientEnd::new(&self.shared, &mut self.random)
    }

    #[inline]
    fn new_server(&mut self) -> Result<ServerEnd, DriverError> {
        Ok(ServerEnd::new(&self.shared, StdRng::from_rng(&mut self.random)?))
    }

    fn after_handshake(&mut self, _: &mut ClientEnd, _: &mut ServerEnd) -> Result<(), DriverError> {
        Ok(())
    }
}
