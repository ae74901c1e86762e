fn probe(connection: &ServerConnection) {
    let peer: &rustls::sign::PeerIdentity = connection.peer_identity().unwrap();
}
