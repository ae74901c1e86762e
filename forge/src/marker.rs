//! The marker: a hidden first line by which we find our own comments and issues, and tell old from
//! new.

use std::{fmt, str::FromStr};

/// Identifies one of our comments, check runs, statuses or issues among those of the same kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentKey(String);

/// The text is not a valid key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` can't be a key: 1 to 200 letters, digits and any of . _ : / @ + - , and no two dashes in a row"
)]
pub struct ContentKeyError(String);

impl FromStr for ContentKey {
    type Err = ContentKeyError;

    fn from_str(text: &str) -> Result<Self, ContentKeyError> {
        let sound = |c: char| c.is_ascii_alphanumeric() || ".-_:/@+,".contains(c);
        // Two dashes end an HTML comment.
        if text.is_empty() || text.len() > 200 || !text.chars().all(sound) || text.contains("--") {
            return Err(ContentKeyError(
                text.chars().take(80).flat_map(char::escape_default).collect(),
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ContentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The attempt of a workflow run that wrote something. Later attempts compare greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunAttempt {
    /// Id of the workflow run; ids increase.
    pub run: u64,
    /// Number of the attempt.
    pub attempt: u64,
}

impl fmt::Display for RunAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.run, self.attempt)
    }
}

impl FromStr for RunAttempt {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (run, attempt) = text.split_once('.').ok_or(())?;
        let number = |text: &str| text.parse().map_err(|_| ());
        Ok(Self { run: number(run)?, attempt: number(attempt)? })
    }
}

/// The marker line.
pub(crate) fn line(kind: &str, key: &ContentKey, attempt: RunAttempt) -> String {
    format!("<!-- shakedown:{kind} key={key} run={attempt} -->")
}

/// The attempt in the first line of `body`, if that is a marker with this kind and key.
pub(crate) fn read(kind: &str, key: &ContentKey, body: &str) -> Option<RunAttempt> {
    let first = body.lines().next()?;
    let rest = first.strip_prefix(&format!("<!-- shakedown:{kind} key={key} run="))?;
    rest.strip_suffix(" -->")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(key in "[a-z0-9.:/@+]{1,40}", run: u64, attempt: u64) {
            let key: ContentKey = key.parse().unwrap();
            let written = RunAttempt { run, attempt };
            let body = format!("{}\nthe text", line("comment", &key, written));
            prop_assert_eq!(read("comment", &key, &body), Some(written));
            prop_assert_eq!(read("issue", &key, &body), None);
        }

        #[test]
        fn no_body_makes_reading_panic(body in ".{0,80}") {
            let key: ContentKey = "k".parse().unwrap();
            let _ = read("comment", &key, &body);
            let _ = read("comment", &key, &format!("<!-- shakedown:comment key=k run={body}"));
        }
    }

    #[test]
    fn a_key_can_not_end_the_comment_it_stands_in() {
        for wrong in ["", "a b", "x-->", "a--b", "ü", "a\n"] {
            assert!(wrong.parse::<ContentKey>().is_err(), "{wrong:?}");
        }
        assert!("change:rustls@git:main/handshake-full:6bf3..91aa".parse::<ContentKey>().is_ok());
    }

    #[test]
    fn another_key_or_place_is_not_ours() {
        let key: ContentKey = "pr".parse().unwrap();
        for body in [
            "<!-- shakedown:comment key=pr-2 run=1.1 -->",
            "> <!-- shakedown:comment key=pr run=1.1 -->",
            "hello\n<!-- shakedown:comment key=pr run=1.1 -->",
            "<!-- shakedown:comment key=pr run=1 -->",
            "",
        ] {
            assert_eq!(read("comment", &key, body), None, "{body}");
        }
    }

    #[test]
    fn later_runs_are_greater() {
        let of = |run, attempt| RunAttempt { run, attempt };
        assert!(of(2, 1) > of(1, 9) && of(2, 2) > of(2, 1));
    }
}
