fn probe(roots: Arc<RootCertStore>, provider: &CryptoProvider) {
    let _: WebPkiClientVerifier = WebPkiClientVerifier::builder(roots, provider).build().unwrap();
}
