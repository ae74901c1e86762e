//! Reading and comparing `Cargo.lock`.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The packages of a lockfile.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Lockfile {
    #[serde(default, rename = "package")]
    pub(crate) packages: Vec<LockedCrate>,
}

/// One package in it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct LockedCrate {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its source; `None` for a folder.
    pub(crate) source: Option<String>,
    pub(crate) checksum: Option<String>,
}

impl Lockfile {
    /// Parses a lockfile.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    /// Packages of that name.
    pub(crate) fn named(&self, name: &str) -> Vec<&LockedCrate> {
        self.packages.iter().filter(|package| package.name == name).collect()
    }

    /// The packages that cargo fetches, without those called `but`.
    pub(crate) fn fetched(&self, but: &[&str]) -> Vec<String> {
        let fetched = self
            .packages
            .iter()
            .filter(|package| package.source.is_some() && !but.contains(&package.name.as_str()));
        let line = |package: &LockedCrate| {
            let checksum = package.checksum.as_deref().unwrap_or_default();
            format!("{} {} {checksum}", package.name, package.version)
        };
        fetched.map(line).collect()
    }

    /// Version and checksum of every crate, by name; several versions of one crate are joined.
    pub(crate) fn crates(&self) -> BTreeMap<String, String> {
        let mut crates: BTreeMap<String, String> = BTreeMap::new();
        for package in &self.packages {
            let text = match &package.checksum {
                Some(checksum) => format!("{} {checksum}", package.version),
                None => package.version.clone(),
            };
            let entry = crates.entry(package.name.clone()).or_default();
            if !entry.is_empty() {
                entry.push_str("; ");
            }
            entry.push_str(&text);
        }
        crates
    }
}

/// The lockfile without the packages `names`, so that cargo resolves these again and keeps the
/// others.
pub(crate) fn without(text: &str, names: &[&str]) -> Result<String, String> {
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    if let Some(packages) = document.get_mut("package").and_then(|p| p.as_array_of_tables_mut()) {
        packages.retain(|package| {
            let name = package.get("name").and_then(toml_edit::Item::as_str);
            name.is_none_or(|name| !names.contains(&name))
        });
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"version = 4

[[package]]
name = "rustls"
version = "0.23.40"
source = "registry"
checksum = "aa"
dependencies = ["ring"]

[[package]]
name = "ring"
version = "0.17.1"
source = "registry"
checksum = "bb"

[[package]]
name = "ring"
version = "0.16.0"
source = "registry"
checksum = "cc"

[[package]]
name = "driver"
version = "0.1.0"
"#;

    #[test]
    fn every_crate_is_listed() {
        let lock = Lockfile::parse(LOCK).unwrap();
        let crates = lock.crates();
        assert_eq!(crates["ring"], "0.17.1 bb; 0.16.0 cc");
        assert_eq!(crates["driver"], "0.1.0");
        assert_eq!(lock.named("rustls")[0].checksum.as_deref(), Some("aa"));
        assert!(lock.named("driver")[0].source.is_none());
        assert_eq!(lock.fetched(&["rustls"]), ["ring 0.17.1 bb", "ring 0.16.0 cc"]);
    }

    #[test]
    fn a_package_can_be_taken_out() {
        let rest = without(LOCK, &["rustls"]).unwrap();
        let lock = Lockfile::parse(&rest).unwrap();
        assert_eq!(lock.packages.len(), 3);
        assert!(lock.named("rustls").is_empty());
    }

    #[test]
    fn what_is_no_lockfile_says_so() {
        assert!(Lockfile::parse("<<<<<<< HEAD").is_err());
        assert!(without("=", &[]).is_err());
    }
}
