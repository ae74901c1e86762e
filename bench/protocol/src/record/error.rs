//! Why a text is not a usable run record.

use super::SCHEMA_VERSION;

/// Why a text is not a usable run record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Not JSON, or cut off.
    #[error(
        "the record is not complete JSON (line {line}, column {column}): {source}. If the run was killed, finish it with `shakedown run --resume DIR`"
    )]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// JSON, but no record.
    #[error("this is not a run record: it has no number `schema`")]
    NotARecord,
    /// Written by a newer program.
    #[error(
        "the record has schema {found}, this program reads up to {SCHEMA_VERSION}: update shakedown"
    )]
    TooNew {
        /// Schema of the record.
        found: u64,
    },
    /// Written in a layout that was never published.
    #[error(
        "the record has schema {found}; the oldest that exists is 1: the file is damaged or not ours"
    )]
    TooOld {
        /// Schema of the record.
        found: u64,
    },
    /// A field that is missing or has another type.
    #[error("the record does not fit schema {schema}: {source}")]
    Shape {
        /// Schema of the record.
        schema: u64,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// Well-formed, but it can't be true.
    #[error("the record contradicts itself: {0}")]
    Contradiction(String),
}
