fn probe(provider: Arc<CryptoProvider>) {
    let only = &[&rustls::version::TLS13];
    let _ = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(only)
        .unwrap()
        .with_no_client_auth();
}
