//! Selects the crates of the library under test that replace the driver's dependencies.

use crate::{
    BuildError, ResolvedSubject,
    catalog::{CatalogError, DriverRecipe, range_text},
    lockfile::Lockfile,
    manifest::{self, ResolvedCrate},
    source::{FetchedSource, package_version},
};

/// The driver that serves a subject's release.
pub(crate) fn driver<'a>(
    wanted: &'a ResolvedSubject,
    fetched: &FetchedSource,
) -> Result<&'a DriverRecipe, CatalogError> {
    wanted.stack.driver(&fetched.release, &wanted.subject.variants).ok_or_else(|| {
        CatalogError::Driver {
            stack: wanted.stack.name.clone(),
            version: fetched.release.to_string(),
            known: (wanted.stack.drivers.iter())
                .map(|driver| range_text(driver.since.as_ref(), driver.before.as_ref()))
                .collect(),
        }
    })
}

/// The replacements of the driver's dependencies: the release, or crates of the tree.
pub(crate) fn resolve(
    wanted: &ResolvedSubject,
    fetched: &FetchedSource,
    driver: &DriverRecipe,
) -> Result<Vec<ResolvedCrate>, BuildError> {
    let one = |(place, inject): (usize, &crate::InjectedCrate)| {
        let name = inject.name.clone();
        let Some(tree) = &fetched.tree else {
            if inject.since.as_ref().is_some_and(|since| fetched.release < *since) {
                return Ok(None);
            }
            let version = fetched.release.to_string();
            let unpacked = fetched.unpacked.as_ref().filter(|_| place == 0);
            let features = unpacked.map(|folder| manifest::features(folder)).unwrap_or_default();
            return Ok(Some(ResolvedCrate { name, version, path: None, features }));
        };
        let folder = tree.join(&inject.folder);
        // Later revisions of a library have crates that earlier ones do not.
        if place > 0 && !folder.join("Cargo.toml").is_file() {
            return Ok(None);
        }
        let version = package_version(tree, &folder).ok_or_else(|| {
            let what = format!(
                "{} has no crate {} in its folder `{}`: the driver `{}` needs it",
                wanted.subject, inject.name, inject.folder, driver.package
            );
            BuildError::Source { what, log: None }
        })?;
        // From the driver's folder, which is three below the root of the work folder.
        let path = Some(format!("../../../library/{}", inject.folder));
        Ok(Some(ResolvedCrate { name, version, path, features: manifest::features(&folder) }))
    };
    driver.inject.iter().enumerate().map(one).filter_map(Result::transpose).collect()
}

/// Checks that the lockfile names the requested library, and that its checksum
/// is the catalog's.
pub(crate) fn check(
    lock: &Lockfile,
    injected: &[ResolvedCrate],
    fetched: &FetchedSource,
) -> Result<(), BuildError> {
    for (place, library) in injected.iter().enumerate() {
        let locked = lock.named(&library.name);
        // An optional dependency that no feature of the driver knows is not in the lockfile.
        let Some(found) = locked.iter().find(|found| found.version == library.version) else {
            if place > 0 && locked.is_empty() {
                continue;
            }
            let what = format!(
                "the driver does not take {} {}: its manifest must depend on the crate `{}`",
                library.name, library.version, library.name
            );
            return Err(BuildError::Source { what, log: None });
        };
        if library.path.is_some() && found.source.is_some() {
            let what = format!(
                "{} would come from {:?}, not from the source asked for",
                library.name, found.source
            );
            return Err(BuildError::Source { what, log: None });
        }
        if library.path.is_none() && place == 0 {
            let checksum = found.checksum.clone().unwrap_or_default();
            if checksum != fetched.seen.sha256 {
                return Err(BuildError::Digest {
                    what: fetched.seen.origin.clone(),
                    expected: fetched.seen.sha256.clone(),
                    found: checksum,
                });
            }
        }
    }
    Ok(())
}
