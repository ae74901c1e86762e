fn probe(provider: &CryptoProvider) {
    let _ = provider.ticketer_factory.ticketer();
}
