//! What the text of a kernel file means.

use crate::CpuSet;
use serde::Deserialize;

/// What a file's text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueFormat {
    /// A word.
    #[default]
    Text,
    /// A number.
    Number,
    /// A list of CPUs.
    List,
    /// A mask of CPUs.
    Mask,
    /// Words, the chosen one in brackets.
    Choice,
}

impl ValueFormat {
    /// Every format, with its name.
    pub(crate) const ALL: [(Self, &str); 5] = [
        (Self::Text, "text"),
        (Self::Number, "number"),
        (Self::List, "list"),
        (Self::Mask, "mask"),
        (Self::Choice, "choice"),
    ];

    /// The text in a unique notation, so that equal values are equal texts.
    pub(crate) fn normalize(self, text: &str) -> String {
        let text = text.trim();
        match self {
            Self::Text => text.to_owned(),
            Self::Number => text.parse::<i64>().map_or_else(|_| text.to_owned(), |n| n.to_string()),
            Self::List => CpuSet::parse_lossy(text).to_string(),
            Self::Mask => CpuSet::from_mask(text).map_or_else(|| text.to_owned(), |c| c.to_mask()),
            Self::Choice => {
                let inner = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
                inner.map_or(text, |(choice, _)| choice).to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_equal_texts() {
        assert_eq!(ValueFormat::Choice.normalize("always [madvise] never"), "madvise");
        assert_eq!(ValueFormat::Choice.normalize("never"), "never");
        assert_eq!(ValueFormat::Mask.normalize("00000000,0000000f\n"), "f");
        assert_eq!(ValueFormat::List.normalize("0,1,2-3"), "0-3");
        assert_eq!(ValueFormat::Number.normalize(" 010 "), "10");
    }
}
