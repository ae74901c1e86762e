//! Inserts the library under test into the manifest of a driver.

use std::{collections::BTreeSet, path::Path};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

/// A crate of the library under test.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedCrate {
    /// Name of the crate.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Its folder, relative to the driver's; `None` for a crate of the registry.
    pub(crate) path: Option<String>,
    /// Features that it offers.
    pub(crate) features: BTreeSet<String>,
}

/// Feature of drivers whose provider is a separate crate.
const PROVIDER_CRATE: &str = "provider-crate";
/// Key of the features that every build wants.
const EVERY_BUILD: &str = "library";

/// Features that the package in `folder` offers; none where there is no package.
pub(crate) fn features(folder: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let Ok(document) = text.parse::<DocumentMut>() else { return BTreeSet::new() };
    let features = document.get("features").and_then(Item::as_table_like);
    features.into_iter().flat_map(|table| table.iter()).map(|(name, _)| name.to_owned()).collect()
}

/// Adds the features and crates that the driver wants (`package.metadata.shakedown.wants`), if the
/// library has them.
fn want(document: &mut DocumentMut, injected: &[ResolvedCrate]) {
    let wants = ["package", "metadata", "shakedown", "wants"]
        .iter()
        .try_fold(document.as_item(), |item, key| item.get(key))
        .and_then(Item::as_table_like);
    let Some(wants) = wants else { return };
    let wants: Vec<(String, Vec<String>)> = wants
        .iter()
        .map(|(name, list)| {
            let list = list.as_array().into_iter().flat_map(Array::iter);
            let list = list.filter_map(Value::as_str).map(ToOwned::to_owned).collect();
            (name.to_owned(), list)
        })
        .collect();
    for (name, list) in wants {
        for entry in list {
            match entry.split_once('/') {
                Some((library, feature)) => {
                    let offers =
                        |one: &ResolvedCrate| one.name == library && one.features.contains(feature);
                    if !injected.iter().any(offers) {
                        continue;
                    }
                    if name == EVERY_BUILD {
                        push(&mut document["dependencies"][library]["features"], feature);
                    } else {
                        push(&mut document["features"][&name], &entry);
                    }
                }
                None if injected.iter().any(|one| one.name == entry) => {
                    let mut optional = InlineTable::new();
                    optional.insert("version", "*".into());
                    optional.insert("optional", true.into());
                    document["dependencies"][&entry] = Item::Value(optional.into());
                    push(&mut document["features"][&name], &format!("dep:{entry}"));
                    push(&mut document["features"][&name], PROVIDER_CRATE);
                }
                None => {}
            }
        }
    }
}

/// Adds the crates that some features of the driver need (`package.metadata.shakedown.crates`): only
/// these builds have them, in their lockfiles too.
pub(crate) fn add_crates(document: &mut DocumentMut, features: &[String]) {
    let crates = ["package", "metadata", "shakedown", "crates"]
        .iter()
        .try_fold(document.as_item(), |item, key| item.get(key))
        .and_then(Item::as_table_like);
    let Some(crates) = crates else { return };
    let wanted = features.iter().filter_map(|feature| crates.get(feature)?.as_table_like());
    let wanted: Vec<(String, Item)> = wanted
        .flat_map(|table| table.iter().map(|(name, item)| (name.to_owned(), item.clone())))
        .collect();
    for (name, item) in wanted {
        document["dependencies"][&name] = item;
    }
}

/// Adds to an array, creating it if necessary.
fn push(item: &mut Item, text: &str) {
    if item.is_none() {
        *item = Item::Value(Value::Array(Array::new()));
    }
    if let Some(array) = item.as_array_mut() {
        array.push(text);
    }
}

/// Replaces the driver's dependency by the library under test, for all crates that depend on it: the
/// exact version, and its folder if it has one.
pub(crate) fn inject(document: &mut DocumentMut, injected: &[ResolvedCrate]) {
    want(document, injected);
    for library in injected {
        let exact = format!("={}", library.version);
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let Some(table) = document.get_mut(kind).and_then(Item::as_table_like_mut) else {
                continue;
            };
            for (key, item) in table.iter_mut() {
                let renamed = item.get("package").and_then(Item::as_str).map(ToOwned::to_owned);
                if renamed.as_deref().unwrap_or(key.get()) == library.name {
                    pin(item, &exact);
                }
            }
        }
        if let Some(path) = &library.path {
            let mut entry = InlineTable::new();
            entry.insert("path", path.as_str().into());
            let patch = document.entry("patch").or_insert_with(|| {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            });
            patch["crates-io"][&library.name] = Item::Value(Value::InlineTable(entry));
        }
    }
}

/// Sets the version of a dependency and drops its old source.
fn pin(item: &mut Item, exact: &str) {
    match item.as_table_like_mut() {
        Some(table) => {
            for key in ["path", "git", "rev", "tag", "branch"] {
                table.remove(key);
            }
            table.insert("version", toml_edit::value(exact));
        }
        None => *item = toml_edit::value(exact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_takes_the_place_of_the_dependency() {
        let mut document: DocumentMut = r#"[package]
name = "driver-x"

[dependencies]
rustls = { version = "0.23", default-features = false, features = ["std"] }
tls = { package = "rustls-ring", version = "0.24.0-dev.2", optional = true }
serde = "1"
"#
        .parse()
        .unwrap();
        let library = |name: &str, path: Option<&str>| ResolvedCrate {
            name: name.to_owned(),
            version: "0.24.0-dev.3".to_owned(),
            path: path.map(ToOwned::to_owned),
            features: BTreeSet::new(),
        };
        inject(
            &mut document,
            &[library("rustls", Some("../../../library/rustls")), library("rustls-ring", None)],
        );
        insta::assert_snapshot!(document.to_string(), @r#"
        [package]
        name = "driver-x"

        [dependencies]
        rustls = { version = "=0.24.0-dev.3", default-features = false, features = ["std"] }
        tls = { package = "rustls-ring", version = "=0.24.0-dev.3", optional = true }
        serde = "1"

        [patch]
        crates-io = { rustls = { path = "../../../library/rustls" } }
        "#);
    }

    #[test]
    fn a_feature_brings_its_crates_and_no_others() {
        let driver = r#"[package]
name = "driver-x"

[package.metadata.shakedown.crates]
one = { first = "=1.0.0", second = { version = "=2.0.0", features = ["x"] } }
two = { third = "=3.0.0" }

[dependencies]
serde = "1"
"#;
        let with = |features: &[&str]| {
            let mut document: DocumentMut = driver.parse().unwrap();
            let features: Vec<String> = features.iter().map(|name| (*name).to_owned()).collect();
            add_crates(&mut document, &features);
            let text = document.to_string();
            text[text.find("[dependencies]").unwrap()..].to_owned()
        };
        assert_eq!(with(&["other"]), "[dependencies]\nserde = \"1\"\n");
        let both = with(&["one"]);
        assert!(both.contains("first = \"=1.0.0\"") && !both.contains("third"), "{both}");
        assert!(both.contains("second = { version = \"=2.0.0\", features = [\"x\"] }"), "{both}");
    }

    #[test]
    fn what_the_driver_wants_is_taken_where_it_is_offered() {
        const DRIVER: &str = r#"[package]
name = "driver-x"

[package.metadata.shakedown.wants]
library = ["rustls/std", "rustls/webpki"]
ring = ["rustls/ring", "rustls-ring"]

[features]
ring = []

[dependencies]
rustls = { version = "0.23", default-features = false }
"#;
        let library = |name: &str, version: &str, features: &[&str]| ResolvedCrate {
            name: name.to_owned(),
            version: version.to_owned(),
            path: None,
            features: features.iter().map(|name| (*name).to_owned()).collect(),
        };
        let with = |injected: &[ResolvedCrate]| {
            let mut document: DocumentMut = DRIVER.parse().unwrap();
            inject(&mut document, injected);
            let text = document.to_string();
            text[text.find("[features]").unwrap()..].to_owned()
        };
        insta::assert_snapshot!(with(&[library("rustls", "0.23.46", &["ring", "std"])]), @r#"
        [features]
        ring = ["rustls/ring"]

        [dependencies]
        rustls = { version = "=0.23.46", default-features = false , features = ["std"] }
        "#);
        let apart = [
            library("rustls", "0.24.0-dev.2", &["webpki"]),
            library("rustls-ring", "0.24.0-dev.2", &[]),
        ];
        insta::assert_snapshot!(with(&apart), @r#"
        [features]
        ring = ["dep:rustls-ring", "provider-crate"]

        [dependencies]
        rustls = { version = "=0.24.0-dev.2", default-features = false , features = ["webpki"] }
        rustls-ring = { version = "=0.24.0-dev.2", optional = true }
        "#);
    }
}
