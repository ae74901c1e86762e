//! The benchmark program in a library's own tree, built from the tree's own lockfile.

use crate::{
    BuildError, Resolved, assemble,
    call::Log,
    catalog::InTreeRecipe,
    digest,
    job::{Job, blame_network},
    link::Linker,
    lockfile::Lockfile,
    plan::Plan,
    source::Fetched,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The driver that runs such a program.
pub(crate) const DRIVER: &str = "intree";
/// Profile that the program is built with. `cargo rustc --profile bench` would build it as a
/// test harness; a profile that inherits from `bench` has its settings only.
const PROFILE: &str = "in-tree";
/// What that driver reads about it.
const ABOUT: &str = "bench.json";

/// A benchmark program, found in a tree.
#[derive(Debug, Clone)]
pub(crate) struct InTree {
    recipe: InTreeRecipe,
    /// Cargo features, in place of the package's defaults.
    pub(crate) features: Vec<String>,
    /// The tree's own lockfile.
    pub(crate) lock: Lockfile,
}

/// File name of the program that link `number` of the driver runs.
pub(crate) fn program(number: u32) -> String {
    if number == 0 { "bench".to_owned() } else { format!("bench.{number}") }
}

fn wrong(what: String) -> BuildError {
    BuildError::Source { what, log: None }
}

impl InTree {
    /// Finds the program in a subject's tree.
    pub(crate) fn find(wanted: &Resolved, fetched: &Fetched) -> Result<Self, BuildError> {
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

    /// Compiles the program and puts it, its lockfile and what it needs at run time into the
    /// folder `into`. Returns what it was linked from, where the linker keeps that.
    pub(crate) fn compile(
        &self,
        job: &Job<'_>,
        plan: &Plan,
        linker: Option<&Linker>,
        into: &Path,
    ) -> Result<Option<PathBuf>, BuildError> {
        let work = plan.work_folder(job);
        let (tree, target, kit) =
            (work.join("in-tree"), work.join("in-tree-target"), work.join("in-tree-kit.tar"));
        let source = plan.fetched.tree.as_deref().unwrap_or(Path::new("."));
        digest::mirror(source, &tree).map_err(BuildError::io("copy to", &tree))?;
        let made = target.join(PROFILE);
        assemble::forget(&made, &self.recipe.package).map_err(BuildError::io("clear", &target))?;
        let _ = fs::remove_file(&kit);
        let mut log = Log::create(&job.cache.at("logs", &format!("{}-in-tree.log", plan.id)))?;
        let mut fetch = job.caller.command("cargo");
        fetch.args(["fetch", "--locked", "--color", "never"]).current_dir(&tree);
        job.run(&mut log, "cargo fetch", "cargo fetch", &mut fetch)
            .map_err(|error| blame_network(error, &format!("the crates for {}", job.subject)))?;
        // As the project's own instructions build it: with the profile `bench`.
        let mut command = job.caller.command("cargo");
        command
            .current_dir(&tree)
            .args(["rustc", "--profile", PROFILE, "--config"])
            .arg(format!("profile.{PROFILE}.inherits=\"bench\""))
            .args(["--locked", "--offline", "--color", "never"])
            .args(["--package", &self.recipe.package])
            .args(self.recipe.bin.iter().flat_map(|name| ["--bin", name.as_str()]))
            .args(self.recipe.example.iter().flat_map(|name| ["--example", name.as_str()]))
            .args(["--no-default-features", "--features", &self.features.join(",")])
            .arg("--")
            .args(linker.iter().flat_map(|linker| linker.arguments(&kit)))
            .env("CARGO_TARGET_DIR", &target)
            .env("CARGO_INCREMENTAL", "0")
            // Path dependencies are not lint-capped: old code fails on lints of new compilers.
            .env("RUSTFLAGS", format!("{} --cap-lints=warn", plan.rustflags.join(" ")))
            .envs(&plan.chosen);
        let phase = format!("in-tree {}", self.recipe.package);
        job.run(&mut log, "in-tree benchmark", &phase, &mut command)?;
        let built = match (&self.recipe.bin, &self.recipe.example) {
            (Some(name), _) => made.join(name),
            (None, name) => made.join("examples").join(name.as_deref().unwrap_or_default()),
        };
        let copy = |from: &Path, name: &str| {
            fs::copy(from, into.join(name)).map_err(BuildError::io("copy", from)).map(drop)
        };
        copy(&built, &program(0))?;
        copy(&tree.join("Cargo.lock"), "Cargo.lock")?;
        if let Some(data) = &self.recipe.data {
            let (from, to) = (tree.join(data), into.join(data));
            digest::mirror(&from, &to).map_err(BuildError::io("copy", &from))?;
        }
        let text = serde_json::json!({
            "stack": plan.fetched.subject.stack,
            "library": format!("{} {}", plan.fetched.subject.stack, plan.fetched.release),
            "details": [
                format!("in-tree benchmark {}", self.name()),
                format!("features {}", self.features.join(" ")),
            ],
        });
        job.cache.write(&into.join(ABOUT), text.to_string().as_bytes())?;
        Ok(linker.map(|_| kit))
    }

    /// Name of the program, as its own project knows it.
    pub(crate) fn name(&self) -> String {
        match (&self.recipe.bin, &self.recipe.example) {
            (None, Some(example)) => format!("{} (example {example})", self.recipe.package),
            _ => self.recipe.package.clone(),
        }
    }
}

/// The features to build with: those of the subject's variants and the package's defaults,
/// without those that stand for other variants of the same stack.
fn features(wanted: &Resolved, manifest: &str) -> Result<Vec<String>, String> {
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
