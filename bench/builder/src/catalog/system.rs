//! Libraries that the system has, with their headers.

use serde::Deserialize;

/// A library or language that is installed on this machine: nothing is fetched or built, and the release is
/// the one that is there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemSource {
    /// Package in Debian and Ubuntu that brings it.
    pub package: String,
    /// A call that prints the release; the first number with a dot counts.
    pub version: Vec<String>,
    /// What the digest of the source covers.
    pub files: Vec<SystemFiles>,
}

/// Files of a library that the system has.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemFiles {
    /// A call that prints the folder.
    pub folder: Vec<String>,
    /// Files and folders in it. With a shared object come all those that it loads.
    pub names: Vec<String>,
}
