//! Calendar dates. They come from the caller, never from a clock.

use serde::{Serialize, Serializer};
use std::{fmt, str::FromStr};

/// A day, written `2026-11-21`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// The day of a time in milliseconds since 1970 UTC.
    pub fn from_unix_ms(ms: u64) -> Self {
        // Civil from days, counted in eras of 400 years that begin in March.
        let days = (ms / 86_400_000).min(20_000_000) + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        Self { year: year.min(9999) as u16, month: month as u8, day: day as u8 }
    }

    const fn last_day(year: u16, month: u8) -> u8 {
        match month {
            4 | 6 | 9 | 11 => 30,
            2 if year.is_multiple_of(4)
                && (!year.is_multiple_of(100) || year.is_multiple_of(400)) =>
            {
                29
            }
            2 => 28,
            _ => 31,
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is not a date: write year-month-day, such as 2026-11-21");
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts.as_slice() else { return Err(wrong()) };
        if (year.len(), month.len(), day.len()) != (4, 2, 2) {
            return Err(wrong());
        }
        let date = Self {
            year: year.parse().map_err(|_| wrong())?,
            month: month.parse().map_err(|_| wrong())?,
            day: day.parse().map_err(|_| wrong())?,
        };
        let sound = (1..=12).contains(&date.month)
            && (1..=Self::last_day(date.year, date.month)).contains(&date.day);
        if sound { Ok(date) } else { Err(wrong()) }
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_of_known_times() {
        for (ms, day) in [
            (0, "1970-01-01"),
            (951_782_400_000, "2000-02-29"),
            (1_700_000_000_000, "2023-11-14"),
            (1_798_675_200_000, "2026-12-31"),
            (4_107_542_400_000, "2100-03-01"),
        ] {
            assert_eq!(Date::from_unix_ms(ms).to_string(), day);
        }
    }

    #[test]
    fn days_that_do_not_exist() {
        for text in ["2026-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "26-01-01", "today", ""]
        {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn each_day_prints_and_parses(ms in 0u64..250_000_000_000_000) {
            let day = Date::from_unix_ms(ms);
            prop_assert_eq!(day.to_string().parse::<Date>().unwrap(), day);
            prop_assert!(Date::from_unix_ms(ms + 86_400_000) > day);
        }
    }
}
