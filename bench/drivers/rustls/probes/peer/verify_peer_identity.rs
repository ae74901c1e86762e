fn probe(connection: &ServerConnection) {
    let peer: &rustls::verify::PeerIdentity = connection.peer_identity().unwrap();
}
