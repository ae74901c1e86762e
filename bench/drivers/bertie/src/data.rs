//! Application data. Bertie's clients and servers have the same functions for it, and no trait in common.

use crate::record::{self, failure};
use bertie::{
    Client, Server,
    tls13utils::{AppData, Bytes, TLSError},
};
use shakedown_driver::{DriverError, Pipe};

/// A state of bertie's that has keys for application data. Its functions take a state and return the next one.
pub trait DataState: Sized {
    /// Protects data.
    fn write(self, data: AppData) -> Result<(Bytes, Self), TLSError>;

    /// Opens a record; `None` if it carries no application data.
    fn read(self, record: &Bytes) -> Result<(Option<AppData>, Self), TLSError>;
}

impl DataState for Client {
    #[inline]
    fn write(self, data: AppData) -> Result<(Bytes, Self), TLSError> {
        self.write(data)
    }

    #[inline]
    fn read(self, record: &Bytes) -> Result<(Option<AppData>, Self), TLSError> {
        self.read(record)
    }
}

impl DataState for Server {
    #[inline]
    fn write(self, data: AppData) -> Result<(Bytes, Self), TLSError> {
        self.write(data)
    }

    #[inline]
    fn read(self, record: &Bytes) -> Result<(Option<AppData>, Self), TLSError> {
        self.read(record)
    }
}

/// Where an end is: its state, gone after an error, and what has arrived and was not asked for yet.
pub struct EndState<S> {
    state: Option<S>,
    arrived: Pipe,
}

impl<S> EndState<S> {
    /// With a state, if there is one already.
    pub fn new(state: Option<S>) -> Self {
        Self { state, arrived: Pipe::default() }
    }

    /// Goes on from the state.
    ///
    /// # Errors
    /// Those of `step`, and one for an end that has failed before.
    #[inline]
    pub fn advance<T>(
        &mut self,
        step: impl FnOnce(S) -> Result<(T, S), DriverError>,
    ) -> Result<T, DriverError> {
        let failed = || DriverError("the connection has failed before".to_owned());
        let (result, state) = step(self.state.take().ok_or_else(failed)?)?;
        self.state = Some(state);
        Ok(result)
    }

    /// Begins with a state.
    pub fn begin(&mut self, state: S) {
        self.state = Some(state);
    }
}

impl<S: DataState> EndState<S> {
    /// Sends data in as many records as it needs.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        for part in data.chunks(record::LARGEST) {
            let record = self.advance(|state| {
                state.write(AppData::new(part.into())).map_err(failure("write"))
            })?;
            record::put(outgoing, &record);
        }
        Ok(())
    }

    /// Fills `into` from what has arrived before, then from records, until both the pipe and that are empty.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        let mut have = self.arrived.take_into(into);
        while have < into.len() {
            let Some(record) = record::next(incoming) else { break };
            if let Some(data) =
                self.advance(|state| state.read(&record).map_err(failure("read")))?
            {
                self.arrived.put(&data.into_raw().declassify());
                have += self.arrived.take_into(&mut into[have..]);
            }
        }
        Ok(have)
    }
}
