fn probe(roots: Arc<RootCertStore>, provider: Arc<CryptoProvider>) {
    let _ = WebPkiServerVerifier::builder_with_provider(roots, &provider);
}
