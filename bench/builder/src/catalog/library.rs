//! How to build a library that cargo does not build.

use crate::Release;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How to build a library that cargo does not build.
///
/// Arguments may contain `{source}` (the tree), `{build}` (an empty folder, the working
/// directory of each step), `{prefix}` (where the library is installed), `{root}` (the folder that
/// all of these are in, absolute), `{jobs}` and `{target}`.
/// An argument that consists of `{options}` expands to all options.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryRecipe {
    /// Value of `{target}`, by Rust's name of the architecture.
    #[serde(default)]
    pub targets: BTreeMap<String, String>,
    /// Options of every build, by range of releases.
    #[serde(default)]
    pub options: Vec<VersionedOptions>,
    /// Environment of every step.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The steps, in order.
    #[serde(rename = "step")]
    pub steps: Vec<BuildStep>,
    /// Where a tree contains its release number; the first match counts.
    #[serde(default, rename = "version")]
    pub versions: Vec<TreeVersion>,
    /// Files under `{prefix}` that the build must produce: archives, whose objects name their
    /// compilers.
    pub archives: Vec<String>,
}

/// Options for a range of releases.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionedOptions {
    /// First release with these options.
    pub since: Option<Release>,
    /// First release without them.
    pub before: Option<Release>,
    /// The options.
    pub add: Vec<String>,
}

/// One step of a library's build.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildStep {
    /// For progress and errors.
    pub name: String,
    /// Program and arguments; no shell is involved.
    pub run: Vec<String>,
    /// First release that has this step.
    pub since: Option<Release>,
    /// First release that no longer has it.
    pub before: Option<Release>,
}

/// Where a tree contains its release number.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeVersion {
    /// File in the tree.
    pub file: String,
    /// Regular expression over its text.
    pub pattern: String,
    /// The release number, with `$1`... for the groups; a `-` at the end is dropped.
    pub release: String,
}
