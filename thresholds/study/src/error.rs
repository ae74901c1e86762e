//! What is wrong with a study's file.

/// Why a text is not a study.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// It is not TOML, or has an unknown or missing key.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// A part of it contradicts another one.
    #[error("{place}: {problem}")]
    Contradiction {
        /// The run or claim.
        place: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
}
