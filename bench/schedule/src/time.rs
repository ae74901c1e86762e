//! The calendar. Durations are measured elsewhere, with the steady clock.

/// Milliseconds since 1970 UTC.
pub(crate) fn now_ms() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0)
}

/// Now, as the beginning of a folder's name: `20260131T235959Z`.
pub(crate) fn stamp() -> String {
    jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
}
