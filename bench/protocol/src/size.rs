//! Byte counts as people write them.

use std::{fmt, num::ParseIntError, str::FromStr};

/// A number of bytes, written with the largest unit that divides it: `16KiB`, `1MiB`,
/// `100MB`, `1500B`.
///
/// Binary units win over decimal ones where both fit, so that printing is unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(pub u64);

/// Units in the order in which printing tries them.
const UNITS: [(&str, u64); 6] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
];

/// Why a text is not a [`Size`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// No digits, or more than fit.
    #[error("`{0}` is not a size: write a whole number and a unit, such as 16KiB or 100MB")]
    Number(String, #[source] ParseIntError),
    /// A unit that does not exist.
    #[error("`{0}` is not a size unit: use B, kB, MB, GB, KiB, MiB or GiB")]
    Unit(String),
    /// More bytes than 64 bits hold.
    #[error("`{0}` is too large")]
    TooLarge(String),
    /// A size of nothing.
    #[error("a size of zero bytes measures nothing")]
    Zero,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = UNITS.iter().find(|(_, unit)| self.0.is_multiple_of(*unit));
        match exact {
            Some((name, unit)) => write!(f, "{}{name}", self.0 / unit),
            None => write!(f, "{}B", self.0),
        }
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: u64 =
            digits.parse().map_err(|error| SizeError::Number(text.to_owned(), error))?;
        let unit = match &text[digits.len()..] {
            "B" => 1,
            other => UNITS
                .iter()
                .find(|(name, _)| *name == other)
                .map(|(_, unit)| *unit)
                .ok_or_else(|| SizeError::Unit(other.to_owned()))?,
        };
        match number.checked_mul(unit) {
            None => Err(SizeError::TooLarge(text.to_owned())),
            Some(0) => Err(SizeError::Zero),
            Some(bytes) => Ok(Self(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prints_the_unit_a_person_would_choose() {
        for text in ["1MiB", "16KiB", "100MB", "1500B", "1GiB", "3kB"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for text in ["", "KiB", "12", "5 MiB", "1mib", "0B", "99999999999999GiB", "-1B"] {
            assert!(text.parse::<Size>().is_err(), "{text:?} must not parse");
        }
    }

    proptest! {
        #[test]
        fn printing_then_parsing_is_the_identity(bytes in 1u64..=u64::MAX) {
            prop_assert_eq!(Size(bytes).to_string().parse::<Size>().unwrap(), Size(bytes));
        }
    }
}
