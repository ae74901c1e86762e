//! What can go wrong between us and the forge.

use std::time::Duration;

/// Why a request to a forge failed.
#[derive(Debug, thiserror::Error)]
pub enum ForgeError {
    /// No token was given.
    #[error("there is no token: set GITHUB_TOKEN, or name a file with --token-file")]
    NoToken,
    /// The token contains characters that a header can't have.
    #[error("the token holds characters that no token has; is the right file named?")]
    BadToken,
    /// The repository's name is invalid.
    #[error("`{0}` is not a repository: write OWNER/NAME")]
    BadRepo(String),
    /// The address of the API is invalid.
    #[error("`{0}` is not the address of an API: write https://HOST or https://HOST/PATH")]
    BadUrl(String),
    /// No answer.
    #[error(
        "{method} {path}: no answer after {tries} tries: {reason}. Is {api_url} reachable from here?"
    )]
    NoAnswer {
        /// Method of the request.
        method: &'static str,
        /// Its path.
        path: String,
        /// How often it was sent.
        tries: u32,
        /// What the last try met.
        reason: String,
        /// Where the API should be.
        api_url: String,
    },
    /// The forge said no.
    #[error("{method} {path}: {status}: {message}{}", advice(*.status))]
    Refused {
        /// Method of the request.
        method: &'static str,
        /// Its path.
        path: String,
        /// Status of the answer.
        status: u16,
        /// Errors of the forge.
        message: String,
    },
    /// A limit that lasts longer than anybody should wait.
    #[error("{method} {path}: the forge's limit is used up; it asks to wait for {} s. Run this again then", .wait.as_secs())]
    Limited {
        /// Method of the request.
        method: &'static str,
        /// Its path.
        path: String,
        /// How long the forge asks to wait.
        wait: Duration,
    },
    /// An answer that is not what the interface says.
    #[error("{path}: the forge's answer is not as documented: {reason}")]
    Shape {
        /// Path of the request.
        path: String,
        /// What does not fit.
        reason: String,
    },
    /// An answer that is too large.
    #[error("{path}: the answer is larger than {limit} bytes")]
    TooLarge {
        /// Path of the request.
        path: String,
        /// What is read at most, in bytes.
        limit: u64,
    },
    /// A GitHub App's key that can't be used.
    #[error("{path} is no key of a GitHub App: {reason}")]
    Key {
        /// Its file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The forge does not take a GitHub App for what it says it is.
    #[error(
        "the forge refuses the GitHub App: {0}. Check its ID, that the key is still one of its keys, and the clock of this host"
    )]
    App(String),
    /// The answer of a request that a dry run did not send.
    #[error("a dry run has no {0}")]
    DryRun(&'static str),
    /// A runner of the wanted name that is at work.
    #[error("a runner named `{name}` is {status}: give this host another name")]
    NameTaken {
        /// The name.
        name: String,
        /// What the forge says of that runner.
        status: String,
    },
    /// The requested thing does not exist.
    #[error("{0}")]
    NotFound(String),
    /// A file or folder.
    #[error("{path}: {source}")]
    File {
        /// Its path.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
}

impl ForgeError {
    /// The status with which the forge refused, if it did.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }
}

/// What to do about a refusal.
const fn advice(status: u16) -> &'static str {
    match status {
        401 => ". Is the token the right one, and still valid?",
        403 => ". Does the job's `permissions` allow it?",
        404 => ". Is the repository's name right, and may the token see it?",
        _ => "",
    }
}
