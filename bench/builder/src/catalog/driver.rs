//! Drivers and in-tree benchmark programs.

use crate::Release;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A driver package and the releases that it serves.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriverRecipe {
    /// Folder of the package, below `folder`.
    pub package: String,
    /// Where the package is: `bench/drivers`, or `bench/servers` for the driver of a real server.
    #[serde(default = "drivers_folder")]
    pub folder: String,
    /// The variant that it measures; without one, subjects that have no driver of their variant.
    pub variant: Option<String>,
    /// Sources that its build needs besides the library's.
    #[serde(default, rename = "source")]
    pub sources: Vec<DriverSource>,
    /// First release that it serves.
    pub since: Option<Release>,
    /// First release that it no longer serves.
    pub before: Option<Release>,
    /// Cargo features of every build; the package's default features are off.
    #[serde(default)]
    pub features: Vec<String>,
    /// Environment of the driver's build; `{prefix}` is where the library is installed.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Crates of the stack among the driver's dependencies; the subject's source replaces them. The
    /// version of the first one is the release.
    #[serde(default)]
    pub inject: Vec<InjectedCrate>,
}

fn drivers_folder() -> String {
    "bench/drivers".to_owned()
}

/// Source code that is built into a driver, from a crate of the registry.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriverSource {
    /// Name of the crate.
    #[serde(rename = "crate")]
    pub name: String,
    /// Version of the crate.
    pub version: String,
    /// SHA-256 of the crate.
    pub sha256: String,
    /// Folder within the crate.
    pub folder: String,
    /// Variable that tells the driver's build where it is.
    pub variable: String,
}

/// A benchmark program in a stack's own repository.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InTreeRecipe {
    /// Its package in the workspace.
    pub package: String,
    /// Folder of the package.
    pub folder: String,
    /// Source of the program, from that folder.
    pub source: String,
    /// Name of the binary; `None` if it is an example.
    pub bin: Option<String>,
    /// Name of the example; `None` if it is a binary.
    pub example: Option<String>,
    /// Folder in the repository that it reads at run time, relative to its working directory.
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
    /// First release that has it, if that is not the first release of the driver. In a checkout, the
    /// presence of the folder decides.
    pub since: Option<Release>,
}

impl DriverRecipe {
    /// Folder of the package, from the root of the repository.
    pub(crate) fn place(&self) -> PathBuf {
        Path::new(&self.folder).join(&self.package)
    }

    /// A driver that links no library.
    pub(crate) fn bare(package: &str) -> Self {
        Self {
            package: package.to_owned(),
            folder: drivers_folder(),
            variant: None,
            sources: Vec::new(),
            since: None,
            before: None,
            features: Vec::new(),
            environment: BTreeMap::new(),
            inject: Vec::new(),
        }
    }
}
