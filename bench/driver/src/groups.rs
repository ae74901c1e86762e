//! The groups that a library is told to use.

use shakedown_protocol::{CertificateKey, Group, TlsScenario, TlsVersion};

/// The list of groups for a scenario, the wanted one first; empty where the library's default stays. In TLS
/// 1.2 the list also says which curves a certificate may have, so that of the scenario's key is in it, too.
/// What was negotiated is checked on every connection.
pub fn groups(scenario: &TlsScenario) -> Vec<Group> {
    if scenario.group == Group::Default {
        return Vec::new();
    }
    let curve = match (scenario.version, scenario.key) {
        (TlsVersion::Tls12, CertificateKey::EcdsaP256) => Some(Group::Secp256r1),
        (TlsVersion::Tls12, CertificateKey::EcdsaP384) => Some(Group::Secp384r1),
        _ => None,
    };
    let curve = curve.filter(|curve| *curve != scenario.group);
    [scenario.group].into_iter().chain(curve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_of_a_certificate_is_a_group_in_tls_1_2_only() {
        for (of, expected) in [
            ("tls1.2/aes128-gcm/x25519/ecdsa-p256", &[Group::X25519, Group::Secp256r1] as &[Group]),
            ("tls1.2/aes128-gcm/secp256r1/ecdsa-p384", &[Group::Secp256r1, Group::Secp384r1]),
            ("tls1.2/aes128-gcm/secp256r1/ecdsa-p256", &[Group::Secp256r1]),
            ("tls1.2/aes128-gcm/x25519/rsa-2048", &[Group::X25519]),
            ("tls1.3/aes128-gcm/x25519/ecdsa-p256", &[Group::X25519]),
            ("tls1.2/aes128-gcm/default/ecdsa-p256", &[]),
        ] {
            let scenario = format!("handshake-full/{of}").parse().unwrap();
            assert_eq!(groups(&scenario), expected, "{of}");
        }
    }
}
