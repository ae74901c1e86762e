//! Releases of a repository, and their files.

use crate::{Forge, ForgeError, storage};
use serde::Deserialize;
use std::{fs::File, path::Path};

/// A release.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ForgeRelease {
    /// Its tag.
    pub tag_name: String,
    /// Whether it is not published.
    #[serde(default)]
    pub draft: bool,
    /// Whether it is not meant for everybody.
    #[serde(default)]
    pub prerelease: bool,
    /// When it was published, in RFC 3339.
    #[serde(default)]
    pub published_at: Option<String>,
    /// Its text.
    #[serde(default)]
    pub body: Option<String>,
    /// Its files.
    #[serde(default)]
    pub assets: Vec<ReleaseFile>,
}

/// A file of a release.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ReleaseFile {
    /// Its name.
    pub name: String,
    /// Digest that the forge took of it, with its kind: `sha256:...`.
    #[serde(default)]
    pub digest: Option<String>,
    /// Where it is.
    pub browser_download_url: String,
}

impl Forge {
    /// The newest releases of the repository: one page of them, which is enough for months.
    ///
    /// # Errors
    /// Errors of the forge.
    pub fn releases(&self) -> Result<Vec<ForgeRelease>, ForgeError> {
        let found = self.get(&self.path("releases?per_page=30"))?;
        found.ok_or_else(|| ForgeError::NotFound(format!("{} has no releases", self.repo())))
    }
}

impl ReleaseFile {
    /// Downloads it into a file, which is made. Not more than `limit` bytes are ever written.
    ///
    /// # Errors
    /// Errors of the forge's storage; a larger file.
    pub fn fetch(&self, forge: &Forge, file: &Path, limit: u64) -> Result<(), ForgeError> {
        let failed = |source| ForgeError::File { path: file.display().to_string(), source };
        let mut out = File::create(file).map_err(failed)?;
        storage::download(forge, &self.browser_download_url, &mut out, file, limit)
    }
}
