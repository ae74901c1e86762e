fn probe() -> CryptoProvider {
    chosen::DEFAULT_PROVIDER
}
