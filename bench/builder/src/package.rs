//! A driver package and the packages of this repository that it needs.

use crate::{
    BuildError,
    digest::{self, CacheKey},
    manifest::{ResolvedCrate, add_crates, inject},
};
use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

/// What compiles a driver package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PackageLanguage {
    /// Cargo.
    Rust,
    /// The toolchain under test.
    Go,
}

/// A driver package, found in the repository.
#[derive(Debug, Clone)]
pub(crate) struct DriverPackage {
    /// Name in its manifest.
    pub(crate) name: String,
    /// By its manifest: `Cargo.toml` or `go.mod`.
    pub(crate) language: PackageLanguage,
    /// Folder from the root of the repository, such as `bench/drivers/rustls`.
    pub(crate) folder: PathBuf,
    /// Where its files are: that folder, or its replacement in the library's tree.
    own: PathBuf,
    /// Folders of all packages in the repository that it consists of, including itself.
    folders: Vec<PathBuf>,
    /// What those packages inherit from the repository's manifest.
    workspace: String,
    /// Digest over all of them, including the lockfile.
    pub(crate) sha256: String,
}

fn wrong(what: String) -> BuildError {
    BuildError::Source { what, log: None }
}

fn manifest(path: &Path) -> Result<DocumentMut, BuildError> {
    let text = fs::read_to_string(path).map_err(BuildError::io("read", path))?;
    text.parse().map_err(|error| wrong(format!("{}: {error}", path.display())))
}

impl DriverPackage {
    /// Finds the driver package in `folder`, or its replacement: another folder with the same package,
    /// with paths as if it were there.
    pub(crate) fn find(
        repository: &Path,
        folder: &Path,
        instead: Option<PathBuf>,
    ) -> Result<Self, BuildError> {
        let folder = folder.to_owned();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let own = instead.unwrap_or_else(|| repository.join(&folder));
        if own.join("go.mod").is_file() {
            return Self::of_go(name, folder, own);
        }
        if !own.join("Cargo.toml").is_file() {
            return Err(wrong(format!(
                "there is no driver package in {}: the catalog names a driver `{name}`",
                own.display()
            )));
        }
        if !own.join("Cargo.lock").is_file() {
            return Err(wrong(format!(
                "{} has no Cargo.lock: run `cargo generate-lockfile` there and check it in",
                own.display()
            )));
        }
        let package = manifest(&own.join("Cargo.toml"))?;
        let package_name = package.get("package").and_then(|p| p.get("name"));
        let package_name = package_name.and_then(Item::as_str).unwrap_or(&name).to_owned();
        let mut folders = BTreeSet::new();
        follow(repository, &folder, Some(&own), &mut folders)?;
        let folders: Vec<PathBuf> = folders.into_iter().collect();
        let workspace = inherited(repository, &folders)?;
        let mut key = CacheKey::new("driver 1").with("workspace", &workspace);
        for one in &folders {
            let path = if *one == folder { own.clone() } else { repository.join(one) };
            let sha256 = digest::tree(&path).map_err(BuildError::io("read", &path))?;
            key = key.with("folder", one.to_string_lossy().as_bytes()).with("sha256", sha256);
        }
        let (language, sha256) = (PackageLanguage::Rust, key.sha256());
        Ok(Self { name: package_name, language, folder, own, folders, workspace, sha256 })
    }

    /// A module of Go, which needs no other.
    fn of_go(name: String, folder: PathBuf, own: PathBuf) -> Result<Self, BuildError> {
        let sha256 = digest::tree(&own).map_err(BuildError::io("read", &own))?;
        let (folders, workspace) = (vec![folder.clone()], String::new());
        Ok(Self { name, language: PackageLanguage::Go, folder, own, folders, workspace, sha256 })
    }

    /// Where its files are.
    pub(crate) fn files(&self) -> &Path {
        &self.own
    }

    /// Its checked-in lockfile. A module of Go without others has what it needs in its manifest.
    pub(crate) fn lockfile(&self) -> Result<String, BuildError> {
        let path = self.own.join(match self.language {
            PackageLanguage::Rust => "Cargo.lock",
            PackageLanguage::Go => "go.mod",
        });
        fs::read_to_string(&path).map_err(BuildError::io("read", &path))
    }

    /// Those of the features that bring crates of their own.
    pub(crate) fn features_with_crates(
        &self,
        features: &[String],
    ) -> Result<Vec<String>, BuildError> {
        let mut without = manifest(&self.own.join("Cargo.toml"))?;
        let brings = |feature: &&String| {
            let before = without.to_string();
            add_crates(&mut without, std::slice::from_ref(feature));
            without.to_string() != before
        };
        Ok(features.iter().filter(brings).cloned().collect())
    }

    /// Copies it below `root`, in the layout of the repository, with the library under test and the
    /// crates that its features need.
    pub(crate) fn copy(
        &self,
        repository: &Path,
        root: &Path,
        injected: &[ResolvedCrate],
        features: &[String],
        lockfile: &str,
    ) -> Result<(), BuildError> {
        for folder in &self.folders {
            let from = if *folder == self.folder { &self.own } else { &repository.join(folder) };
            let to = root.join(folder);
            digest::mirror(from, &to).map_err(BuildError::io("copy", from))?;
        }
        let write = |path: PathBuf, text: &str| {
            fs::write(&path, text).map_err(BuildError::io("write", &path))
        };
        write(root.join("Cargo.toml"), &self.workspace)?;
        let own = root.join(&self.folder);
        let mut edited = manifest(&own.join("Cargo.toml"))?;
        add_crates(&mut edited, features);
        inject(&mut edited, injected);
        write(own.join("Cargo.toml"), &edited.to_string())?;
        write(own.join("Cargo.lock"), lockfile)
    }
}

/// Collects `folder` and what it depends on by path. The files of the driver itself are in `own`.
fn follow(
    repository: &Path,
    folder: &Path,
    own: Option<&Path>,
    found: &mut BTreeSet<PathBuf>,
) -> Result<(), BuildError> {
    if !found.insert(folder.to_owned()) {
        return Ok(());
    }
    let path = own.map_or_else(|| repository.join(folder), Path::to_owned).join("Cargo.toml");
    let document = manifest(&path)?;
    for table in dependency_tables(document.as_table(), own.is_some()) {
        for (name, item) in table.iter() {
            let Some(to) = item.get("path").and_then(Item::as_str) else { continue };
            let target = normal(&folder.join(to)).ok_or_else(|| {
                wrong(format!("{}: `{name}` lies outside of the repository", path.display()))
            })?;
            follow(repository, &target, None, found)?;
        }
    }
    Ok(())
}

/// Every table of dependencies, including those of targets. For the package that is built also the
/// dev-dependencies, because cargo locks them.
fn dependency_tables(document: &Table, own: bool) -> Vec<&dyn TableLike> {
    let kinds: &[&str] = if own {
        &["dependencies", "build-dependencies", "dev-dependencies"]
    } else {
        &["dependencies", "build-dependencies"]
    };
    let mut holders: Vec<&dyn TableLike> = vec![document];
    if let Some(targets) = document.get("target").and_then(Item::as_table_like) {
        holders.extend(targets.iter().filter_map(|(_, target)| target.as_table_like()));
    }
    holders
        .iter()
        .flat_map(|holder| kinds.iter().filter_map(|kind| holder.get(kind)?.as_table_like()))
        .collect()
}

/// The path without `.` and `..`; `None` if it leaves the root.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => clean.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !clean.pop() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(clean)
}

/// The part of the repository's manifest that packages inherit.
fn inherited(repository: &Path, folders: &[PathBuf]) -> Result<String, BuildError> {
    let path = repository.join("Cargo.toml");
    if !path.is_file() {
        return Ok("[workspace]\n".to_owned());
    }
    let full = manifest(&path)?;
    let mut reduced = Table::new();
    if let Some(workspace) = full.get("workspace").and_then(Item::as_table_like) {
        for (name, item) in workspace.iter().filter(|(name, _)| *name != "members") {
            reduced.insert(name, item.clone());
        }
    }
    const ALONE: [&str; 2] = ["bench/drivers", "bench/servers"];
    let alone = |folder: &&PathBuf| ALONE.iter().any(|place| folder.starts_with(place));
    let members = folders.iter().filter(|folder| !alone(folder));
    let members: Array = members.map(|folder| folder.to_string_lossy().into_owned()).collect();
    reduced.insert("members", Item::Value(Value::Array(members)));
    reduced.insert(
        "exclude",
        Item::Value(Value::Array(Array::from_iter(ALONE.into_iter().chain(["library"])))),
    );
    let mut document = DocumentMut::new();
    document.insert("workspace", Item::Table(reduced));
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_repository() {
        assert_eq!(normal(Path::new("bench/drivers/x/../../driver")), Some("bench/driver".into()));
        assert_eq!(normal(Path::new("bench/../../x")), None);
        assert_eq!(normal(Path::new("/x")), None);
    }
}
