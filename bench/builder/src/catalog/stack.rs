//! A stack's file in the catalog. A new stack needs such a file and a driver, nothing else.

use super::{
    driver::{DriverRecipe, InTreeRecipe},
    library::LibraryRecipe,
    range::in_range,
    source::{CrateSource, GitSource, KnownRelease},
    variant::{RequiredProgram, Variant},
};
use crate::Release;
use serde::Deserialize;

/// A TLS library family: what exists of it and how it is built.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogStack {
    /// Name in subjects.
    pub name: String,
    /// For people.
    pub title: String,
    /// Series or release that a subject without a version means.
    pub default: Release,
    /// Repository for `git:` subjects.
    pub git: Option<GitSource>,
    /// Registry crate that carries the releases.
    #[serde(rename = "crate")]
    pub registry: Option<CrateSource>,
    /// Known releases.
    #[serde(default, rename = "release")]
    pub releases: Vec<KnownRelease>,
    /// How the library is built when it is not a crate that cargo builds itself.
    pub library: Option<LibraryRecipe>,
    /// Drivers, each for a range of releases.
    #[serde(rename = "driver")]
    pub drivers: Vec<DriverRecipe>,
    /// Benchmark programs that revisions carry themselves; the first whose manifest and source
    /// are in a tree is the tree's.
    #[serde(default, rename = "in-tree")]
    pub in_tree: Vec<InTreeRecipe>,
    /// Build variants.
    #[serde(default, rename = "variant")]
    pub variants: Vec<Variant>,
    /// The reference build: names of the variants that make it, at most one of a group. It is the
    /// build that the project recommends or its users get, and that stacks are compared with.
    #[serde(default)]
    pub reference: Vec<String>,
    /// Programs that every build of this stack needs, besides cargo and a linker.
    #[serde(default)]
    pub requires: Vec<RequiredProgram>,
    /// Free space that a build wants, in MiB.
    #[serde(default = "default_disk")]
    pub disk_mib: u64,
}

const fn default_disk() -> u64 {
    1024
}

impl CatalogStack {
    /// The driver for a release.
    pub fn driver(&self, release: &Release) -> Option<&DriverRecipe> {
        self.drivers.iter().find(|d| in_range(release, d.since.as_ref(), d.before.as_ref()))
    }

    /// Whether there is no library at all: the driver is what is measured.
    pub fn is_bare(&self) -> bool {
        let injects = self.drivers.iter().any(|driver| !driver.inject.is_empty());
        self.library.is_none() && self.releases.is_empty() && !injects
    }

    /// The variant of that name.
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    /// Releases, oldest first.
    pub fn known(&self) -> Vec<&KnownRelease> {
        let mut known: Vec<&KnownRelease> = self.releases.iter().collect();
        known.sort_by(|a, b| a.version.cmp(&b.version));
        known
    }
}
