fn shared<T: ?Sized>(_: Arc<T>) {}

fn probe(roots: Arc<RootCertStore>, provider: &CryptoProvider) {
    shared(WebPkiServerVerifier::builder(roots, provider).build().unwrap());
}
