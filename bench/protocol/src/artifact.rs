//! A driver binary and where it came from.

use crate::Subject;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where the library's code came from, as found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceSeen {
    /// `crate`, `git`, `tarball`, `path`, `system` or `go module`.
    pub kind: String,
    /// Crate name and version, repository URL, file or folder.
    pub origin: String,
    /// Full commit id, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// SHA-256 over the archive, or over the names and contents of the tree.
    pub sha256: String,
}

/// A compiler found in the built objects (their `.comment` sections), not the one asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompilerSeen {
    /// What the compiler wrote, for example `GCC: (Debian 12.2.0-14) 12.2.0`.
    pub comment: String,
    /// How many objects carry it.
    pub objects: u32,
}

/// A driver binary built for one subject, with its provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Artifact {
    /// Key of the artifact in the cache: digest over everything that went in.
    pub id: String,
    /// The subject, with its version resolved to what was built.
    pub subject: Subject,
    /// Package under `bench/drivers` that was built.
    pub driver: String,
    /// SHA-256 over the sources of the driver, the driver crate and the protocol crate.
    pub driver_sha256: String,
    /// Folder in the library's own tree that the driver was taken from, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_driver: Option<String>,
    /// The library's source.
    pub source: SourceSeen,
    /// Whether it is the stack's reference build, the one that stacks are compared with.
    #[serde(default)]
    pub reference: bool,
    /// Variant of the driver for each part of the library's API that has changed over time, for
    /// a driver that finds these when it is built.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub surfaces: BTreeMap<String, String>,
    /// Configure options, compiler flags and features of the build.
    pub flags: Vec<String>,
    /// Environment of the build that could change the result (`CC`, `CFLAGS`, `RUSTFLAGS`).
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Environment that the driver runs with, for variants that switch CPU features off
    /// (`OPENSSL_ia32cap`, `GLIBC_TUNABLES`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub run_environment: BTreeMap<String, String>,
    /// SHA-256 of the lockfile that the driver was built with; of its `go.mod` if Go built it.
    pub lockfile_sha256: String,
    /// Version and checksum of every crate in that lockfile, for a look at what differs.
    #[serde(default)]
    pub crates: BTreeMap<String, String>,
    /// Compilers found in the library's objects and in the binary.
    pub compilers: Vec<CompilerSeen>,
    /// `rustc -vV` of the toolchain that built the driver; empty if Go built it.
    pub rustc: String,
    /// SHA-256 of each link of the binary, the plain one first; the others have their
    /// sections in another order.
    pub links: Vec<String>,
    /// SHA-256 of the program that each link runs, for in-tree benchmarks: there the programs
    /// differ in layout, and the driver binaries are all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// How long the build took, in seconds; 0 where the record does not know.
    pub seconds: u64,
}
