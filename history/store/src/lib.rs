//! The history: every run, stored in files that are never changed.
//!
//! The files ([`Store`]) are the source of truth. Everything else is derived from them and can be
//! rebuilt: the [`Index`] that answers queries, the change points ([`change`]), exports
//! ([`export`]) and the dashboard's data ([`site`]). [`import`] reads measurements of other tools.
//!
//! This crate must not know how anything is measured or built, which policy judges a change, or how
//! results look to people. Of the project's crates it uses `shakedown-protocol` and
//! `shakedown-summary` only.

mod build;
mod canonical;
pub mod change;
mod compact;
mod document;
mod error;
pub mod export;
mod files;
#[cfg(feature = "fixture")]
pub mod fixture;
mod folder;
mod formats;
pub mod import;
mod index;
mod manifest;
mod misfit;
mod name;
mod pack;
pub mod query;
mod rows;
pub mod site;
mod store;
mod stream;
mod studies;
mod sync;
mod verify;

pub use build::Build;
pub use document::{Document, IMPORT_SCHEMA, Import, SeriesInfo, SeriesValue};
pub use error::StoreError;
pub use index::{Index, IndexUpdate};
pub use name::RunName;
pub use rows::rows;
pub use store::{AddOutcome, CompactOutcome, Store};
pub use studies::StoredStudy;
pub use sync::{SyncOutcome, sync};
pub use verify::{Problem, ProblemKind, Verified};

#[cfg(test)]
mod faults;
#[cfg(test)]
mod testing;
