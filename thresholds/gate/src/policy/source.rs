//! The text of a policy, and errors that name their line in it.

use serde::Deserialize;
use std::ops::Range;

/// Something in a policy that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct PolicyError {
    /// Name of the file.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

/// A text with its name, for errors.
pub(super) struct PolicyText<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

impl PolicyText<'_> {
    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        before.matches('\n').count() + 1
    }

    pub(super) fn error(&self, line: usize, message: impl Into<String>) -> PolicyError {
        PolicyError { file: self.file.to_owned(), line, message: message.into() }
    }

    /// Reads the text as `T`.
    pub(super) fn read<T: for<'de> Deserialize<'de>>(&self) -> Result<T, PolicyError> {
        toml::from_str(self.text).map_err(|error| {
            let line = error.span().map_or(1, |span| self.line(&span));
            self.error(line, error.message())
        })
    }
}
