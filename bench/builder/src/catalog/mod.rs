//! What exists, from where, and how it is made: `stacks/*.toml` of the catalog's folder.

mod error;
mod load;
mod recipe;
mod resolve;

pub use error::CatalogError;
pub use recipe::{
    CrateSource, DriverRecipe, GitSource, InTreeRecipe, Inject, Known, Library, Options, Program,
    Stack, Step, TreeVersion, Variant,
};
pub(crate) use recipe::{in_range, range_text};
pub use resolve::{Resolved, Source};

use std::{collections::BTreeMap, path::Path, sync::Arc};

/// Every stack that can be built.
#[derive(Debug, Clone)]
pub struct Catalog {
    stacks: BTreeMap<String, Arc<Stack>>,
}

impl Catalog {
    /// Reads `stacks/*.toml` under `folder` and checks each file.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] with file and line for what is not as it should be.
    pub fn load(folder: &Path) -> Result<Self, CatalogError> {
        load::load(folder).map(|stacks| Self { stacks })
    }

    /// Every stack, by name.
    pub fn stacks(&self) -> impl Iterator<Item = &Stack> {
        self.stacks.values().map(AsRef::as_ref)
    }

    /// The same with more releases of one stack.
    pub(crate) fn with_releases(&self, stack: &str, more: Vec<Known>) -> Self {
        let mut catalog = self.clone();
        if let Some(stack) = catalog.stacks.get_mut(stack) {
            Arc::make_mut(stack).releases.extend(more);
        }
        catalog
    }

    /// The stack of that name.
    pub fn stack(&self, name: &str) -> Option<&Stack> {
        self.stacks.get(name).map(AsRef::as_ref)
    }
}
