fn probe(chain: Vec<CertificateDer<'static>>) {
    let _ = rustls::sign::PeerIdentity::from_cert_chain(chain);
}
