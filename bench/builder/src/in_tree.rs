//! The benchmark program in a library's own tree.

use crate::{
    BuildError, ResolvedSubject, catalog::InTreeRecipe, lockfile::Lockfile, source::FetchedSource,
};
use std::{fs, path::PathBuf};

/// The driver for these programs.
pub(crate) const DRIVER: &str = "intree";

/// A benchmark program, found in a tree.
#[derive(Debug, Clone)]
pub(crate) struct InTreeProgram {
    pub(crate) recipe: InTreeRecipe,
    /// Cargo features, in place of the package's defaults.
    pub(crate) features: Vec<String>,
    /// The lockfile of the tree.
    pub(crate) lock: Lockfile,
}

/// File name of the program that link `number` of the driver runs.
pub(crate) fn program(number: u32) -> String {
    if number == 0 { "bench".to_owned() } else { format!("bench.{number}") }
}

fn wrong(what: String) -> BuildError {
    BuildError::Source { what, log: None }
}

impl InTreeProgram {
    /// Finds the program in a subject's tree.
    pub(crate) fn find(
        wanted: &ResolvedSubject,
        fetched: &FetchedSource,
    ) -> Result<Self, BuildError> {
        let subject = &wanted.subject;
        let tree = fetched.tree.as_deref().ok_or_else(|| {
            wrong(format!(
                "{subject} is a crate, which does not carry the benchmark program of its repository: name the revision instead, such as {}@git:TAG",
                subject.stack
            ))
        })?;
        let has = |recipe: &&InTreeRecipe| {
            let folder = tree.join(&recipe.folder);
            folder.join("Cargo.toml").is_file() && folder.join(&recipe.source).is_file()
        };
        let recipe = wanted.stack.in_tree.iter().find(has).ok_or_else(|| {
            let names = wanted.stack.in_tree.iter().map(|r| format!("{}/{}", r.folder, r.source));
            let names: Vec<String> = names.collect();
            wrong(format!(
                "{subject} carries no benchmark program that the catalog knows (looked for: {})",
                names.join(", ")
            ))
        })?;
        let read = |path: PathBuf| fs::read_to_string(&path).map_err(BuildError::io("read", &path));
        let manifest = read(tree.join(&recipe.folder).join("Cargo.toml"))?;
        let lock_text = read(tree.join("Cargo.lock"))?;
        let lock = Lockfile::parse(&lock_text)
            .map_err(|why| wrong(format!("the lockfile of {subject} can't be read: {why}")))?;
        let features = features(wanted, &manifest)
            .map_err(|why| wrong(format!("{subject}: {}/Cargo.toml: {why}", recipe.folder)))?;
        Ok(Self { recipe: recipe.clone(), features, lock })
    }

    /// Name of the program in its project.
    pub(crate) fn name(&self) -> String {
        match (&self.recipe.bin, &self.recipe.example) {
            (None, Some(example)) => format!("{} (example {example})", self.recipe.package),
            _ => self.recipe.package.clone(),
        }
    }
}

/// The features of the build: those of the subject's variants and the package's defaults, without
/// those of other variants of the same stack.
fn features(wanted: &ResolvedSubject, manifest: &str) -> Result<Vec<String>, String> {
    let manifest: toml_edit::DocumentMut =
        manifest.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    let table = manifest.get("features").and_then(toml_edit::Item::as_table_like);
    let known: Vec<&str> = table.iter().flat_map(|t| t.iter().map(|(name, _)| name)).collect();
    let defaults = table.and_then(|t| t.get("default")).and_then(toml_edit::Item::as_array);
    let defaults = defaults.iter().flat_map(|list| list.iter().filter_map(|name| name.as_str()));
    let plain = |name: &str| name.replace('_', "-");
    let chosen: Vec<String> =
        wanted.variants().iter().flat_map(|v| &v.features).map(|name| plain(name)).collect();
    let optional: Vec<String> =
        wanted.stack.variants.iter().flat_map(|v| &v.features).map(|name| plain(name)).collect();
    let mut found: Vec<String> =
        defaults.filter(|name| !optional.contains(&plain(name))).map(str::to_owned).collect();
    let named = known.iter().filter(|name| chosen.contains(&plain(name)));
    found.extend(named.map(|name| (*name).to_owned()));
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
