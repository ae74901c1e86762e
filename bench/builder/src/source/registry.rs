//! Releases of the catalog, from a registry crate or a tarball.

use super::{inner, keep, subfolder, tarball, unpack, verify::check_digest};
use crate::{
    BuildError,
    call::BuildLog,
    catalog::{CatalogStack, DriverSource, KnownRelease},
    digest,
    job::{BuildJob, blame_network},
};
use shakedown_protocol::SourceSeen;
use std::{fs, path::PathBuf};

/// The source of a release whose library is built separately from the driver.
pub(super) fn release(
    job: &BuildJob<'_>,
    stack: &CatalogStack,
    known: &KnownRelease,
) -> Result<(SourceSeen, Option<PathBuf>), BuildError> {
    if let Some(location) = &known.tarball {
        let (seen, tree) = tarball::fetch(job, location, &known.sha256)?;
        return Ok((seen, Some(tree)));
    }
    let (seen, contents) = cargo_crate(job, stack, known)?;
    let folder = stack.registry.as_ref().map_or("", |registry| &registry.folder);
    Ok((seen, Some(subfolder(stack, contents, folder)?)))
}

/// Source code that is built into a driver.
#[derive(Debug, Clone)]
pub(crate) struct FetchedDriverSource {
    /// For the record.
    pub(crate) seen: SourceSeen,
    /// The tree.
    pub(crate) tree: PathBuf,
    /// Variable that tells the driver's build where it is.
    pub(crate) variable: String,
}

/// Fetches source code that is built into a driver.
pub(crate) fn driver_source(
    job: &BuildJob<'_>,
    wanted: &DriverSource,
) -> Result<FetchedDriverSource, BuildError> {
    let (seen, contents) = unpacked(job, &wanted.name, &wanted.version, &wanted.sha256)?;
    let tree = contents.join(&wanted.folder);
    if !tree.is_dir() {
        let what = format!("crate {} has no folder `{}`", seen.origin, wanted.folder);
        return Err(BuildError::Source { what, log: None });
    }
    Ok(FetchedDriverSource { seen, tree, variable: wanted.variable.clone() })
}

/// The crate of a release, unpacked.
pub(super) fn cargo_crate(
    job: &BuildJob<'_>,
    stack: &CatalogStack,
    known: &KnownRelease,
) -> Result<(SourceSeen, PathBuf), BuildError> {
    let Some(registry) = &stack.registry else {
        let what = format!("{} {} has no source in the catalog", stack.name, known.version);
        return Err(BuildError::Source { what, log: None });
    };
    let version = known.crate_version.clone().unwrap_or_else(|| known.version.to_string());
    unpacked(job, &registry.name, &version, &known.sha256)
}

/// A crate, verified and unpacked.
fn unpacked(
    job: &BuildJob<'_>,
    name: &str,
    version: &str,
    sha256: &str,
) -> Result<(SourceSeen, PathBuf), BuildError> {
    let archive = archive(job, name, version, sha256)?;
    let sha256 = digest::file(&archive).map_err(BuildError::io("read", &archive))?;
    let seen = SourceSeen {
        kind: "crate".to_owned(),
        origin: format!("{name} {version}"),
        revision: None,
        sha256: sha256.clone(),
    };
    let tree = keep(job, &sha256, |place| unpack::unpack(&archive, place))?;
    Ok((seen, inner(&tree)?))
}

/// The verified archive of a crate. Cargo fetches it, with its mirrors and proxies.
fn archive(
    job: &BuildJob<'_>,
    name: &str,
    version: &str,
    sha256: &str,
) -> Result<PathBuf, BuildError> {
    let file = format!("{name}-{version}.crate");
    if let Some(found) = in_cargo_home(job, &file) {
        return verified(found, &file, sha256);
    }
    let _lock = job.lock("fetch", &file)?;
    let scratch = job.cache.aside(&job.cache.at("work", &format!("fetch-{file}")))?;
    let write = |path: &str, text: &str| {
        let path = scratch.path().join(path);
        job.cache.write(&path, text.as_bytes())
    };
    // What follows a `+` can't be asked for: it does not take part in the order of versions.
    let number = version.split('+').next().unwrap_or(version);
    write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\n{name} = \"={number}\"\n"
        ),
    )?;
    write("src/lib.rs", "")?;
    let mut log = BuildLog::create(&job.cache.at("logs", &format!("fetch-{file}.log")))?;
    let mut command = job.caller.command("cargo");
    command.args(["fetch", "--color", "never"]).current_dir(scratch.path());
    job.run(&mut log, "cargo fetch", "fetch crate", &mut command)
        .map_err(|error| blame_network(error, &format!("crate {name} {version}")))?;
    let found = in_cargo_home(job, &file).ok_or_else(|| BuildError::Source {
        what: format!(
            "cargo fetched {name} {version} but keeps no {file}: a registry that is replaced by a folder has no archives; use one that has"
        ),
        log: Some(log.path.clone()),
    })?;
    verified(found, &file, sha256)
}

/// Finds a crate's archive among cargo's downloads.
fn in_cargo_home(job: &BuildJob<'_>, file: &str) -> Option<PathBuf> {
    let registries = fs::read_dir(job.caller.cargo_home()?.join("registry/cache")).ok()?;
    registries.flatten().map(|registry| registry.path().join(file)).find(|path| path.is_file())
}

fn verified(path: PathBuf, what: &str, sha256: &str) -> Result<PathBuf, BuildError> {
    check_digest(&path, what, sha256).map(|()| path)
}
