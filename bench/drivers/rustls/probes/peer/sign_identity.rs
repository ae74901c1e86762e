fn probe(connection: &ServerConnection) {
    let peer: &rustls::sign::Identity = connection.peer_identity().unwrap();
}
