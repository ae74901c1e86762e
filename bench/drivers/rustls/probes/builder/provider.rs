fn probe(provider: Arc<CryptoProvider>) {
    let _ = ServerConfig::builder(provider).with_no_client_auth();
}
