type Builder = ConfigBuilder<ServerConfig, WantsServerCert>;

fn probe(builder: Builder, chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) {
    let _ = builder.with_single_cert(chain.into(), key);
}
