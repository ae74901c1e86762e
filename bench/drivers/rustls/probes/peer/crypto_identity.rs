fn probe(connection: &ServerConnection) {
    let peer: &rustls::crypto::Identity = connection.peer_identity().unwrap();
}
