//! The history: every run that was ever measured, kept in files that are never changed.
//!
//! The files are the truth ([`Store`]); everything else is derived from them and can be thrown
//! away: the index that answers questions ([`Index`]), the change points found in it
//! (`change`), what is handed on to other tools (`export`) and shown (`site`).
//! What other tools measured before comes in through `import`.

mod canonical;
pub mod change;
mod compact;
mod document;
mod error;
pub mod export;
mod files;
mod formats;
pub mod import;
mod index;
mod manifest;
mod name;
pub mod query;
mod rows;
pub mod site;
mod store;
mod sync;
mod verify;

pub use document::{Build, Document, IMPORT_SCHEMA, Import, Row, Series};
pub use error::StoreError;
pub use index::{Index, IndexUpdate};
pub use name::RunName;
pub use rows::rows;
pub use store::{AddOutcome, CompactOutcome, Store};
pub use sync::{SyncOutcome, sync};
pub use verify::{Problem, ProblemKind, Verified};

#[cfg(test)]
mod faults;
#[cfg(test)]
mod testing;
