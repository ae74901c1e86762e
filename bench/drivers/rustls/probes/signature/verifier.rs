fn probe(verifier: &dyn ServerVerifier, identity: &ServerIdentity<'_>, hasher: &mut dyn Hasher) {
    let _: Result<PeerVerified, _> = verifier.verify_identity(identity);
    let _ = |input: &SignatureVerificationInput<'_>| input.signature.scheme;
    verifier.hash_config(hasher);
    let _ = WebPkiSupportedAlgorithms::new(&[], &[]);
}
