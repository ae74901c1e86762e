//! Early data of one connection, whatever the interface.

use shakedown_driver::ReceivedEarlyData;

/// What an end has done with early data.
pub enum EarlyData {
    /// A client's, not yet sent.
    ToSend,
    /// A client's, sent.
    Sent,
    /// A server's.
    Received(Box<Received>),
}

/// What a server has received so far.
#[derive(Default)]
pub struct Received {
    /// The bytes.
    pub data: ReceivedEarlyData,
    /// Whether no more comes, or the library is not asked for more.
    pub over: bool,
}

impl EarlyData {
    /// A server's.
    pub fn to_receive() -> Self {
        Self::Received(Box::default())
    }
}
