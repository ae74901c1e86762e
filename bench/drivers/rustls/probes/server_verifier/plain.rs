fn probe(roots: Arc<RootCertStore>, provider: &CryptoProvider) {
    let _: WebPkiServerVerifier = WebPkiServerVerifier::builder(roots, provider).build().unwrap();
}
