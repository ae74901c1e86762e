fn shared<T: ?Sized>(_: Arc<T>) {}

fn probe(roots: Arc<RootCertStore>, provider: &CryptoProvider) {
    shared(WebPkiClientVerifier::builder(roots, provider).build().unwrap());
}
