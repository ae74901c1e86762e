//! Known stacks, their sources and builds: `stacks/*.toml` in the catalog's folder.

mod chosen;
mod driver;
mod error;
mod library;
mod load;
mod range;
mod resolve;
mod source;
mod stack;
mod system;
mod variant;

pub use driver::{DriverRecipe, DriverSource, InTreeRecipe, InjectedCrate};
pub use error::CatalogError;
pub use library::{BuildStep, LibraryRecipe, TreeVersion, VersionedOptions};
pub(crate) use range::{in_range, range_text};
pub use resolve::{ResolvedSource, ResolvedSubject};
pub use source::{CrateSource, GitSource, KnownRelease, ToolchainSource};
pub use stack::CatalogStack;
pub use system::{SystemFiles, SystemSource};
pub use variant::{RequiredProgram, Variant};

use std::{collections::BTreeMap, path::Path, sync::Arc};

/// Every stack that can be built.
#[derive(Debug, Clone)]
pub struct Catalog {
    stacks: BTreeMap<String, Arc<CatalogStack>>,
}

impl Catalog {
    /// Reads `stacks/*.toml` under `folder` and checks each file.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] with the file and line of a mistake.
    pub fn load(folder: &Path) -> Result<Self, CatalogError> {
        load::load(folder).map(|stacks| Self { stacks })
    }

    /// Every stack, by name.
    pub fn stacks(&self) -> impl Iterator<Item = &CatalogStack> {
        self.stacks.values().map(AsRef::as_ref)
    }

    /// This catalog with more releases of one stack.
    pub(crate) fn with_releases(&self, stack: &str, more: Vec<KnownRelease>) -> Self {
        let mut catalog = self.clone();
        if let Some(stack) = catalog.stacks.get_mut(stack) {
            Arc::make_mut(stack).releases.extend(more);
        }
        catalog
    }

    /// The stack of that name.
    pub fn stack(&self, name: &str) -> Option<&CatalogStack> {
        self.stacks.get(name).map(AsRef::as_ref)
    }
}
