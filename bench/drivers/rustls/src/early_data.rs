//! Application data beside the client's hello.

use crate::connection::{Client, Server};
use shakedown_driver::{DriverError, EARLY_DATA, ReceivedEarlyData};
use shakedown_protocol::{DriverRefusal, TlsScenario};

/// Whether the driver can send early data.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] if it can't with the API of this revision.
pub fn offers(scenario: &TlsScenario) -> Result<(), DriverRefusal> {
    if scenario.sends_early_data() && cfg!(early_data = "unknown") {
        let text = "the driver knows no way to send early data in this revision";
        return Err(DriverRefusal::Unsupported(text.to_owned()));
    }
    Ok(())
}

/// What an end has done with early data.
pub enum EarlyData {
    /// A client's, sent.
    Sent,
    /// A server's.
    Received(Box<ReceivedEarlyData>),
}

/// Sends early data if there is a session that permits it. `hello` is the first flight where the library
/// hands it out.
///
/// # Errors
/// What rustls says, or that it did not take everything.
#[allow(unused_variables, clippy::ptr_arg, reason = "not every revision needs the flight")]
pub fn send(client: &mut Client, hello: &mut Vec<u8>) -> Result<Option<EarlyData>, DriverError> {
    #[cfg(early_data = "unknown")]
    let sent: Option<usize> = None;
    #[cfg(early_data = "stream")]
    let sent = match client.early_data() {
        Some(mut early) => Some(std::io::Write::write(&mut early, &EARLY_DATA)?),
        None => None,
    };
    #[cfg(early_data = "append")]
    let sent = client.early_data().map(|mut early| early.write_tls(EARLY_DATA[..].into(), hello));
    match sent {
        None => Ok(None),
        Some(sent) if sent == EARLY_DATA.len() => Ok(Some(EarlyData::Sent)),
        Some(sent) => Err(DriverError(format!("only {sent} bytes of early data were taken"))),
    }
}

/// The part of an end in early data.
pub trait EndOfEarlyData {
    /// Reads what has arrived of early data.
    ///
    /// # Errors
    /// What rustls says.
    fn receive_early(&mut self, received: &mut ReceivedEarlyData) -> Result<(), DriverError>;

    /// Whether the server accepted what this end has sent.
    fn is_early_accepted(&self) -> bool;
}

impl EndOfEarlyData for Client {
    fn receive_early(&mut self, _: &mut ReceivedEarlyData) -> Result<(), DriverError> {
        Ok(())
    }

    fn is_early_accepted(&self) -> bool {
        #[cfg(early_data = "unknown")]
        return false;
        #[cfg(not(early_data = "unknown"))]
        self.is_early_data_accepted()
    }
}

impl EndOfEarlyData for Server {
    #[allow(unused_variables, reason = "some revisions offer nothing")]
    fn receive_early(&mut self, received: &mut ReceivedEarlyData) -> Result<(), DriverError> {
        #[cfg(not(early_data = "unknown"))]
        if let Some(mut early) = self.early_data() {
            loop {
                let read = std::io::Read::read(&mut early, received.room())?;
                if read == 0 {
                    break;
                }
                received.took(read);
            }
        }
        Ok(())
    }

    fn is_early_accepted(&self) -> bool {
        false
    }
}
