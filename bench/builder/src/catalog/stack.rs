//! A stack's file in the catalog. A new stack needs such a file and a driver, nothing else.

use super::{
    driver::{DriverRecipe, InTreeRecipe},
    library::LibraryRecipe,
    range::in_range,
    source::{CrateSource, GitSource, KnownRelease, ToolchainSource},
    system::SystemSource,
    variant::{RequiredProgram, Variant},
};
use crate::Release;
use serde::Deserialize;

/// A TLS library family: its releases, and how to build them.
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
    /// The library as the system has it, in place of releases.
    pub system: Option<SystemSource>,
    /// Releases are toolchains of Go.
    pub toolchain: Option<ToolchainSource>,
    /// Known releases.
    #[serde(default, rename = "release")]
    pub releases: Vec<KnownRelease>,
    /// How to build the library, unless it is a crate that cargo builds.
    pub library: Option<LibraryRecipe>,
    /// Drivers, each for a range of releases.
    #[serde(rename = "driver")]
    pub drivers: Vec<DriverRecipe>,
    /// Benchmark programs in the library's own tree. The first one whose manifest and source a tree
    /// contains is used.
    #[serde(default, rename = "in-tree")]
    pub in_tree: Vec<InTreeRecipe>,
    /// Build variants.
    #[serde(default, rename = "variant")]
    pub variants: Vec<Variant>,
    /// Variants of the reference build, at most one per group. It is the build that the project
    /// recommends or its users get, and the one in comparisons of stacks.
    #[serde(default)]
    pub reference: Vec<String>,
    /// Programs that every build of this stack needs, besides cargo and a linker.
    #[serde(default)]
    pub requires: Vec<RequiredProgram>,
    /// Free space that a build needs, in MiB.
    #[serde(default = "default_disk")]
    pub disk_mib: u64,
}

const fn default_disk() -> u64 {
    1024
}

impl CatalogStack {
    /// The driver for a release that is built in these variants: that of one of them, or else the one
    /// that is for none.
    pub fn driver(&self, release: &Release, variants: &[String]) -> Option<&DriverRecipe> {
        let serves = |d: &&DriverRecipe| in_range(release, d.since.as_ref(), d.before.as_ref());
        let mut of_variants = self.drivers.iter().filter(serves);
        let of_variant =
            of_variants.find(|d| d.variant.as_ref().is_some_and(|name| variants.contains(name)));
        of_variant.or_else(|| self.drivers.iter().filter(serves).find(|d| d.variant.is_none()))
    }

    /// Where new releases appear: the URL of its repository, or the module of Go's toolchains.
    pub fn upstream(&self) -> Option<&str> {
        let module = self.toolchain.as_ref().map(|_| ToolchainSource::MODULE);
        self.git.as_ref().map(|git| &*git.url).or(module)
    }

    /// Whether there is no library, so that the driver itself is measured.
    pub fn is_bare(&self) -> bool {
        let injects = self.drivers.iter().any(|driver| !driver.inject.is_empty());
        let none = self.library.is_none() && self.system.is_none();
        none && self.releases.is_empty() && !injects
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
