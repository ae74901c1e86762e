//! Where a stack's source comes from.

use crate::Release;
use serde::Deserialize;

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

/// The registry crate that contains a stack's releases.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrateSource {
    /// Name of the crate.
    pub name: String,
    /// Folder of the library inside the crate; the crate itself when empty.
    #[serde(default)]
    pub folder: String,
    /// First release that needs no entry: from there on the number suffices, and cargo verifies the
    /// crate against the registry's index. A series then means the newest release in the registry.
    pub since: Option<Release>,
    /// Whether the release is the build metadata of the crate's version
    /// (`300.5.5+3.5.5` is 3.5.5) and not the version itself.
    #[serde(default)]
    pub release_in_metadata: bool,
}

/// The toolchain of Go, which has the library and compiles the driver. Releases are modules, which the checksum
/// database verifies.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolchainSource {
    /// First release that needs no entry: from there on the number suffices.
    pub since: Release,
}

impl ToolchainSource {
    /// The module whose versions are Go's toolchains (<https://go.dev/doc/toolchain>).
    pub const MODULE: &str = "golang.org/toolchain";
}

/// A release that the catalog knows, with the digest of its source.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownRelease {
    /// Release number.
    pub version: Release,
    /// Version of the crate that contains it, if the number differs.
    pub crate_version: Option<String>,
    /// Tarball, for releases that are not in a crate.
    pub tarball: Option<String>,
    /// Tag in the stack's repository, for releases that exist only there.
    pub tag: Option<String>,
    /// Commit of the tag when it entered the catalog. Builds use the commit, because a tag can be
    /// moved.
    pub commit: Option<String>,
    /// SHA-256 of the crate or tarball; empty for a release with a `commit`, and for a toolchain.
    #[serde(default)]
    pub sha256: String,
}
