//! What an end says about its connection.

#[allow(unused_imports, reason = "rustls 0.22 has an inherent method")]
use crate::number::Number as _;
use crate::{
    connection::{Client, Server},
    identity,
};
// A trait in some versions, whose methods are those of connections; an enum in others.
#[cfg(sides = "named")]
#[allow(unused_imports, reason = "see above")]
use rustls::Connection as _;
use shakedown_driver::{ConnectionInfo, DriverError, iana};
use shakedown_protocol::{CertificateKey, Group, TlsVersion};

/// What an end says about its connection, but for the signature.
pub trait Tell {
    /// # Errors
    /// For a value that the protocol has no name for.
    fn tell(&self) -> Result<ConnectionInfo, DriverError>;

    /// Whether the handshake is not over.
    fn in_handshake(&self) -> bool;
}

fn none(what: &str) -> DriverError {
    DriverError(format!("no {what} was negotiated, or one that the protocol has no name for"))
}

macro_rules! tell {
    ($tls:ty) => {
        impl Tell for $tls {
            fn in_handshake(&self) -> bool {
                self.is_handshaking()
            }

            fn tell(&self) -> Result<ConnectionInfo, DriverError> {
                let version = match self.protocol_version().map(|version| version.get_u16()) {
                    Some(0x0303) => TlsVersion::Tls12,
                    Some(0x0304) => TlsVersion::Tls13,
                    _ => return Err(none("version")),
                };
                let suite = self.negotiated_cipher_suite();
                let suite = suite.and_then(|suite| iana::cipher_suite(suite.suite().get_u16()));
                let (cipher_suite, cipher_suite_name) =
                    suite.ok_or_else(|| none("cipher suite"))?;
                Ok(ConnectionInfo {
                    version,
                    cipher_suite,
                    cipher_suite_name,
                    group: group!(self),
                    peer_key: peer_key!(self),
                    peer_signature: None,
                    peer_certificates: peer_certificates!(self),
                    ocsp_response: None,
                    early_data: false,
                    resumed: resumed!(self),
                })
            }
        }
    };
}

#[cfg(any(told = "resumption_and_group", told = "generic"))]
macro_rules! group {
    ($tls:expr) => {{
        let group: Option<Group> = match $tls.negotiated_key_exchange_group() {
            Some(group) => Some(iana::group(group.name().get_u16()).ok_or_else(|| none("group"))?),
            None => None,
        };
        group
    }};
}

/// Before 0.23.11: the bytes on the wire tell.
#[cfg(any(told = "nothing", told = "resumption"))]
macro_rules! group {
    ($tls:expr) => {
        None::<Group>
    };
}

#[cfg(not(told = "nothing"))]
macro_rules! resumed {
    ($tls:expr) => {
        Some($tls.handshake_kind() == Some(rustls::HandshakeKind::Resumed))
    };
}

/// Before 0.23.5: the bytes on the wire tell.
#[cfg(told = "nothing")]
macro_rules! resumed {
    ($tls:expr) => {
        None
    };
}

#[cfg(peer = "certificates")]
macro_rules! peer_key {
    ($tls:expr) => {{
        let leaf = $tls.peer_certificates().and_then(|chain| chain.first());
        let key: Option<CertificateKey> = leaf.map(identity::key_in).transpose()?;
        key
    }};
}

#[cfg(not(peer = "certificates"))]
macro_rules! peer_key {
    ($tls:expr) => {{
        let key: Option<CertificateKey> =
            $tls.peer_identity().map(|peer| identity::key_of(peer)).transpose()?;
        key
    }};
}

#[cfg(peer = "certificates")]
macro_rules! peer_certificates {
    ($tls:expr) => {
        $tls.peer_certificates().and_then(|chain| u8::try_from(chain.len()).ok())
    };
}

#[cfg(not(peer = "certificates"))]
macro_rules! peer_certificates {
    ($tls:expr) => {
        $tls.peer_identity().and_then(|peer| identity::certificates_of(peer))
    };
}

tell!(Client);
tell!(Server);
