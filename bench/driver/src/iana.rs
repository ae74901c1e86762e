//! The numbers of the TLS registries, and what the protocol calls them: libraries tell what
//! they negotiated as these numbers.

use shakedown_protocol::{CertificateKey, CipherSuite, Group};

/// A cipher suite and its name in the registry.
pub const fn cipher_suite(number: u16) -> Option<(CipherSuite, &'static str)> {
    use CipherSuite::{Aes128Gcm, Aes256Gcm, Chacha20};
    Some(match number {
        0x1301 => (Aes128Gcm, "TLS_AES_128_GCM_SHA256"),
        0x1302 => (Aes256Gcm, "TLS_AES_256_GCM_SHA384"),
        0x1303 => (Chacha20, "TLS_CHACHA20_POLY1305_SHA256"),
        0xc02b => (Aes128Gcm, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
        0xc02c => (Aes256Gcm, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        0xc02f => (Aes128Gcm, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
        0xc030 => (Aes256Gcm, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
        0xcca8 => (Chacha20, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
        0xcca9 => (Chacha20, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
        _ => return None,
    })
}

/// A key exchange group.
pub const fn group(number: u16) -> Option<Group> {
    Some(match number {
        0x0017 => Group::Secp256r1,
        0x0018 => Group::Secp384r1,
        0x001d => Group::X25519,
        0x0201 => Group::MlKem768,
        0x11eb => Group::Secp256r1MlKem768,
        0x11ec => Group::X25519MlKem768,
        _ => return None,
    })
}

/// The number of a key exchange group; `None` for the library's default.
pub fn group_number(wanted: Group) -> Option<u16> {
    [0x0017, 0x0018, 0x001d, 0x0201, 0x11eb, 0x11ec]
        .into_iter()
        .find(|number| group(*number) == Some(wanted))
}

/// The registry's name of a signature scheme.
pub const fn signature(number: u16) -> Option<&'static str> {
    Some(match number {
        0x0401 => "rsa_pkcs1_sha256",
        0x0501 => "rsa_pkcs1_sha384",
        0x0601 => "rsa_pkcs1_sha512",
        0x0403 => "ecdsa_secp256r1_sha256",
        0x0503 => "ecdsa_secp384r1_sha384",
        0x0804 => "rsa_pss_rsae_sha256",
        0x0805 => "rsa_pss_rsae_sha384",
        0x0806 => "rsa_pss_rsae_sha512",
        0x0807 => "ed25519",
        _ => return None,
    })
}

/// The type of the key in a DER-encoded `SubjectPublicKeyInfo`, by its object identifiers
/// (RFC 3279, RFC 5480, RFC 8410); RSA keys by their length too.
pub fn key(subject_public_key_info: &[u8]) -> Option<CertificateKey> {
    const IDENTIFIERS: [(CertificateKey, &[u8]); 4] = [
        (CertificateKey::EcdsaP256, &[0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]),
        (CertificateKey::EcdsaP384, &[0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22]),
        (
            CertificateKey::Rsa2048,
            &[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01],
        ),
        (CertificateKey::Ed25519, &[0x06, 0x03, 0x2b, 0x65, 0x70]),
    ];
    // The algorithm comes first; a key that happens to hold such bytes comes after it.
    let head = &subject_public_key_info[..subject_public_key_info.len().min(32)];
    let has = |id: &[u8]| head.windows(id.len()).any(|part| part == id);
    let found = IDENTIFIERS.iter().find(|(_, id)| has(id)).map(|(key, _)| *key)?;
    if !found.is_rsa() {
        return Some(found);
    }
    // The modulus, and less than 64 bytes around it.
    const RSA: [(CertificateKey, usize); 3] = [
        (CertificateKey::Rsa2048, 256),
        (CertificateKey::Rsa3072, 384),
        (CertificateKey::Rsa4096, 512),
    ];
    let length = subject_public_key_info.len();
    RSA.iter().find(|(_, bytes)| (*bytes..bytes + 64).contains(&length)).map(|(key, _)| *key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_protocol_has_its_number() {
        for wanted in [CipherSuite::Aes128Gcm, CipherSuite::Aes256Gcm, CipherSuite::Chacha20] {
            let found =
                (0..=u16::MAX).filter_map(cipher_suite).filter(|(s, _)| *s == wanted).count();
            assert_eq!(found, 3, "{wanted}: TLS 1.3, ECDSA and RSA");
        }
        for wanted in Group::ALL.iter().filter(|group| **group != Group::Default) {
            let found: Vec<u16> = (0..=u16::MAX).filter(|n| group(*n) == Some(*wanted)).collect();
            assert_eq!(found, [group_number(*wanted).unwrap()]);
        }
    }

    #[test]
    fn keys_are_told_by_their_identifiers() {
        let head = [
            0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d,
            0x01, 0x01, 0x01, 0x05, 0x00,
        ];
        for (length, found) in [
            (294, Some(CertificateKey::Rsa2048)),
            (422, Some(CertificateKey::Rsa3072)),
            (550, Some(CertificateKey::Rsa4096)),
            (100, None),
            (700, None),
        ] {
            let mut rsa = head.to_vec();
            rsa.resize(length, 0x5a);
            assert_eq!(key(&rsa), found, "{length} bytes");
        }
        assert_eq!(
            key(&[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70]),
            Some(CertificateKey::Ed25519)
        );
        assert_eq!(key(&[]), None);
    }
}
