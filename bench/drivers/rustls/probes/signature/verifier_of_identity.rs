fn probe<'a>(
    verifier: &dyn ServerVerifier,
    identity: &ServerIdentity<'a, '_>,
    hasher: &mut dyn Hasher,
) -> VerifiedIdentity<'a> {
    let _ = |input: &SignatureVerificationInput<'_>| input.signature.scheme;
    verifier.hash_config(hasher);
    verifier.verify_identity(identity).unwrap()
}
