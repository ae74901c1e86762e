fn probe(connection: &ServerConnection) -> bool {
    let leaf: Option<&CertificateDer<'_>> =
        connection.peer_certificates().and_then(|chain| chain.first());
    leaf.is_some()
}
