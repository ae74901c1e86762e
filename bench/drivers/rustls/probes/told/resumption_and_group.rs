fn probe(connection: &ServerConnection) -> bool {
    let _ = connection.negotiated_key_exchange_group().unwrap().name();
    connection.handshake_kind() == Some(HandshakeKind::Resumed)
}
