fn probe(provider: &mut CryptoProvider) {
    let mut suites = provider.cipher_suites.to_vec();
    suites.retain(|suite| matches!(suite, SupportedCipherSuite::Tls13(_)));
    provider.cipher_suites = suites.into();
}
