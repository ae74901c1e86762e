//! Where things are: the project's own files, and where results go.

use anyhow::{Context, Result, bail};
use std::{
    env,
    path::{Path, PathBuf},
};

/// Names the folder of the project when the command runs outside of it.
pub const ROOT_VARIABLE: &str = "SHAKEDOWN_ROOT";

/// The project's folder: catalog, certificates and drivers are read from it.
#[derive(Debug, Clone)]
pub struct ProjectRoot(PathBuf);

impl ProjectRoot {
    /// Looks in `SHAKEDOWN_ROOT`, then in the current folder and those above it, then where
    /// this program was built.
    ///
    /// # Errors
    /// If none of them is the project.
    pub fn find() -> Result<Self> {
        if let Some(named) = env::var_os(ROOT_VARIABLE) {
            let named = PathBuf::from(named);
            if !is_root(&named) {
                bail!("{ROOT_VARIABLE} is {}, which has no bench/catalog", named.display());
            }
            return Ok(Self(named));
        }
        let current = env::current_dir().context("can't tell the current folder")?;
        let above = current.ancestors().map(Path::to_path_buf);
        let built = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        above.chain([built]).find(|folder| is_root(folder)).map(Self).with_context(|| {
            format!("can't find the project: call this from a clone of it, or set {ROOT_VARIABLE}")
        })
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Stacks and suites.
    pub fn catalog(&self) -> PathBuf {
        self.0.join("bench/catalog")
    }

    /// Test certificates.
    pub fn pki(&self) -> PathBuf {
        self.0.join("bench/pki")
    }
}

fn is_root(folder: &Path) -> bool {
    folder.join("bench/catalog/stacks").is_dir()
}
