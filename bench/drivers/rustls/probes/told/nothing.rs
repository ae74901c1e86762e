// An inherent method wins over one of a trait: these are called only where rustls has none.
struct Untold;

trait Fallback {
    fn handshake_kind(&self) -> Untold {
        Untold
    }
    fn negotiated_key_exchange_group(&self) -> Untold {
        Untold
    }
}
impl Fallback for CommonState {}

fn probe(connection: &ServerConnection) -> [Untold; 2] {
    [connection.handshake_kind(), connection.negotiated_key_exchange_group()]
}
