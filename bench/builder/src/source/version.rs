//! The release of a tree, or the one it leads to.

use crate::{BuildError, Release, catalog::CatalogStack};
use std::{fs, path::Path};
use toml_edit::DocumentMut;

/// Reads the release number from the file that the catalog names.
pub(crate) fn of_tree(stack: &CatalogStack, tree: &Path) -> Result<Release, BuildError> {
    let unknown = |why: String| BuildError::Source {
        what: format!("can't tell which release of {} this source is: {why}", stack.name),
        log: None,
    };
    if let Some(library) = &stack.library {
        let found = library.versions.iter().find_map(|place| {
            let text = fs::read_to_string(tree.join(&place.file)).ok()?;
            let captures = regex::Regex::new(&place.pattern).ok()?.captures(&text)?;
            let mut number = String::new();
            captures.expand(&place.release, &mut number);
            Some(number.trim_end_matches('-').replace("--", "-"))
        });
        let places: Vec<&str> = library.versions.iter().map(|place| &*place.file).collect();
        let number = found.ok_or_else(|| {
            unknown(format!(
                "it does not stand in {}. Is this the root of its tree?",
                places.join(" or ")
            ))
        })?;
        return number.parse().map_err(|error| unknown(format!("{error}")));
    }
    // A stack without a library is its driver, a crate like any other.
    let first = stack.drivers.iter().find_map(|driver| driver.inject.first());
    let folder = tree.join(first.map_or("", |inject| &inject.folder));
    let manifest = folder.join("Cargo.toml");
    package_version(tree, &folder)
        .ok_or_else(|| {
            unknown(format!(
                "no version in {}. Is this the root of its checkout?",
                manifest.display()
            ))
        })?
        .parse()
        .map_err(|error| unknown(format!("{error}")))
}

/// Version of the package in `folder`, which may inherit it from the workspace at `root`.
pub(crate) fn package_version(root: &Path, folder: &Path) -> Option<String> {
    let manifest = |folder: &Path| -> Option<DocumentMut> {
        fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()
    };
    let own = manifest(folder)?;
    let version = own.get("package")?.get("version")?;
    if let Some(version) = version.as_str() {
        return Some(version.to_owned());
    }
    let inherited = manifest(root)?;
    let shared = inherited.get("workspace")?.get("package")?.get("version")?;
    shared.as_str().map(ToOwned::to_owned)
}
