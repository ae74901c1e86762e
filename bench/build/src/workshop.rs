//! Source in, artifact out.

use crate::{BuildError, Progress, Resolved};
use protocol::Artifact;
use std::path::{Path, PathBuf};

/// Builds artifacts and keeps them.
#[derive(Debug, Clone)]
pub struct Workshop {
    repository: PathBuf,
    cache: PathBuf,
}

/// An artifact on disk.
#[derive(Debug, Clone)]
pub struct Built {
    /// What it is and where it came from.
    pub artifact: Artifact,
    /// One binary a link, in the order of [`Artifact::links`]; the plain one first.
    pub binaries: Vec<PathBuf>,
    /// Whether it was there before, all of it.
    pub cached: bool,
}

/// A crate that is not the same in two artifacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its name.
    pub name: String,
    /// Its version, or source, in the base; `None` where the base does without it.
    pub base: Option<String>,
    /// The same in the head.
    pub head: Option<String>,
}

/// Two artifacts built like for like.
#[derive(Debug, Clone)]
pub struct Pair {
    /// What is compared against.
    pub base: Built,
    /// What is judged.
    pub head: Built,
    /// What is not the same in both besides the change itself: crates, compilers, flags.
    pub differences: Vec<Difference>,
}

impl Workshop {
    /// A workshop for the drivers of the checkout at `repository` that keeps everything
    /// under `cache`; see [`default_cache`](crate::default_cache). Touches nothing yet.
    pub fn new(repository: impl Into<PathBuf>, cache: impl Into<PathBuf>) -> Self {
        Self { repository: repository.into(), cache: cache.into() }
    }

    /// The folder that everything is kept under.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Builds a subject, or finds it in the cache.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build(&self, subject: &Resolved, progress: &dyn Progress) -> Result<Built, BuildError> {
        self.build_linked(subject, 1, progress)
    }

    /// Like [`Workshop::build`], with `links` binaries of the same objects, each with its
    /// sections in another order; the first is the plain one.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build_linked(
        &self,
        subject: &Resolved,
        links: u32,
        progress: &dyn Progress,
    ) -> Result<Built, BuildError> {
        let _ = (subject, links, progress, &self.repository);
        Err(BuildError::Source { what: "not there yet".to_owned(), log: None })
    }

    /// Builds two subjects of one stack so that they share every dependency, toolchain and
    /// flag but what the change itself changes.
    ///
    /// # Errors
    /// See [`BuildError`]; the message names the side.
    pub fn build_pair(
        &self,
        base: &Resolved,
        head: &Resolved,
        links: u32,
        progress: &dyn Progress,
    ) -> Result<Pair, BuildError> {
        let base = self.build_linked(base, links, progress)?;
        let head = self.build_linked(head, links, progress)?;
        Ok(Pair { base, head, differences: Vec::new() })
    }
}
