//! When to ask again, and how long to wait before: what the forge asks for, or else longer each
//! time. After <https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api>.

use http::{HeaderMap, StatusCode};
use std::time::Duration;

/// Nobody waits longer than this for one request.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// GitHub: wait for at least a minute after a secondary limit that names no time.
const SECONDARY: Duration = Duration::from_secs(60);

/// What to do after an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RetryDecision {
    /// It is an answer.
    Take,
    /// Ask again after this time.
    Again(Duration),
}

/// Looks at an answer. `tries` is how often the request was sent, from 1; `now_s` is the time in
/// seconds since 1970.
pub(crate) fn next(
    status: StatusCode,
    headers: &HeaderMap,
    message: &str,
    tries: u32,
    now_s: u64,
) -> RetryDecision {
    if status.is_server_error() {
        // 501 will not change by itself.
        let passing = status != StatusCode::NOT_IMPLEMENTED;
        let wait = number(headers, "retry-after").map_or(back_off(tries), Duration::from_secs);
        return if passing { RetryDecision::Again(wait) } else { RetryDecision::Take };
    }
    let may_be_limit = matches!(status, StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS);
    if !may_be_limit {
        return RetryDecision::Take;
    }
    if let Some(seconds) = number(headers, "retry-after") {
        return RetryDecision::Again(Duration::from_secs(seconds));
    }
    if number(headers, "x-ratelimit-remaining") == Some(0)
        && let Some(reset) = number(headers, "x-ratelimit-reset")
    {
        // One more second: clocks differ.
        return RetryDecision::Again(Duration::from_secs(reset.saturating_sub(now_s) + 1));
    }
    let message = message.to_ascii_lowercase();
    let said = message.contains("secondary rate limit") || message.contains("abuse detection");
    if said || status == StatusCode::TOO_MANY_REQUESTS {
        return RetryDecision::Again(SECONDARY * 2_u32.saturating_pow(tries - 1));
    }
    RetryDecision::Take
}

/// 1, 2, 4, ... seconds, 64 at most.
pub(crate) fn back_off(tries: u32) -> Duration {
    Duration::from_secs(1 << (tries - 1).min(6))
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderName;

    fn ask(
        status: u16,
        headers: &[(&'static str, &str)],
        message: &str,
        tries: u32,
    ) -> RetryDecision {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        next(StatusCode::from_u16(status).unwrap(), &map, message, tries, 1000)
    }

    fn again(seconds: u64) -> RetryDecision {
        RetryDecision::Again(Duration::from_secs(seconds))
    }

    #[test]
    fn answers_are_taken() {
        for status in [200, 201, 204, 304, 400, 401, 404, 409, 410, 422, 501] {
            assert_eq!(ask(status, &[], "", 1), RetryDecision::Take, "{status}");
        }
        assert_eq!(ask(403, &[], "Resource not accessible by integration", 1), RetryDecision::Take);
        assert_eq!(ask(403, &[("x-ratelimit-remaining", "12")], "", 1), RetryDecision::Take);
    }

    #[test]
    fn what_the_forge_asks_for_is_done() {
        assert_eq!(ask(429, &[("retry-after", "7")], "", 1), again(7));
        assert_eq!(ask(403, &[("retry-after", "30")], "", 3), again(30));
        assert_eq!(ask(503, &[("retry-after", "9")], "", 1), again(9));
        let used_up = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1090")];
        assert_eq!(ask(403, &used_up, "API rate limit exceeded", 1), again(91));
        let past = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "5")];
        assert_eq!(ask(429, &past, "", 1), again(1));
    }

    #[test]
    fn where_it_asks_for_nothing_the_waits_grow() {
        let secondary = "You have exceeded a secondary rate limit.";
        assert_eq!([1, 2, 3].map(|n| ask(403, &[], secondary, n)), [60, 120, 240].map(again));
        assert_eq!([1, 2, 3].map(|n| ask(502, &[], "", n)), [1, 2, 4].map(again));
        assert_eq!(ask(500, &[], "", 40), again(64));
        // A date, as the standard allows, is no number of seconds.
        assert_eq!(ask(429, &[("retry-after", "Wed, 21 Oct 2026")], "", 1), again(60));
    }
}
