//! Ranges of releases.

use crate::Release;

/// Whether `release` lies in `since..before`.
pub(crate) fn in_range(
    release: &Release,
    since: Option<&Release>,
    before: Option<&Release>,
) -> bool {
    since.is_none_or(|since| release >= since) && before.is_none_or(|before| release < before)
}

/// `>= since, < before` in words.
pub(crate) fn range_text(since: Option<&Release>, before: Option<&Release>) -> String {
    match (since, before) {
        (None, None) => "every version".to_owned(),
        (Some(since), None) => format!("{since} and later"),
        (None, Some(before)) => format!("versions before {before}"),
        (Some(since), Some(before)) => format!("{since} and later, before {before}"),
    }
}
