//! Which driver serves a release, and which benchmark program a revision contains.

use crate::Release;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A driver package and the releases that it serves.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriverRecipe {
    /// Folder under `bench/drivers`.
    pub package: String,
    /// First release that it serves.
    pub since: Option<Release>,
    /// First release that it no longer serves.
    pub before: Option<Release>,
    /// Cargo features of every build; the package's default features are off.
    #[serde(default)]
    pub features: Vec<String>,
    /// Environment of the driver's build; `{prefix}` is where the library went.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Crates of the stack that the driver depends on and that the subject's source takes
    /// the place of; the first one's version is the release.
    #[serde(default)]
    pub inject: Vec<InjectedCrate>,
}

/// A benchmark program in a stack's own repository.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InTreeRecipe {
    /// Package of the workspace that it belongs to.
    pub package: String,
    /// Folder of the package.
    pub folder: String,
    /// Source of the program, from that folder.
    pub source: String,
    /// Name of the binary; `None` if it is an example.
    pub bin: Option<String>,
    /// Name of the example; `None` if it is a binary.
    pub example: Option<String>,
    /// Folder of the repository that it reads at run time, from its working directory.
    pub data: Option<String>,
}

/// A crate of the stack among the driver's dependencies.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InjectedCrate {
    /// Name of the crate.
    #[serde(rename = "crate")]
    pub name: String,
    /// Its folder in a checkout.
    pub folder: String,
    /// First release that has it, where that is not the first of the driver. In a checkout
    /// the folder tells.
    pub since: Option<Release>,
}

impl DriverRecipe {
    /// A driver that links no library.
    pub(crate) fn bare(package: &str) -> Self {
        Self {
            package: package.to_owned(),
            since: None,
            before: None,
            features: Vec::new(),
            environment: BTreeMap::new(),
            inject: Vec::new(),
        }
    }
}
