use rustls::Connection as Tls;

fn probe(connection: &Tls<ServerSide, Tcp>) -> bool {
    let _ = connection.negotiated_key_exchange_group().unwrap().name();
    connection.handshake_kind() == Some(HandshakeKind::Resumed)
}
