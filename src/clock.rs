//! The current time, and times on the command line.

use anyhow::{Context, Result};
use std::time::SystemTime;

/// From when on.
#[derive(Debug, clap::Args)]
pub struct Since {
    /// Only runs since then: a day, 2026-11-21, or days back, 90d
    #[arg(long, value_parser = since)]
    since: Option<i64>,
}

impl Since {
    /// That moment, in milliseconds since 1970 UTC.
    pub fn ms(&self) -> i64 {
        self.since.unwrap_or(i64::MIN)
    }
}

/// Milliseconds since 1970 UTC.
///
/// # Errors
/// If the clock is before that.
pub fn now_ms() -> Result<u64> {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .context("the clock is before 1970: set it")?;
    Ok(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The current day, UTC.
///
/// # Errors
/// If the clock is before 1970, or past the calendar.
pub fn today() -> Result<jiff::civil::Date> {
    let now = i64::try_from(now_ms()?).context("the clock is past the calendar: set it")?;
    let now =
        jiff::Timestamp::from_millisecond(now).context("the clock is past the calendar: set it")?;
    Ok(now.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// A day (`2026-11-21`) or a number of days back (`90d`), in milliseconds since 1970 UTC.
///
/// # Errors
/// For people, as clap shows it.
pub fn since(text: &str) -> Result<i64, String> {
    if let Some(days) = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok()) {
        let now = now_ms().map_err(|error| error.to_string())?;
        return Ok(i64::try_from(now).unwrap_or(i64::MAX) - i64::from(days) * 86_400_000);
    }
    let day: jiff::civil::Date =
        text.parse().map_err(|_| "write a day, 2026-11-21, or days back, 90d".to_owned())?;
    let midnight = day.to_zoned(jiff::tz::TimeZone::UTC).map_err(|error| error.to_string())?;
    Ok(midnight.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_day_or_days_back() {
        // date -u -d 2026-11-21 +%s
        assert_eq!(since("2026-11-21").unwrap(), 1_795_219_200_000);
        let back = since("2d").unwrap();
        assert!((now_ms().unwrap() as i64 - back - 172_800_000).abs() < 5_000);
        for wrong in ["", "yesterday", "d", "-3d", "2026-13-01"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}
