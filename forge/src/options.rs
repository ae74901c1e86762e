//! Options of a client: forge, repository, credentials.

use crate::ForgeError;
use std::{
    fmt,
    str::FromStr,
    sync::{Arc, Mutex},
    time::Duration,
};

/// An access token. It is sent, never printed.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Trims white space, because token files end in a line break.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }
}

impl Token {
    /// The value of the header `Authorization`.
    pub(crate) fn authorization(&self) -> Result<String, ForgeError> {
        if self.0.is_empty() {
            return Err(ForgeError::NoToken);
        }
        if !self.0.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(ForgeError::BadToken);
        }
        Ok(format!("Bearer {}", self.0))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// A repository: `OWNER/NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoName(String);

impl FromStr for RepoName {
    type Err = ForgeError;

    fn from_str(text: &str) -> Result<Self, ForgeError> {
        let sound = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        match text.split_once('/') {
            Some((owner, name)) if sound(owner) && sound(name) => Ok(Self(text.to_owned())),
            _ => Err(ForgeError::BadRepo(text.chars().flat_map(char::escape_default).collect())),
        }
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// How to wait between two tries.
#[derive(Debug, Clone, Default)]
pub enum RetrySleep {
    /// The thread sleeps.
    #[default]
    Sleep,
    /// Records the time instead of sleeping, for tests.
    Record(Arc<Mutex<Vec<Duration>>>),
}

impl RetrySleep {
    pub(crate) fn wait(&self, time: Duration) {
        match self {
            Self::Sleep => std::thread::sleep(time),
            Self::Record(waits) => {
                if let Ok(mut waits) = waits.lock() {
                    waits.push(time);
                }
            }
        }
    }
}

/// Options of a [`Forge`](crate::Forge).
#[derive(Debug, Clone)]
pub struct ForgeOptions {
    /// Base URL of the API, for example `https://api.github.com`.
    pub api_url: String,
    /// The repository.
    pub repo: RepoName,
    /// Access token; required except in a dry run.
    pub token: Option<Token>,
    /// Maximum number of times that a request is sent.
    pub tries: u32,
    /// Print requests instead of sending them; reads find nothing.
    pub dry_run: bool,
    /// How to wait between two tries.
    pub retry_sleep: RetrySleep,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_never_shown() {
        let token = Token::new(" ghp_secret\n");
        assert_eq!(format!("{token:?}"), "Token(..)");
        assert_eq!(token.authorization().unwrap(), "Bearer ghp_secret");
    }

    #[test]
    fn a_token_that_can_not_stand_in_a_header_is_refused() {
        assert!(matches!(Token::new(" \n").authorization(), Err(ForgeError::NoToken)));
        for wrong in ["a b", "a\nX-Other: b", "tök", "a\0"] {
            assert!(matches!(Token::new(wrong).authorization(), Err(ForgeError::BadToken)));
        }
    }

    #[test]
    fn repositories_are_two_names() {
        for wrong in ["", "a", "a/", "/b", "a/b/c", "a/../b", "a/b?x=1", "a b/c", "../b", "a/."] {
            assert!(wrong.parse::<RepoName>().is_err(), "{wrong:?}");
        }
        assert_eq!(
            "rustls/rustls.rs-x_1".parse::<RepoName>().unwrap().to_string(),
            "rustls/rustls.rs-x_1"
        );
    }
}
