//! The lockfile of a driver with the library under test.
//!
//! It starts from the checked-in lockfile, or from that of the base of a comparison, and changes only
//! what the library under test requires. The result is cached, so that it is the same on any later
//! day.

use crate::{
    BuildError, BuildPhase,
    call::BuildLog,
    digest::{self, CacheKey},
    job::{BuildJob, blame_network},
    lockfile::{self, Lockfile},
    manifest::ResolvedCrate,
    package::DriverPackage,
    source::FetchedSource,
    toolchain::RustToolchain,
};
use std::{collections::BTreeSet, fs, path::Path};

/// The lockfile of the base, for the head of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct BaseLockfile<'a> {
    /// Folder of the base's driver package.
    pub(crate) folder: &'a Path,
    pub(crate) text: &'a str,
    pub(crate) lock: &'a Lockfile,
}

/// The inputs of a lockfile.
pub(crate) struct LockfileInputs<'a> {
    pub(crate) package: &'a DriverPackage,
    pub(crate) injected: &'a [ResolvedCrate],
    pub(crate) features: &'a [String],
    pub(crate) fetched: &'a FetchedSource,
}

/// Resolves the lockfile of a driver with the library under test. Stays as close to that of `base` as
/// the library allows.
pub(crate) fn lockfile(
    job: &BuildJob<'_>,
    start: &LockfileInputs<'_>,
    rust: &RustToolchain,
    base: Option<BaseLockfile<'_>>,
) -> Result<String, BuildError> {
    let own = start.package.lockfile()?;
    let same_driver = base.filter(|base| base.folder == start.package.folder);
    let from = same_driver.map_or(own.as_str(), |base| base.text);
    let names: Vec<&str> = start.injected.iter().map(|library| library.name.as_str()).collect();
    let from = lockfile::without(from, &names).map_err(|why| BuildError::Source {
        what: format!("the lockfile of driver {} can't be read: {why}", start.package.name),
        log: None,
    })?;
    let libraries = start.injected.iter().map(|library| {
        format!("{}\0{}\0{}", library.name, library.version, library.path.is_some())
    });
    let aligned = base.filter(|_| same_driver.is_none()).map(|base| base.lock);
    let key = CacheKey::new("lockfile 1")
        .with("driver", &start.package.sha256)
        .with("from", &from)
        .with("source", start.fetched.tree.as_ref().map_or("", |_| &start.fetched.seen.sha256))
        .with("align", base.filter(|_| aligned.is_some()).map_or("", |base| base.text))
        .all("library", libraries)
        .all("feature", start.package.features_with_crates(start.features)?)
        .id();
    let place = job.cache.at("resolved", &format!("{key}.lock"));
    if let Ok(text) = fs::read_to_string(&place) {
        return Ok(text);
    }
    job.phase(BuildPhase::Crates);
    let _lock = job.lock("lockfile", &key)?;
    if let Ok(text) = fs::read_to_string(&place) {
        return Ok(text);
    }
    let text = resolve(job, start, rust, &from, aligned, &key)?;
    job.cache.write(&place, text.as_bytes())?;
    Ok(text)
}

fn resolve(
    job: &BuildJob<'_>,
    start: &LockfileInputs<'_>,
    rust: &RustToolchain,
    from: &str,
    aligned: Option<&Lockfile>,
    key: &str,
) -> Result<String, BuildError> {
    let scratch = job.cache.aside(&job.cache.at("work", &format!("resolve-{key}")))?;
    lay_out(job.repository, start, scratch.path(), from)?;
    let folder = scratch.path().join(&start.package.folder);
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("{key}-crates.log")))?;
    let mut command = job.caller.command("cargo");
    command.args(["fetch", "--color", "never", "--target", &rust.host]).current_dir(&folder);
    job.run(&mut log, "cargo fetch", "cargo fetch", &mut command)
        .map_err(|error| blame_network(error, &format!("the crates for {}", job.subject)))?;
    let path = folder.join("Cargo.lock");
    let read = || fs::read_to_string(&path).map_err(BuildError::io("read", &path));
    if let Some(base) = aligned {
        align(job, &mut log, &folder, base, &read()?);
        let mut command = job.caller.command("cargo");
        command.args(["fetch", "--color", "never", "--target", &rust.host]).current_dir(&folder);
        job.run(&mut log, "cargo fetch", "cargo fetch", &mut command)
            .map_err(|error| blame_network(error, &format!("the crates for {}", job.subject)))?;
    }
    read()
}

/// Copies driver and library to the folder in which they are compiled.
pub(crate) fn lay_out(
    repository: &Path,
    start: &LockfileInputs<'_>,
    tree: &Path,
    lock_text: &str,
) -> Result<(), BuildError> {
    if let (Some(source), false) = (&start.fetched.tree, start.injected.is_empty()) {
        let to = tree.join("library");
        digest::mirror(source, &to).map_err(BuildError::io("copy to", &to))?;
    }
    start.package.copy(repository, tree, start.injected, start.features, lock_text)
}

/// Selects the crate versions of the base, if the head's driver is another one.
/// Each is an attempt: an unavailable version stays, and the differences show it.
fn align(job: &BuildJob<'_>, log: &mut BuildLog, folder: &Path, base: &Lockfile, own: &str) {
    let Ok(own) = Lockfile::parse(own) else { return };
    let names: BTreeSet<&str> = own.packages.iter().map(|package| &*package.name).collect();
    for name in names {
        let ([mine], [theirs]) = (&own.named(name)[..], &base.named(name)[..]) else { continue };
        if mine.version == theirs.version || mine.source.is_none() || theirs.source.is_none() {
            continue;
        }
        let mut command = job.caller.command("cargo");
        command.args(["update", "--color", "never", "--precise", &theirs.version, name]);
        if let Err(error) = log.run(command.current_dir(folder), &mut |_| {}) {
            log.note(&error.to_string());
        }
    }
}
