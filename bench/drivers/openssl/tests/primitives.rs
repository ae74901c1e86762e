//! Every primitive on the library that `OPENSSL_DIR` names: it computes what other libraries compute,
//! or says that the library does not have it.

mod common;

use common::{reply, request};
use shakedown_protocol::{DriverRefusal, DriverReply, DriverRequest, Measurement, Side};

/// All primitives of two sizes.
fn all() -> Vec<String> {
    let mut ids = Vec::new();
    for cipher in ["aes128-gcm", "aes256-gcm", "chacha20"] {
        ids.push(format!("fetch/{cipher}"));
        for (work, size) in [("seal", "16B"), ("open", "16B"), ("seal", "16KiB"), ("open", "8KiB")]
        {
            for tag in ["", "/no-tag"] {
                ids.push(format!("aead/{cipher}/{work}/{size}{tag}"));
            }
        }
    }
    for function in ["sha256", "sha384", "sha512"] {
        ids.extend(
            ["hash/F/16B", "hash/F/16KiB", "hkdf/F", "fetch/F"].map(|id| id.replace('F', function)),
        );
    }
    for key in ["rsa-2048", "rsa-3072", "rsa-4096", "ecdsa-p256", "ecdsa-p384", "ed25519"] {
        ids.extend(["generate", "sign", "verify"].map(|work| format!("signature/{key}/{work}")));
    }
    for group in ["x25519", "secp256r1", "secp384r1"] {
        ids.extend(["generate", "agree"].map(|work| format!("agreement/{group}/{work}")));
    }
    ids.extend(
        ["generate", "encapsulate", "decapsulate"].map(|work| format!("kem/ml-kem-768/{work}")),
    );
    ids.iter().map(|id| format!("primitive/{id}")).collect()
}

/// What a library may lack.
fn may_lack(id: &str) -> bool {
    id.contains("/fetch/") && !cfg!(offered = "EVP_CIPHER_fetch")
        || id.contains("/kem/")
        || id.contains("/chacha20/") && id.ends_with("/no-tag") && !cfg!(offered = "SSL_CTX_ctrl")
}

fn sound(id: &str, measured: &Measurement) {
    assert_eq!((measured.checked, measured.negotiated.is_none()), (2, true), "{id}");
    let [result] = measured.sides.as_slice() else { panic!("{id}: {measured:?}") };
    assert_eq!(result.side, Side::Local, "{id}");
    assert!(!result.samples.is_empty(), "{id}");
}

#[test]
fn each_primitive_is_right_or_lacking() {
    for id in all() {
        let request = DriverRequest { measure_ms: 1, batch_ms: 1, ..request(&id) };
        match reply(&request) {
            DriverReply::Measured(measured) => sound(&id, &measured),
            DriverReply::Refused(DriverRefusal::Unsupported(why)) => {
                assert!(may_lack(&id) && why.contains("has no"), "{id}: {why}");
            }
            DriverReply::Refused(other) => panic!("{id}: {other:?}"),
        }
    }
}
