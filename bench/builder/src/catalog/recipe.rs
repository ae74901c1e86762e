//! The shape of a stack's file. A new stack needs nothing but such a file and its driver.

use crate::Release;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A TLS library family: what exists of it and how it is built.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
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
    pub releases: Vec<Known>,
    /// How the library is built when it is not a crate that cargo builds itself.
    pub library: Option<Library>,
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
    pub requires: Vec<Program>,
    /// Free space that a build wants, in MiB.
    #[serde(default = "default_disk")]
    pub disk_mib: u64,
}

const fn default_disk() -> u64 {
    1024
}

/// Where a stack is developed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitSource {
    /// Repository.
    pub url: String,
    /// Regular expression over tag names; what its first group matches is the release, with
    /// `_` read as `.`. Used to look for new releases.
    pub tags: Option<String>,
}

/// The registry crate that a stack's releases come in.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrateSource {
    /// Name of the crate.
    pub name: String,
    /// Folder of the library inside the crate; the crate itself when empty.
    #[serde(default)]
    pub folder: String,
    /// First release that can be had by its number alone, without an entry: cargo verifies it
    /// against the registry's index. A series then means the newest release in the registry.
    pub since: Option<Release>,
    /// Whether the release is the build metadata of the crate's version
    /// (`300.5.5+3.5.5` is 3.5.5) and not the version itself.
    #[serde(default)]
    pub release_in_metadata: bool,
}

/// A release that the catalog knows, with the digest of its source.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Release number.
    pub version: Release,
    /// Version of the crate that carries it, when that is another number.
    pub crate_version: Option<String>,
    /// Tarball, for releases that are not in a crate.
    pub tarball: Option<String>,
    /// Tag of the stack's repository, for releases that are only there.
    pub tag: Option<String>,
    /// Commit that the tag named when the catalog took it in. A tag can be moved, a commit
    /// can't: this is what is built.
    pub commit: Option<String>,
    /// SHA-256 of the crate or tarball; empty for a release with a `commit`.
    #[serde(default)]
    pub sha256: String,
}

/// How a library that is not built by cargo is built.
///
/// Arguments may contain `{source}` (the tree), `{build}` (an empty folder, the working
/// directory of each step), `{prefix}` (where the result goes), `{jobs}` and `{target}`.
/// An argument that is `{options}` alone stands for all options.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// Word for `{target}`, by architecture as Rust names it.
    #[serde(default)]
    pub targets: BTreeMap<String, String>,
    /// Options of every build, by range of releases.
    #[serde(default)]
    pub options: Vec<Options>,
    /// Environment of every step.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The steps, in order.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
    /// Where the release number stands in a tree; the first that matches counts.
    #[serde(default, rename = "version")]
    pub versions: Vec<TreeVersion>,
    /// Files that must be there afterwards, under `{prefix}`: the archives that are looked
    /// into for the compilers.
    pub archives: Vec<String>,
}

/// Options for a range of releases.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
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
pub struct Step {
    /// For progress and errors.
    pub name: String,
    /// Program and arguments; no shell is involved.
    pub run: Vec<String>,
    /// First release that has this step.
    pub since: Option<Release>,
    /// First release that no longer has it.
    pub before: Option<Release>,
}

/// Where the release number stands in a tree.
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
    pub inject: Vec<Inject>,
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
pub struct Inject {
    /// Name of the crate.
    #[serde(rename = "crate")]
    pub name: String,
    /// Its folder in a checkout.
    pub folder: String,
    /// First release that has it, where that is not the first of the driver. In a checkout
    /// the folder tells.
    pub since: Option<Release>,
}

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
    /// Whether this one of its group is meant when none is named.
    #[serde(default)]
    pub default: bool,
    /// Other variants that it can't go with.
    #[serde(default)]
    pub conflicts: Vec<String>,
    /// First release that has it.
    pub since: Option<Release>,
    /// First release that no longer has it.
    pub before: Option<Release>,
    /// Options for the library's build.
    #[serde(default)]
    pub options: Vec<Options>,
    /// Environment of the library's build and the driver's.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Cargo features of the driver.
    #[serde(default)]
    pub features: Vec<String>,
    /// Flags for rustc, for the driver and all its dependencies.
    #[serde(default)]
    pub rustflags: Vec<String>,
    /// Settings of cargo's release profile, for the driver and all its dependencies.
    #[serde(default)]
    pub profile: BTreeMap<String, toml::Value>,
    /// Programs that it needs besides the stack's.
    #[serde(default)]
    pub requires: Vec<Program>,
}

/// A program that a build needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name.
    pub program: String,
    /// Package of Debian and Ubuntu that has it.
    pub package: String,
    /// Arguments of a call that succeeds when it is fit for the job.
    #[serde(default)]
    pub check: Vec<String>,
}

/// Whether `release` lies in `since..before`.
pub(crate) fn in_range(
    release: &Release,
    since: Option<&Release>,
    before: Option<&Release>,
) -> bool {
    since.is_none_or(|since| release >= since) && before.is_none_or(|before| release < before)
}

/// `>= since, < before` in words.
pub(crate) fn range_text(since: Option<&Release>, before: Option<&Release>) -> String {
    match (since, before) {
        (None, None) => "every version".to_owned(),
        (Some(since), None) => format!("{since} and later"),
        (None, Some(before)) => format!("versions before {before}"),
        (Some(since), Some(before)) => format!("{since} and later, before {before}"),
    }
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

impl Stack {
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
    pub fn known(&self) -> Vec<&Known> {
        let mut known: Vec<&Known> = self.releases.iter().collect();
        known.sort_by(|a, b| a.version.cmp(&b.version));
        known
    }
}
