fn probe(roots: Arc<RootCertStore>, provider: Arc<CryptoProvider>) {
    let _ = WebPkiClientVerifier::builder_with_provider(roots, provider);
}
