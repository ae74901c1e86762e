//! Authenticated encryption.

use super::{
    Prepared, failed,
    library::aead::{self, LessSafeKey, Nonce, UnboundKey},
};
use shakedown_driver::{
    DriverError,
    primitive::{ADDITIONAL_DATA, Aead, AeadMessages, KEY, NONCE, TAG, key_length},
};
use shakedown_protocol::{AeadWork, CipherSuite, Size};

/// Prepares an AEAD.
pub fn prepare(cipher: CipherSuite, work: AeadWork, size: Size) -> Prepared {
    let algorithm = match cipher {
        CipherSuite::Aes128Gcm => &aead::AES_128_GCM,
        CipherSuite::Aes256Gcm => &aead::AES_256_GCM,
        CipherSuite::Chacha20 => &aead::CHACHA20_POLY1305,
    };
    let key = UnboundKey::new(algorithm, &KEY[..key_length(cipher)]).map_err(failed("the key"))?;
    Ok(Box::new(AeadMessages::new(ReadyKey(LessSafeKey::new(key)), work, size)?))
}

struct ReadyKey(LessSafeKey);

fn nonce() -> Nonce {
    Nonce::assume_unique_for_key(NONCE)
}

impl Aead for ReadyKey {
    #[inline]
    fn seal(&mut self, data: &mut [u8], tag: &mut [u8; TAG]) -> Result<(), DriverError> {
        let additional = aead::Aad::from(&ADDITIONAL_DATA);
        let made = self.0.seal_in_place_separate_tag(nonce(), additional, data);
        tag.copy_from_slice(made.map_err(failed("sealing"))?.as_ref());
        Ok(())
    }

    #[inline]
    fn open(&mut self, data: &mut [u8], tag: &[u8; TAG]) -> Result<(), DriverError> {
        let additional = aead::Aad::from(&ADDITIONAL_DATA);
        #[cfg(feature = "ring")]
        let opened =
            self.0.open_in_place_separate_tag(nonce(), additional, (*tag).into(), data, 0..);
        #[cfg(feature = "aws-lc-rs")]
        let opened = self.0.open_in_place_separate_tag(nonce(), additional, tag, data);
        opened.map(drop).map_err(failed("opening"))
    }
}
