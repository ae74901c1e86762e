fn probe(provider: &CryptoProvider, der: PrivateKeyDer<'static>) {
    let _ = provider.key_provider.load_private_key(der).unwrap().public_key();
}
