//! Errors in names and in the catalog.

use std::path::PathBuf;

/// Why a name could not be resolved. Always an input error: exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// A catalog file that can't be read.
    #[error("can't read the catalog {}: {reason}", path.display())]
    Read {
        /// File or folder.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A catalog file with a mistake.
    #[error("{}:{line}: {message}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// No such stack.
    #[error("unknown stack `{found}`{}: the catalog has {}", near_text(near), known.join(", "))]
    Stack {
        /// The requested name.
        found: String,
        /// Names close to it.
        near: Vec<String>,
        /// Every name.
        known: Vec<String>,
    },
    /// No such release.
    #[error(
        "unknown version `{found}` of {stack}{}: the catalog has {}{upstream}. For any other code write {stack}@git:REVISION, {stack}@path:DIR or {stack}@tarball:FILE#SHA256",
        near_text(near), known.join(", ")
    )]
    Version {
        /// Stack.
        stack: String,
        /// The requested name.
        found: String,
        /// Releases close to it.
        near: Vec<String>,
        /// Every release, oldest first.
        known: Vec<String>,
        /// The answer of the stack's repository, if it was queried.
        upstream: String,
    },
    /// No such build variant.
    #[error("unknown build variant `+{found}` of {stack}{}: it has {}", near_text(near), known.join(", "))]
    Variant {
        /// Stack.
        stack: String,
        /// The requested name.
        found: String,
        /// Variants close to it.
        near: Vec<String>,
        /// Every variant.
        known: Vec<String>,
    },
    /// Two variants exclude each other.
    #[error("{stack} can't be both +{one} and +{two}: choose one")]
    Conflict {
        /// Stack.
        stack: String,
        /// One variant.
        one: String,
        /// The other.
        two: String,
    },
    /// The release does not have this variant.
    #[error("{stack} {version} has no variant +{variant}: {reason}")]
    VariantVersion {
        /// Stack.
        stack: String,
        /// The release.
        version: String,
        /// The variant.
        variant: String,
        /// The releases that have it.
        reason: String,
    },
    /// The variant is for processors of another architecture.
    #[error("{stack} has +{variant} on {} only, and this machine is {here}", known.join(", "))]
    VariantArchitecture {
        /// Stack.
        stack: String,
        /// The variant.
        variant: String,
        /// Architecture of this machine.
        here: String,
        /// Architectures that have it.
        known: Vec<String>,
    },
    /// No driver serves this release.
    #[error("no driver serves {stack} {version}: the catalog has drivers for {}", known.join(", "))]
    Driver {
        /// Stack.
        stack: String,
        /// The release.
        version: String,
        /// Releases that the drivers serve.
        known: Vec<String>,
    },
    /// The stack is measured as the system has it.
    #[error("{stack} is measured as this machine has it: write {stack} or {stack}@VERSION")]
    SystemOnly {
        /// Stack.
        stack: String,
    },
    /// The stack is measured as releases of Go.
    #[error("{stack} is measured as releases of Go: write {stack} or {stack}@VERSION")]
    ToolchainOnly {
        /// Stack.
        stack: String,
    },
    /// The stack does not support this kind of source.
    #[error("{stack} has no git repository in the catalog: name one, {stack}@git:URL#REVISION")]
    NoRepository {
        /// Stack.
        stack: String,
    },
}

impl CatalogError {
    /// This error, with the answer of the stack's repository about the version.
    pub(crate) fn with_upstream(mut self, said: String) -> Self {
        if let Self::Version { upstream, .. } = &mut self {
            *upstream = said;
        }
        self
    }
}

/// ` (did you mean x or y?)`, or nothing.
fn near_text(near: &[String]) -> String {
    if near.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    format!(" (did you mean {}?)", quoted.join(" or "))
}

/// Up to three names in `known` that resemble `found`, the closest first.
pub(super) fn near<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut scored: Vec<(f64, &str)> = known
        .map(|name| {
            (
                strsim::jaro_winkler(found, name)
                    .max(strsim::normalized_damerau_levenshtein(found, name)),
                name,
            )
        })
        .filter(|(score, _)| *score >= 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}
