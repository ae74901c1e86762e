//! From a subject to a driver binary.
//!
//! [`Catalog`] knows what exists and how it is made, as data: one TOML file a stack. It
//! turns a [`Subject`](shakedown_protocol::Subject) into a [`Resolved`] one. A [`Workshop`] fetches
//! and verifies its source, builds the library and the driver, and keeps the result in a
//! cache under a key that covers everything that went in, so that the same question is
//! answered from disk. Each artifact says where it came from, and which compilers were
//! found in its objects.
//!
//! Nothing here prints; see [`Progress`].

mod assemble;
mod cache;
mod call;
mod catalog;
mod comment;
mod digest;
mod error;
mod in_tree;
mod incompatible;
mod job;
mod library;
mod link;
mod lock;
mod lockfile;
mod manifest;
mod package;
mod pair;
mod plan;
mod probe;
mod progress;
mod release;
mod resolve;
mod series;
mod source;
mod toolchain;
mod tools;
mod trial;
mod update;
mod workshop;

pub use cache::{NoCacheFolder, default_cache};
pub use catalog::{
    Catalog, CatalogError, CrateSource, DriverRecipe, GitSource, InTreeRecipe, Inject, Known,
    Library, Options, Program, Resolved, Source, Stack, Step, TreeVersion, Variant,
};
pub use error::BuildError;
pub use incompatible::Incompatibility;
pub use progress::{Event, Phase, Progress, Silent};
pub use release::Release;
pub use update::{Addition, Upstream, with_releases};
pub use workshop::{Built, Difference, Pair, Workshop};
