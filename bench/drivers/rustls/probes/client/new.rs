fn probe(config: Arc<ClientConfig>, name: ServerName<'static>) {
    let _ = ClientConnection::new(config, name);
}
