fn probe(provider: &mut CryptoProvider) {
    let mut suites = provider.tls12_cipher_suites.to_vec();
    suites.retain(|suite| Some(suite.common.suite).is_some());
    provider.tls12_cipher_suites = suites.into();
    provider.tls13_cipher_suites = Vec::new().into();
}
