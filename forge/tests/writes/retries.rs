//! Failures that pass are waited for; the others are errors at once.

use crate::common::{Waits, options};
use shakedown_forge::{
    Forge, RunAttempt, WriteOutcome, comment,
    fake::{FakeForge, InjectedFault, LOGIN},
};
use std::time::Duration;

fn waits_of(
    fault: &InjectedFault,
    times: usize,
) -> (Result<WriteOutcome, shakedown_forge::ForgeError>, Vec<u64>) {
    let fake = FakeForge::start();
    for _ in 0..times {
        fake.fail(fault.clone());
    }
    let waits = Waits::default();
    let forge = Forge::new(options(&fake, &waits)).unwrap();
    let key = "shakedown".parse().unwrap();
    let attempt = RunAttempt { run: 1, attempt: 1 };
    let wanted = comment::CommentContent { pull: 12, key: &key, attempt, author: LOGIN, text: "x" };
    let done = comment::upsert(&forge, &wanted);
    let waits = waits.lock().unwrap().iter().map(Duration::as_secs).collect();
    (done, waits)
}

#[test]
fn what_passes_is_waited_for() {
    let post = ("POST", "/issues/12/comments");
    let fault = |status, headers: &[(&'static str, &str)], message| InjectedFault {
        of: post,
        status,
        headers: headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
        message,
    };
    let (done, waits) = waits_of(&fault(502, &[], "Server Error"), 2);
    assert!(matches!(done, Ok(WriteOutcome::Created(_))), "{done:?}");
    assert_eq!(waits, [1, 2]);

    let (done, waits) = waits_of(&fault(429, &[("Retry-After", "7")], "slow down"), 1);
    assert!(done.is_ok());
    assert_eq!(waits, [7]);

    let secondary = "You have exceeded a secondary rate limit. Please wait a few minutes.";
    let (done, waits) = waits_of(&fault(403, &[], secondary), 2);
    assert!(done.is_ok());
    assert_eq!(waits, [60, 120]);

    let used_up = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1")];
    let (done, waits) = waits_of(&fault(403, &used_up, "API rate limit exceeded"), 1);
    assert!(done.is_ok());
    assert_eq!(waits, [1]);
}

#[test]
fn what_does_not_pass_is_told() {
    let post = ("POST", "/issues/12/comments");
    let (done, waits) =
        waits_of(&InjectedFault { of: post, status: 502, ..InjectedFault::default() }, 4);
    let said = done.unwrap_err().to_string();
    assert!(said.contains("502") && said.contains("POST /repos/tls/lib"), "{said}");
    assert_eq!(waits, [1, 2, 4], "four tries");

    let hour = vec![("Retry-After", "3600".to_owned())];
    let fault = InjectedFault { of: post, status: 429, headers: hour, message: "" };
    let (done, waits) = waits_of(&fault, 1);
    assert!(done.unwrap_err().to_string().contains("wait for 3600 s"));
    assert!(waits.is_empty());

    let fault = InjectedFault {
        of: post,
        status: 403,
        message: "Resource not accessible",
        ..InjectedFault::default()
    };
    let (done, waits) = waits_of(&fault, 1);
    let said = done.unwrap_err().to_string();
    assert!(said.contains("permissions") && !said.contains("ghs_"), "{said}");
    assert!(waits.is_empty());
}

#[test]
fn nobody_answers() {
    let waits = Waits::default();
    let mut options = options(&FakeForge::start(), &waits);
    // The port of a server that has gone.
    options.tries = 2;
    let said = Forge::new(options).and_then(|forge| forge.pull(1)).unwrap_err().to_string();
    assert!(said.contains("no answer after 2 tries") && said.contains("127.0.0.1"), "{said}");
}
