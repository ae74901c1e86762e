fn probe(connection: &ServerConnection) {
    let peer: &rustls::PeerIdentity = connection.peer_identity().unwrap();
}
