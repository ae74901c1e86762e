fn probe(server: Arc<ServerConfig>) -> Result<(ServerConnection, Option<ClientConnection>), Error> {
    Ok((ServerConnection::new(server)?, None))
}
