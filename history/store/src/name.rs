//! The name of a stored run.

use crate::StoreError;
use std::{fmt, str::FromStr};

/// Time, host epoch and content in one name: `20261121T043600Z-0123456789abcdef-89abcdef01234567`.
/// Names sort by time. Two hosts never use the same name, so that their branches merge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunName(String);

impl RunName {
    /// Names a run by its start (milliseconds since 1970 UTC), host epoch and content digest.
    ///
    /// # Errors
    /// If the start is beyond the year 9999.
    pub fn new(started_ms: u64, epoch: &str, sha256: &str) -> Result<Self, StoreError> {
        let time = i64::try_from(started_ms)
            .ok()
            .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
            .ok_or_else(|| StoreError::Question(format!("{started_ms} ms is no time")))?;
        // An epoch id comes from a record, so from anybody: what could leave the folder or
        // break a line becomes a digest.
        let plain = (1..=32).contains(&epoch.len())
            && epoch.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let hashed = crate::canonical::sha256(epoch.as_bytes());
        let epoch = if plain { epoch } else { &hashed[..16] };
        Ok(Self(format!("{}-{epoch}-{}", time.strftime("%Y%m%dT%H%M%SZ"), &sha256[..16])))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The month's folder below `runs`, for example `2026/11`.
    pub fn month(&self) -> String {
        format!("{}/{}", &self.0[..4], &self.0[4..6])
    }

    /// First half of the content's digest.
    pub fn digest(&self) -> &str {
        &self.0[self.0.len() - 16..]
    }
}

impl FromStr for RunName {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let wrong = || StoreError::Question(format!("`{text}` is not the name of a stored run"));
        let parts: Vec<&str> = text.split('-').collect();
        let [time, epoch, digest] = parts[..] else { return Err(wrong()) };
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let shape = time.len() == 16
            && time.bytes().enumerate().all(|(at, b)| match at {
                8 => b == b'T',
                15 => b == b'Z',
                _ => b.is_ascii_digit(),
            });
        let word = (1..=32).contains(&epoch.len())
            && epoch.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let sound = shape && word && digest.len() == 16 && digest.bytes().all(hex);
        if sound { Ok(Self(text.to_owned())) } else { Err(wrong()) }
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DIGEST: &str = "89abcdef012345670000";

    #[test]
    fn a_name_says_when_where_and_what() {
        let name = RunName::new(1_795_235_760_000, "0123456789abcdef", DIGEST).unwrap();
        assert_eq!(name.to_string(), "20261121T043600Z-0123456789abcdef-89abcdef01234567");
        assert_eq!(name.month(), "2026/11");
        assert_eq!(name.digest(), "89abcdef01234567");
        assert!(RunName::new(u64::MAX, "e", DIGEST).is_err());
    }

    proptest! {
        #[test]
        fn no_epoch_leaves_the_folder(epoch in ".{0,60}", ms in 0u64..4_000_000_000_000) {
            let name = RunName::new(ms, &epoch, DIGEST).unwrap();
            prop_assert!(name.as_str().bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
            prop_assert_eq!(name.as_str().parse::<RunName>().unwrap(), name);
        }

        #[test]
        fn no_text_makes_parsing_panic(text in ".{0,60}") {
            let _ = text.parse::<RunName>();
        }
    }
}
