//! Build variants, and the programs that builds need.

use super::library::VersionedOptions;
use crate::Release;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A way to build.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Name in subjects, behind `+`.
    pub name: String,
    /// For people.
    pub description: String,
    /// Variants of one group exclude each other.
    pub group: Option<String>,
    /// Whether it is the default of its group.
    #[serde(default)]
    pub default: bool,
    /// Other variants that it excludes.
    #[serde(default)]
    pub conflicts: Vec<String>,
    /// First release that has it.
    pub since: Option<Release>,
    /// First release that no longer has it.
    pub before: Option<Release>,
    /// Options for the library's build.
    #[serde(default)]
    pub options: Vec<VersionedOptions>,
    /// Environment of the library's build and the driver's.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Environment that the driver runs with, by processor architecture (`x86_64`). A machine of another
    /// one does not have the variant.
    #[serde(default)]
    pub run_environment: BTreeMap<String, BTreeMap<String, String>>,
    /// Cargo features of the driver.
    #[serde(default)]
    pub features: Vec<String>,
    /// Flags for rustc, for the driver and all its dependencies.
    #[serde(default)]
    pub rustflags: Vec<String>,
    /// Settings of cargo's release profile, for the driver and all its dependencies.
    #[serde(default)]
    pub profile: BTreeMap<String, toml::Value>,
    /// Programs that it needs in addition to the stack's.
    #[serde(default)]
    pub requires: Vec<RequiredProgram>,
}

/// A program that a build needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredProgram {
    /// Its name.
    pub program: String,
    /// Its package in Debian and Ubuntu.
    pub package: String,
    /// Arguments of a call that succeeds if the program is suitable.
    #[serde(default)]
    pub check: Vec<String>,
}
