fn probe(provider: Arc<CryptoProvider>) {
    let _ = ServerConfig::builder_with_provider(provider).with_no_client_auth();
}
