// An inherent method wins over one of a trait: this is called only where rustls has none.
struct Untold;

trait Fallback {
    fn negotiated_key_exchange_group(&self) -> Untold {
        Untold
    }
}
impl Fallback for CommonState {}

fn probe(connection: &ServerConnection) -> (Untold, bool) {
    let resumed = connection.handshake_kind() == Some(HandshakeKind::Resumed);
    (connection.negotiated_key_exchange_group(), resumed)
}
