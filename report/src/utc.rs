//! Times as people read them.

/// A time as `2026-11-21T04:05:06Z`.
pub fn utc(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(time) => time.strftime("%FT%TZ").to_string(),
        // A record may claim any number; this one is beyond the year 9999.
        Err(_) => format!("{ms} ms since 1970"),
    }
}

/// [`utc`] of a time in the history, whose numbers are signed.
pub fn utc_of(ms: i64) -> String {
    utc(u64::try_from(ms).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_date() {
        // Each from `date -u -d @SECONDS +%FT%TZ`.
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds * 1000), text);
        }
    }
}
