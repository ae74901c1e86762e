//! How a library that cargo does not build is built.

use crate::Release;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How a library that is not built by cargo is built.
///
/// Arguments may contain `{source}` (the tree), `{build}` (an empty folder, the working
/// directory of each step), `{prefix}` (where the result goes), `{jobs}` and `{target}`.
/// An argument that is only `{options}` is replaced by all options.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryRecipe {
    /// Word for `{target}`, by architecture as Rust names it.
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
    /// Where to find the release number in a tree; the first match counts.
    #[serde(default, rename = "version")]
    pub versions: Vec<TreeVersion>,
    /// Files that must be there afterwards, under `{prefix}`: the archives that are looked
    /// into for the compilers.
    pub archives: Vec<String>,
}

/// Options for a range of releases.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionedOptions {
    /// First release that takes them.
    pub since: Option<Release>,
    /// First release that no longer does.
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

/// Where to find the release number in a tree.
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
