//! Every release that the registry has of a stack, from cargo's copy of the registry's index.

use crate::{Builder, CatalogStack, CrateSource, KnownRelease};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What the index says of one version of a crate.
#[derive(Deserialize)]
struct Entry {
    vers: String,
    cksum: String,
    yanked: bool,
}

impl Builder {
    /// The releases of a stack that the registry has and a driver serves, the oldest first, with the
    /// digests of their crates. Those that were withdrawn are left out. Empty if the stack does not come from a
    /// registry, or cargo keeps no copy of its index.
    pub fn registry_releases(&self, stack: &CatalogStack) -> Vec<KnownRelease> {
        let Some(registry) = &stack.registry else { return Vec::new() };
        // Makes cargo ask the registry; without network, its copy is as old as it is.
        let _ = self.newest(registry, "*", &[]);
        let mut found = BTreeMap::new();
        for path in self.index_files(&registry.name) {
            let content = fs::read(path).unwrap_or_default();
            for release in entries(&content).filter_map(|entry| known(registry, entry)) {
                if stack.driver(&release.version, &[]).is_some() {
                    found.insert(release.version.clone(), release);
                }
            }
        }
        found.into_values().collect()
    }

    /// Where cargo keeps what the registries say of a crate.
    fn index_files(&self, name: &str) -> Vec<PathBuf> {
        let Some(home) = self.caller().cargo_home() else { return Vec::new() };
        let registries = fs::read_dir(home.join("registry/index")).into_iter().flatten().flatten();
        let below = format!(".cache/{}/{name}", folder(name));
        let files = registries.map(|registry| registry.path().join(Path::new(&below)));
        files.filter(|path| path.is_file()).collect()
    }
}

/// The folder of a crate in an index.
fn folder(name: &str) -> String {
    match name.len() {
        short @ (1 | 2) => short.to_string(),
        3 => format!("3/{}", &name[..1]),
        _ => format!("{}/{}", &name[..2], &name[2..4]),
    }
}

/// The entries in a file of cargo's: a header, then versions and entries in JSON, each ended by a zero.
fn entries(content: &[u8]) -> impl Iterator<Item = Entry> {
    content.split(|byte| *byte == 0).filter_map(|part| serde_json::from_slice(part).ok())
}

/// The release that a version of the crate carries.
fn known(registry: &CrateSource, entry: Entry) -> Option<KnownRelease> {
    let number = match entry.vers.split_once('+') {
        Some((_, metadata)) if registry.release_in_metadata => metadata,
        _ if registry.release_in_metadata => return None,
        _ => &entry.vers,
    };
    let version = number.parse().ok()?;
    let old = registry.since.as_ref().is_some_and(|since| version < *since);
    (!old && !entry.yanked).then_some(KnownRelease {
        version,
        crate_version: Some(entry.vers),
        tarball: None,
        tag: None,
        commit: None,
        sha256: entry.cksum,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(release_in_metadata: bool, since: Option<&str>) -> CrateSource {
        let since = since.map(|since| since.parse().unwrap());
        CrateSource { name: "x-src".to_owned(), folder: String::new(), since, release_in_metadata }
    }

    fn read(content: &[u8], registry: &CrateSource) -> Vec<String> {
        let found = entries(content).filter_map(|entry| known(registry, entry));
        found.map(|release| release.version.to_string()).collect()
    }

    #[test]
    fn releases_are_read_from_cargos_copy_of_the_index() {
        let content = b"\x03\x02\0\0\0etag: \"x\"\0\
            1.0.0+3.0.1\0{\"name\":\"x-src\",\"vers\":\"1.0.0+3.0.1\",\"cksum\":\"aa\",\"yanked\":false}\0\
            1.0.1+3.0.2\0{\"name\":\"x-src\",\"vers\":\"1.0.1+3.0.2\",\"cksum\":\"bb\",\"yanked\":true}\0\
            1.1.0\0{\"name\":\"x-src\",\"vers\":\"1.1.0\",\"cksum\":\"cc\",\"yanked\":false}\0";
        assert_eq!(read(content, &registry(true, None)), ["3.0.1"]);
        assert_eq!(read(content, &registry(false, None)), ["1.0.0", "1.1.0"]);
        assert_eq!(read(content, &registry(false, Some("1.1.0"))), ["1.1.0"]);
        assert!(read(b"\xff\0{\0{}", &registry(false, None)).is_empty());
    }

    #[test]
    fn crates_have_folders_by_their_first_letters() {
        let folders = ["a", "ab", "abc", "openssl-src"].map(folder);
        assert_eq!(folders, ["1", "2", "3/a", "op/en"]);
    }
}
