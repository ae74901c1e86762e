//! Fetches and verifies a subject's source.

mod git;
mod go_releases;
mod history;
mod registry;
mod system;
mod tarball;
mod toolchain;
mod unpack;
mod verify;
mod version;

pub(crate) use go_releases::go_releases;
pub(crate) use history::between;
pub use history::{CommitRange, DescribedCommit};
pub(crate) use registry::{FetchedDriverSource, driver_source};
pub(crate) use system::release as installed;
pub(crate) use toolchain::fetch as go_toolchain;
pub(crate) use version::package_version;

use crate::{
    BuildError, BuildPhase, Release, ResolvedSource, ResolvedSubject, catalog::CatalogStack,
    digest, job::BuildJob, package::DriverPackage,
};
use shakedown_protocol::{SourceSeen, Subject, SubjectVersion};
use std::path::{Path, PathBuf};

/// A verified source in the cache.
#[derive(Debug, Clone)]
pub(crate) struct FetchedSource {
    /// The subject, with a moving revision replaced by its current commit.
    pub(crate) subject: Subject,
    /// For the record.
    pub(crate) seen: SourceSeen,
    /// The tree; `None` for a crate that cargo fetches and verifies itself.
    pub(crate) tree: Option<PathBuf>,
    /// Contents of a crate that cargo fetches itself, or the toolchain of Go.
    pub(crate) unpacked: Option<PathBuf>,
    /// Its release, or the one it leads to.
    pub(crate) release: Release,
}

/// Fetches the source of a subject.
pub(crate) fn fetch(
    job: &BuildJob<'_>,
    wanted: &ResolvedSubject,
) -> Result<FetchedSource, BuildError> {
    job.phase(BuildPhase::Source);
    let stack = &*wanted.stack;
    let mut subject = wanted.subject.clone();
    let mut unpacked = None;
    let (seen, tree, release) = match &wanted.source {
        ResolvedSource::Release(known) if stack.toolchain.is_some() => {
            let (seen, root) = toolchain::fetch(job, &known.version)?;
            unpacked = Some(root);
            (seen, None, Some(known.version.clone()))
        }
        ResolvedSource::Release(known) if stack.library.is_none() && known.tarball.is_none() => {
            let (seen, contents) = registry::cargo_crate(job, stack, known)?;
            unpacked = Some(contents);
            (seen, None, Some(known.version.clone()))
        }
        ResolvedSource::Release(known) => {
            let (seen, tree) = registry::release(job, stack, known)?;
            (seen, tree, Some(known.version.clone()))
        }
        ResolvedSource::Git { url, revision } => {
            let (seen, tree) = git::fetch(job, url, revision)?;
            if let SubjectVersion::Git { revision, .. } = &mut subject.version {
                revision.clone_from(seen.revision.as_ref().unwrap_or(&revision.clone()));
            }
            (seen, Some(tree), None)
        }
        ResolvedSource::Tarball { location, sha256 } => {
            let (seen, tree) = tarball::fetch(job, location, sha256)?;
            (seen, Some(tree), None)
        }
        ResolvedSource::Path(path) => {
            let (seen, tree) = snapshot(job, path)?;
            (seen, Some(tree), None)
        }
        ResolvedSource::System(system, series) => {
            let (seen, release) = system::fetch(job, stack, system, series)?;
            subject.version = SubjectVersion::Release(release.to_string());
            (seen, None, Some(release))
        }
        ResolvedSource::Driver(number) => (driver(job, stack, number)?, None, Some(number.clone())),
    };
    let release = match (release, &tree) {
        (Some(release), _) => release,
        (None, tree) => version::of_tree(stack, tree.as_deref().unwrap_or(Path::new(".")))?,
    };
    wanted.check_variants(&release)?;
    Ok(FetchedSource { subject, seen, tree, unpacked, release })
}

/// The driver itself as the source, for a stack without a library.
fn driver(
    job: &BuildJob<'_>,
    stack: &CatalogStack,
    number: &Release,
) -> Result<SourceSeen, BuildError> {
    let Some(driver) = stack.driver(number, &[]) else {
        let what = format!("{} has no driver for {number} in the catalog", stack.name);
        return Err(BuildError::Source { what, log: None });
    };
    let package = DriverPackage::find(job.repository, &driver.place(), None)?;
    Ok(SourceSeen {
        kind: "driver".to_owned(),
        origin: package.folder.display().to_string(),
        revision: None,
        sha256: package.sha256,
    })
}

/// Copies a folder into the cache, so that it can't change under the compiler.
fn snapshot(job: &BuildJob<'_>, path: &Path) -> Result<(SourceSeen, PathBuf), BuildError> {
    if !path.is_dir() {
        let what =
            format!("{} is not a folder: name the folder that the source is in", path.display());
        return Err(BuildError::Source { what, log: None });
    }
    let path = &path.canonicalize().map_err(BuildError::io("read", path))?;
    let sha256 = digest::tree(path).map_err(BuildError::io("read", path))?;
    let tree = keep(job, &sha256, |place| {
        digest::mirror(path, place).map_err(BuildError::io("copy", path))?;
        let copied = digest::tree(place).map_err(BuildError::io("read", place))?;
        if copied == sha256 {
            return Ok(());
        }
        let what = format!("{} changed while it was copied: try again", path.display());
        Err(BuildError::Source { what, log: None })
    })?;
    let origin = path.display().to_string();
    Ok((SourceSeen { kind: "path".to_owned(), origin, revision: None, sha256 }, tree))
}

/// The tree with this digest; `fill` creates it if the cache lacks it.
fn keep(
    job: &BuildJob<'_>,
    sha256: &str,
    fill: impl FnOnce(&Path) -> Result<(), BuildError>,
) -> Result<PathBuf, BuildError> {
    let place = job.cache.at("sources", sha256);
    if place.is_dir() {
        return Ok(place);
    }
    let _lock = job.lock("source", sha256)?;
    if place.is_dir() {
        return Ok(place);
    }
    let aside = job.cache.aside(&place)?;
    fill(aside.path())?;
    aside.publish()
}

/// The only folder in `tree` if there is nothing else, as in most archives; otherwise `tree`.
fn inner(tree: &Path) -> Result<PathBuf, BuildError> {
    let entries = std::fs::read_dir(tree).map_err(BuildError::io("read", tree))?;
    let entries: Vec<_> = entries.flatten().collect();
    match &entries[..] {
        [only] if only.path().is_dir() => Ok(only.path()),
        _ => Ok(tree.to_owned()),
    }
}

/// Checks that a tree contains a stack's folder.
fn subfolder(stack: &CatalogStack, tree: PathBuf, folder: &str) -> Result<PathBuf, BuildError> {
    let path = if folder.is_empty() { tree } else { tree.join(folder) };
    if path.is_dir() {
        return Ok(path);
    }
    let what =
        format!("the source of {} has no folder `{folder}`: correct it in the catalog", stack.name);
    Err(BuildError::Source { what, log: None })
}
