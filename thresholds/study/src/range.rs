//! The range in which a measurement agrees with a claim.

use serde::{Deserialize, Serialize};

/// What decides a claim, as a study's file says it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The published number up to this share: 0.1 accepts from 1/1.1 to 1.1 times of it.
    Within(f64),
    /// More than this.
    Above(f64),
    /// Less than this.
    Below(f64),
    /// Between these two.
    Between([f64; 2]),
}

/// The numbers that agree with a claim.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AcceptedRange {
    /// Lower end; `None` where there is none.
    pub low: Option<f64>,
    /// Upper end; `None` where there is none.
    pub high: Option<f64>,
}

impl Decision {
    /// The range; `None` where it needs a published number and there is none, or where it is empty.
    pub fn range(self, published: Option<f64>) -> Option<AcceptedRange> {
        let range = match self {
            Self::Within(share) => {
                let published = published.filter(|_| share > 0.0)?;
                let (low, high) = (published / (1.0 + share), published * (1.0 + share));
                AcceptedRange { low: Some(low), high: Some(high) }
            }
            Self::Above(low) => AcceptedRange { low: Some(low), high: None },
            Self::Below(high) => AcceptedRange { low: None, high: Some(high) },
            Self::Between([low, high]) => AcceptedRange { low: Some(low), high: Some(high) },
        };
        let finite = [range.low, range.high].into_iter().flatten().all(f64::is_finite);
        let ordered = range.low.zip(range.high).is_none_or(|(low, high)| low < high);
        (finite && ordered).then_some(range)
    }
}

impl AcceptedRange {
    /// Whether all numbers from `low` to `high` are in the range.
    pub fn holds(&self, low: f64, high: f64) -> bool {
        self.low.is_none_or(|end| low >= end) && self.high.is_none_or(|end| high <= end)
    }

    /// Whether none of the numbers from `low` to `high` is in the range.
    pub fn excludes(&self, low: f64, high: f64) -> bool {
        self.low.is_some_and(|end| high < end) || self.high.is_some_and(|end| low > end)
    }
}
