//! Shares as people write them: `"1 %"`.

use serde::{Deserialize, Deserializer, de::Error as _};
use std::{fmt, str::FromStr};

/// A share of one, written as a percentage with its sign: `"0.2 %"` is 0.002.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is not a share: write a percentage such as \"0.5 %\"");
        let number = text.trim_end().strip_suffix('%').ok_or_else(wrong)?.trim();
        let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let value: f64 = number.parse().map_err(|_| wrong())?;
        if !plain || value > 1000.0 {
            return Err(wrong());
        }
        // Division, not multiplication by 0.01: 0.2 % shall be the number nearest to 0.002.
        Ok(Self(value / 100.0))
    }
}

/// With up to two decimals.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.2}", self.0 * 100.0);
        write!(f, "{} %", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percentages_only() {
        assert_eq!("0.2 %".parse(), Ok(Share(0.002)));
        assert_eq!("1%".parse(), Ok(Share(0.01)));
        for text in ["1", "0.01", "-1 %", "1 % %", "inf %", "NaN %", "%", "1e3 %", "99999 %", ""] {
            assert!(text.parse::<Share>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn percentages_read_well() {
        let shown: Vec<String> = [0.002, 0.01, 0.0312, 0.1, 0.256, 2.0, 0.00004]
            .map(|share| Share(share).to_string())
            .to_vec();
        assert_eq!(shown, ["0.2 %", "1 %", "3.12 %", "10 %", "25.6 %", "200 %", "0 %"]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,12}") {
            let _ = text.parse::<Share>();
        }
    }
}
