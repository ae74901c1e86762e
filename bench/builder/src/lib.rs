//! Builds driver binaries from subjects.
//!
//! [`Catalog`] describes the stacks as data, one TOML file for each: releases, sources, build steps,
//! variants. It turns a [`Subject`](shakedown_protocol::Subject) into a [`ResolvedSubject`]. A
//! [`Builder`] fetches and verifies the source, builds the library and the driver, and caches the
//! artifact under a key that covers all its inputs. Each artifact records its source and the
//! compilers found in its object files.
//!
//! This crate must not know what is measured with an artifact, on which host, or how results are
//! judged. It prints nothing: callers follow a build through [`Progress`]. Of the project's crates
//! it uses `shakedown-protocol` only.

mod artifact_files;
mod assemble;
mod build_facts;
mod builder;
mod cache;
mod call;
mod catalog;
mod comment;
mod compile;
mod compiled_driver;
mod dependencies;
mod digest;
mod error;
mod go;
mod in_tree;
mod in_tree_build;
mod incompatible;
mod injection;
mod job;
mod library;
mod link;
mod lock;
mod lockfile;
mod manifest;
mod objects;
mod own_driver;
mod package;
mod plan;
mod probe;
mod progress;
mod registry_index;
mod release;
mod series;
mod source;
mod spare_links;
mod toolchain;
mod tools;
mod trial;
mod update;
mod work_folder;

pub use assemble::BuiltArtifact;
pub use build_facts::{BuildFacts, CompileCost, SectionSizes};
pub use builder::{Builder, BuiltPair};
pub use cache::{NoCacheFolder, default_cache};
pub use catalog::{
    BuildStep, Catalog, CatalogError, CatalogStack, CrateSource, DriverRecipe, DriverSource,
    GitSource, InTreeRecipe, InjectedCrate, KnownRelease, LibraryRecipe, RequiredProgram,
    ResolvedSource, ResolvedSubject, SystemFiles, SystemSource, ToolchainSource, TreeVersion,
    Variant, VersionedOptions,
};
pub use error::BuildError;
pub use incompatible::Incompatibility;
pub use progress::{BuildEvent, BuildPhase, Progress, SilentProgress};
pub use release::Release;
pub use source::{CommitRange, DescribedCommit};
pub use update::{NewRelease, UpstreamReleases, with_releases};
