fn probe() -> CryptoProvider {
    chosen::default_provider()
}
