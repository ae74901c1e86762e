use rustls::Connection as Tls;

fn probe(server: Arc<ServerConfig>) -> Option<Tls<ClientSide, Tcp>> {
    let _ = Tls::<ServerSide, Tcp>::new(server);
    None
}
