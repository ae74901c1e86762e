fn probe(chain: Vec<CertificateDer<'static>>) {
    let _ = rustls::crypto::Identity::from_cert_chain(chain);
}
