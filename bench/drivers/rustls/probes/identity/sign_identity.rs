fn probe(chain: Vec<CertificateDer<'static>>) {
    let _ = rustls::sign::Identity::from_cert_chain(chain);
}
