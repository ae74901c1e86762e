//! Release numbers of TLS libraries, and their order.

use std::{cmp::Ordering, fmt, str::FromStr};

/// A release number: `3.5.5`, `1.1.1w`, `0.24.0-dev.2`.
///
/// Not every library uses semantic versions. The order is: by numbers; then by letter
/// (`1.1.1` < `1.1.1a`); then pre-releases before their release (`0.24.0-dev.2` < `0.24.0`), sorted by
/// their parts, numbers before words. Build metadata (`+...`) is dropped. Missing numbers count as 0.
#[derive(Debug, Clone)]
pub struct Release {
    text: String,
    numbers: Vec<u64>,
    letter: String,
    pre: Option<String>,
}

/// A text that is not a release number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a release number: write numbers with dots, such as 3.5.5, 1.1.1w or 0.24.0-dev.2"
)]
pub struct ReleaseError(String);

impl Release {
    /// Whether this is a pre-release.
    pub const fn is_pre(&self) -> bool {
        self.pre.is_some()
    }

    /// Whether this is a pre-release of `other`, as `4.0.0-alpha1` of `4.0.0`.
    pub fn is_pre_of(&self, other: &Self) -> bool {
        let same = (&self.numbers, &self.letter) == (&other.numbers, &other.letter);
        self.is_pre() && !other.is_pre() && same
    }

    /// Whether both are of one series, that is, have the same first two numbers: `3.5.5` and `3.5.6`.
    pub fn is_of_series_of(&self, other: &Self) -> bool {
        self.numbers.iter().take(2).eq(other.numbers.iter().take(2))
    }

    /// Whether `prefix` names this release or a series it belongs to: `3.5` covers `3.5.5`
    /// but not `3.50.1`; `1.1.1` covers `1.1.1w`; `0.24.0` covers `0.24.0-dev.2`.
    pub fn within(&self, prefix: &Self) -> bool {
        if prefix.pre.is_some() || !prefix.letter.is_empty() {
            return self == prefix;
        }
        self.numbers.starts_with(&prefix.numbers)
    }
}

impl FromStr for Release {
    type Err = ReleaseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || ReleaseError(text.to_owned());
        let bare = text.split_once('+').map_or(text, |(bare, _)| bare);
        let (plain, pre) = match bare.split_once('-') {
            Some((plain, pre)) if !pre.is_empty() => (plain, Some(pre.to_owned())),
            Some(_) => return Err(wrong()),
            None => (bare, None),
        };
        let digits = plain.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let letter = plain[digits.len()..].to_owned();
        let number = |part: &str| {
            let sound = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            if sound { part.parse().map_err(|_| wrong()) } else { Err(wrong()) }
        };
        let numbers = digits.split('.').map(number).collect::<Result<Vec<u64>, _>>()?;
        Ok(Self { text: bare.to_owned(), numbers, letter, pre })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Ord for Release {
    fn cmp(&self, other: &Self) -> Ordering {
        let length = self.numbers.len().max(other.numbers.len());
        let padded = |release: &Self| {
            let mut numbers = release.numbers.clone();
            numbers.resize(length, 0);
            numbers
        };
        padded(self).cmp(&padded(other)).then_with(|| self.letter.cmp(&other.letter)).then_with(
            || match (&self.pre, &other.pre) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(one), Some(two)) => pre_releases(one, two),
            },
        )
    }
}

/// Parts of a pre-release tag. A number after a word is a separate part, because OpenSSL's `alpha10`
/// is the tenth alpha.
fn parts(tag: &str) -> Vec<&str> {
    tag.split('.')
        .flat_map(|part| {
            let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
            let (word, number) = part.split_at(word.len());
            [word, number].into_iter().filter(|text| !text.is_empty())
        })
        .collect()
}

/// Order of pre-release tags, part by part: numbers by value and before words.
fn pre_releases(one: &str, two: &str) -> Ordering {
    let mut ones = parts(one).into_iter();
    let mut twos = parts(two).into_iter();
    loop {
        let order = match (ones.next(), twos.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Release {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Release {}

impl<'de> serde::Deserialize<'de> for Release {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn release(text: &str) -> Release {
        text.parse().unwrap()
    }

    #[test]
    fn releases_are_ordered_as_their_makers_count() {
        let ordered = [
            "1.1.1-pre9",
            "1.1.1-pre10",
            "1.1.1",
            "1.1.1a",
            "1.1.1w",
            "1.1.1z",
            "1.1.1za",
            "3.0.0-0",
            "3.0.0-alpha1",
            "3.0.0-alpha2",
            "3.0.0-alpha17",
            "3.0.0-beta1",
            "3.0.0",
            "3.0.8",
            "3.5.5",
            "3.10.0",
            "4.0.0-dev.2",
            "4.0.0-dev.10",
            "4.0.0",
        ];
        for pair in ordered.windows(2) {
            assert!(release(pair[0]) < release(pair[1]), "{} < {}", pair[0], pair[1]);
        }
        assert_eq!(release("3.5"), release("3.5.0"));
    }

    #[test]
    fn a_series_covers_its_releases_only() {
        for (one, series, covered) in [
            ("3.5.5", "3.5", true),
            ("3.50.1", "3.5", false),
            ("3.5.5", "3", true),
            ("1.1.1w", "1.1.1", true),
            ("1.1.1w", "1.1.1w", true),
            ("1.1.1w", "1.1.1k", false),
            ("0.24.0-dev.2", "0.24", true),
            ("0.24.0-dev.2", "0.24.0-dev.1", false),
        ] {
            assert_eq!(release(one).within(&release(series)), covered, "{one} in {series}");
        }
    }

    #[test]
    fn the_first_two_numbers_are_the_series() {
        assert!(release("3.5.5").is_of_series_of(&release("3.5.12-beta1")));
        assert!(!release("3.5.5").is_of_series_of(&release("3.6.5")));
        assert!(!release("3.5.5").is_of_series_of(&release("4.5.5")));
    }

    #[test]
    fn a_pre_release_leads_to_one_release() {
        assert!(release("4.0.0-alpha1").is_pre_of(&release("4.0.0")));
        assert!(!release("4.0.0-alpha1").is_pre_of(&release("4.0.1")));
        assert!(!release("4.0.0-alpha1").is_pre_of(&release("4.0.0-beta1")));
        assert!(!release("4.0.0").is_pre_of(&release("4.0.0")));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in
            ["", "a", "3.", ".5", "3..5", "3.x", "3.5-", "-1", "3.5 ", "99999999999999999999.1"]
        {
            assert!(text.parse::<Release>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_order_is_total(texts in proptest::collection::vec("[0-9]{1,2}(\\.[0-9]{1,2}){0,2}[a-c]?(-[a-b0-9]{1,2}(\\.[0-9])?)?", 3)) {
            let all: Vec<Release> = texts.iter().map(|t| release(t)).collect();
            prop_assert_eq!(all[0].cmp(&all[1]), all[1].cmp(&all[0]).reverse());
            if all[0] <= all[1] && all[1] <= all[2] {
                prop_assert!(all[0] <= all[2]);
            }
        }

        #[test]
        fn no_text_makes_parsing_panic(text in ".{0,20}") {
            let _ = text.parse::<Release>();
        }
    }
}
