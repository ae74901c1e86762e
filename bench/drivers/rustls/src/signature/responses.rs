//! A wrapper around WebPKI's verifier that leaves a note of the OCSP response, for revisions in which
//! signatures are noted elsewhere.

use super::Note;
use pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    DigitallySignedStruct, Error, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
};
use std::sync::Arc;

/// WebPKI, which leaves a note.
#[derive(Debug)]
pub struct NotingResponse {
    inner: Arc<WebPkiServerVerifier>,
    note: &'static Note,
}

impl NotingResponse {
    /// Verifies as `inner` does.
    pub const fn new(inner: Arc<WebPkiServerVerifier>, note: &'static Note) -> Self {
        Self { inner, note }
    }
}

impl ServerCertVerifier for NotingResponse {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.note.put_response(ocsp_response);
        self.inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}
