//! Comments, check runs, statuses and issues: found again, updated, never repeated.

#[path = "../common/mod.rs"]
mod common;
mod retries;

use common::{Waits, asked, options, with};
use shakedown_forge::{
    Forge, RunAttempt, WriteOutcome, comment,
    fake::{FakeForge, InjectedFault, LOGIN, NEWEST_RUN},
    issue,
};
use std::thread;

fn say(fake: &FakeForge, run: u64, text: &str) -> WriteOutcome {
    try_say(fake, run, text).unwrap()
}

fn try_say(
    fake: &FakeForge,
    run: u64,
    text: &str,
) -> Result<WriteOutcome, shakedown_forge::ForgeError> {
    with(fake, |forge| {
        let key = "shakedown".parse().unwrap();
        let attempt = RunAttempt { run, attempt: 1 };
        let wanted = comment::CommentContent { pull: 12, key: &key, attempt, author: LOGIN, text };
        comment::upsert(forge, &wanted)
    })
}

fn bodies(fake: &FakeForge) -> Vec<String> {
    let of = |(_, _, body): &(u64, String, String)| body.lines().skip(1).collect();
    fake.state().comments.values().map(of).collect()
}

#[test]
fn a_comment_is_written_once_then_updated() {
    let fake = FakeForge::start();
    assert_eq!(say(&fake, 1, "one"), WriteOutcome::Created(1));
    assert_eq!(say(&fake, 1, "one"), WriteOutcome::Unchanged(1));
    assert_eq!(say(&fake, 2, "two"), WriteOutcome::Updated(1));
    assert_eq!(bodies(&fake), ["two"]);
    // A run that was late does not put its old news in front.
    assert_eq!(say(&fake, 1, "one"), WriteOutcome::Superseded(1));
    assert_eq!(bodies(&fake), ["two"]);
    assert!(fake.state().requests.iter().all(|(_, _, token)| token == "6789"));
}

/// A workflow of the repository may repeat what a stranger wrote, under the same name as ours.
#[test]
fn a_stamp_of_a_run_that_never_was_is_overwritten() {
    let fake = FakeForge::start();
    for stamp in [format!("{}.1", NEWEST_RUN + 1), "7.2".to_owned(), u64::MAX.to_string() + ".1"] {
        let forged = format!("<!-- shakedown:comment key=shakedown run={stamp} -->\nall is well");
        fake.state().comments.insert(1, (12, LOGIN.to_owned(), forged));
        assert_eq!(say(&fake, 5, "2 regressed"), WriteOutcome::Updated(1), "{stamp}");
        assert_eq!(bodies(&fake), ["2 regressed"]);
    }
}

#[test]
fn comments_of_others_are_left_alone_whatever_they_say() {
    let fake = FakeForge::start();
    let forged = "<!-- shakedown:comment key=shakedown run=99.1 -->\nall is well";
    let other = "<!-- shakedown:comment key=another run=1.1 -->\nanother comparison";
    {
        let mut state = fake.state();
        for id in 1000..1030 {
            state.comments.insert(id, (12, "mallory".to_owned(), forged.to_owned()));
        }
        state.comments.insert(2000, (12, LOGIN.to_owned(), other.to_owned()));
        state.comments.insert(2001, (12, LOGIN.to_owned(), format!("> {forged}")));
        state.comments.insert(2002, (7, LOGIN.to_owned(), forged.to_owned()));
    }
    assert_eq!(say(&fake, 1, "2 regressed"), WriteOutcome::Created(1));
    assert_eq!(fake.state().comments.len(), 34);
    assert_eq!(say(&fake, 2, "1 regressed"), WriteOutcome::Updated(1));
    let pages = asked(&fake).iter().filter(|line| line.contains("page=4")).count();
    assert!(pages >= 2, "the list is read to its end: {:?}", asked(&fake));
}

#[test]
fn two_reporters_at_once_end_in_one_comment() {
    for round in 0..8 {
        let fake = FakeForge::start();
        fake.meet(2);
        thread::scope(|scope| {
            scope.spawn(|| say(&fake, 5, "older"));
            scope.spawn(|| say(&fake, 5 + round % 2, "newer"));
        });
        let created = asked(&fake).iter().filter(|line| line.starts_with("POST")).count();
        assert_eq!(created, 2, "both saw none and wrote one");
        let left = bodies(&fake);
        assert_eq!(left.len(), 1, "{left:?}");
        // With the same attempt either may win; a newer run always does.
        assert!(round % 2 == 0 || left == ["newer"], "{left:?}");
    }
}

#[test]
fn a_comment_that_somebody_deletes_meanwhile_is_written_again() {
    let fake = FakeForge::start();
    say(&fake, 1, "one");
    fake.fail(InjectedFault {
        of: ("PATCH", "/comments/1"),
        status: 404,
        ..InjectedFault::default()
    });
    assert_eq!(say(&fake, 2, "two"), WriteOutcome::Updated(1));
    assert_eq!(bodies(&fake), ["two"]);
}

#[test]
fn a_body_over_the_limit_is_an_error_of_the_forge_not_a_panic() {
    let fake = FakeForge::start();
    let said = try_say(&fake, 1, &"x".repeat(comment::LIMIT)).unwrap_err().to_string();
    assert!(said.contains("422") && said.contains("too long"), "{said}");
}

fn open(fake: &FakeForge, key: &str, text: &str) -> WriteOutcome {
    with(fake, |forge| {
        let key = key.parse().unwrap();
        let labels = ["performance".to_owned()];
        let title = format!("title of {key}");
        let wanted =
            issue::IssueContent { key: &key, title: &title, text, labels: &labels, author: LOGIN };
        issue::upsert(forge, &wanted)
    })
    .unwrap()
}

#[test]
fn an_issue_is_opened_once_a_cause_updated_and_closed() {
    let fake = FakeForge::start();
    assert_eq!(open(&fake, "a", "one"), WriteOutcome::Created(1));
    assert_eq!(open(&fake, "a", "one"), WriteOutcome::Unchanged(1));
    assert_eq!(open(&fake, "b", "other"), WriteOutcome::Created(2));
    assert_eq!(open(&fake, "a", "two"), WriteOutcome::Updated(1));
    assert_eq!(fake.state().issues[&1]["labels"][0], "performance");
    let close = |key: &'static str| {
        let close =
            |forge: &Forge| issue::close(forge, &key.parse().unwrap(), LOGIN, "gone since 91aa");
        with(&fake, close).unwrap()
    };
    assert_eq!(close("a"), [1]);
    assert_eq!(close("a"), [] as [u64; 0]);
    assert_eq!(fake.state().issues[&1]["state"], "closed");
    assert_eq!(fake.state().issues[&2]["state"], "open");
    assert_eq!(bodies_of(&fake, 1), ["gone since 91aa"]);
    // The same cause again is news.
    assert_eq!(open(&fake, "a", "again"), WriteOutcome::Created(4));
}

fn bodies_of(fake: &FakeForge, issue: u64) -> Vec<String> {
    let state = fake.state();
    let of = state.comments.values().filter(|(number, ..)| *number == issue);
    of.map(|(_, _, body)| body.clone()).collect()
}

#[test]
fn a_dry_run_sends_nothing() {
    let fake = FakeForge::start();
    let waits = Waits::default();
    let dry =
        shakedown_forge::ForgeOptions { dry_run: true, token: None, ..options(&fake, &waits) };
    let forge = Forge::new(dry).unwrap();
    let key = "shakedown".parse().unwrap();
    let attempt = RunAttempt::default();
    let wanted = comment::CommentContent { pull: 12, key: &key, attempt, author: LOGIN, text: "x" };
    assert_eq!(comment::upsert(&forge, &wanted).unwrap(), WriteOutcome::DryRun);
    assert_eq!(issue::close(&forge, &key, LOGIN, "gone").unwrap(), [] as [u64; 0]);
    assert!(fake.state().requests.is_empty());
}
