use rustls::Connection as Tls;

fn probe(connection: &Tls<ServerSide, Tcp>) {
    let peer: &rustls::crypto::Identity = connection.peer_identity().unwrap();
}
