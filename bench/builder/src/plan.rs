//! Everything that is known about a build before it starts, down to the key of its result.

use crate::{
    BuildError, Incompatibility, Resolved,
    catalog::{CatalogError, DriverRecipe, range_text},
    digest::Key,
    in_tree::{self, InTree},
    job::Job,
    library::{Installed, Recipe},
    lockfile::Lockfile,
    manifest,
    package::{Injected, Package},
    resolve::{self, Start},
    source::{Fetched, package_version},
    toolchain::Rust,
    tools,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

/// A build, planned.
pub(crate) struct Plan {
    pub(crate) fetched: Fetched,
    pub(crate) package: Package,
    /// The program in the library's own tree that measures, where that was asked for.
    pub(crate) in_tree: Option<InTree>,
    /// The library's own build, where cargo does not do it.
    pub(crate) library: Option<Recipe>,
    /// What the subject puts in the place of the driver's dependencies.
    pub(crate) injected: Vec<Injected>,
    /// Cargo features of the driver.
    pub(crate) features: Vec<String>,
    /// Flags for rustc.
    pub(crate) rustflags: Vec<String>,
    /// Settings of cargo's release profile, as `key=value` in TOML.
    pub(crate) profile: Vec<String>,
    /// Whether the variants make up the stack's reference build.
    pub(crate) reference: bool,
    /// Environment of the driver's build; `{prefix}` is not filled in yet.
    pub(crate) environment: BTreeMap<String, String>,
    /// What of the environment the variants set.
    pub(crate) chosen: BTreeMap<String, String>,
    pub(crate) lock_text: String,
    pub(crate) lock: Lockfile,
    pub(crate) rust: Rust,
    /// Key of the folder that the driver is compiled in: one for each driver and set of
    /// flags, so that dependencies are compiled once.
    pub(crate) work: String,
    /// Key of the artifact.
    pub(crate) id: String,
}

/// What a plan is made for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Purpose<'a> {
    /// The base of a comparison that this is the head of.
    pub(crate) base: Option<&'a Plan>,
    /// Whether it stands beside another artifact of the same subject and shall be built
    /// apart from it.
    pub(crate) twin: bool,
}

impl Plan {
    /// Plans the build of a subject whose source is there.
    pub(crate) fn new(
        job: &Job<'_>,
        wanted: &Resolved,
        (fetched, rust): (Fetched, Rust),
        purpose: Purpose<'_>,
    ) -> Result<Self, BuildError> {
        let in_tree = wanted.in_tree.then(|| InTree::find(wanted, &fetched)).transpose()?;
        let runner = DriverRecipe::bare(in_tree::DRIVER);
        let driver = if wanted.in_tree { &runner } else { driver(wanted, &fetched)? };
        let package = Package::find(job.repository, &driver.package)?;
        let library = wanted.stack.library.as_ref();
        let library = library.map(|l| Recipe::new(job, wanted, l, &fetched)).transpose()?;
        let variants = wanted.variants();
        let mut features = driver.features.clone();
        // The program's features are its own; the driver that runs it has none.
        if in_tree.is_none() {
            features.extend(variants.iter().flat_map(|v| v.features.clone()));
        }
        let rustflags: Vec<String> = variants.iter().flat_map(|v| v.rustflags.clone()).collect();
        let profile: BTreeMap<&String, &toml::Value> =
            variants.iter().flat_map(|variant| &variant.profile).collect();
        let profile: Vec<String> =
            profile.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        let chosen: BTreeMap<String, String> =
            variants.iter().flat_map(|v| v.environment.clone()).collect();
        let mut environment = driver.environment.clone();
        environment.extend(chosen.clone());
        let work = Key::new("work 1")
            .with("folder", package.folder.to_string_lossy().as_bytes())
            .all("rustflag", &rustflags)
            .all("profile", &profile)
            .all("environment", chosen.iter().map(|(name, value)| format!("{name}={value}")))
            .id();
        let injected = injected(wanted, &fetched, driver)?;
        let start =
            Start { package: &package, injected: &injected, fetched: &fetched, work: &work };
        let lock_text = resolve::lockfile(job, &start, &rust, purpose.base)?;
        let lock = Lockfile::parse(&lock_text).map_err(|why| BuildError::Source {
            what: format!("the lockfile of driver {} can't be read: {why}", driver.package),
            log: None,
        })?;
        check_injected(&lock, &injected, &fetched)?;
        let mut plan = Self {
            fetched,
            package,
            in_tree,
            library,
            injected,
            features,
            rustflags,
            profile,
            reference: wanted.is_reference(),
            environment,
            chosen,
            lock_text,
            lock,
            rust,
            work,
            id: String::new(),
        };
        plan.id = plan.key(job, purpose.twin);
        Ok(plan)
    }

    /// Digest over everything that goes into the artifact.
    fn key(&self, job: &Job<'_>, twin: bool) -> String {
        let compiler = self.environment.get("CC").map_or("cc", String::as_str);
        Key::new("artifact 1")
            .with("subject", self.fetched.subject.to_string())
            .with("twin", if twin { "yes" } else { "no" })
            .with("source", &self.fetched.seen.sha256)
            .with("library", self.library.as_ref().map_or("", Recipe::key))
            .with("driver", &self.package.sha256)
            .with("lockfile", &self.lock_text)
            .all("in-tree", self.in_tree.iter().flat_map(|own| &own.features))
            .with("rustc", &self.rust.version)
            .with("cc", tools::identity(job.caller, compiler))
            .with("linker", tools::identity(job.caller, "cc"))
            .all("feature", &self.features)
            .all("rustflag", &self.rustflags)
            .all("profile", &self.profile)
            .with("reference", if self.reference { "yes" } else { "no" })
            .all("environment", self.environment.iter().map(|(n, v)| format!("{n}={v}")))
            .id()
    }

    /// Flags for the record: the library's options, features, flags of rustc.
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = self.library.as_ref().map(|l| l.options.clone()).unwrap_or_default();
        let own = self.in_tree.iter().flat_map(|own| &own.features);
        flags.extend(own.map(|feature| format!("feature {feature}")));
        flags.extend(self.features.iter().map(|feature| format!("feature {feature}")));
        flags.extend(self.rustflags.clone());
        flags.extend(self.profile.iter().map(|setting| format!("profile {setting}")));
        flags
    }

    /// A call of cargo on the driver in `folder`, with everything that this build sets.
    pub(crate) fn cargo(
        &self,
        job: &Job<'_>,
        subcommand: &str,
        folder: &Path,
        target: &Path,
        installed: Option<&Installed>,
    ) -> Command {
        let mut command = job.caller.command("cargo");
        command
            .current_dir(folder)
            .args([subcommand, "--release", "--locked", "--offline", "--color", "never"])
            .args(["--no-default-features", "--features"])
            .arg(self.features.join(","))
            .args(self.profile.iter().map(|setting| format!("--config=profile.release.{setting}")))
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_INCREMENTAL", "0")
            .env("RUSTFLAGS", self.all_rustflags().join(" "))
            .envs(self.filled_environment(installed));
        command
    }

    /// Flags for rustc. Cargo caps the lints of crates from a registry, but not those of a
    /// tree: old revisions deny warnings that only newer compilers have.
    fn all_rustflags(&self) -> Vec<&str> {
        let cap = (!self.injected.is_empty()).then_some("--cap-lints=warn");
        self.rustflags.iter().map(String::as_str).chain(cap).collect()
    }

    /// The environment of the driver's build, with the library's folder filled in.
    fn filled_environment(&self, installed: Option<&Installed>) -> BTreeMap<String, String> {
        let prefix = installed.map(|installed| installed.prefix.to_string_lossy().into_owned());
        let filled = self.environment.iter().map(|(name, value)| {
            (name.clone(), value.replace("{prefix}", prefix.as_deref().unwrap_or_default()))
        });
        filled.collect()
    }

    /// The error for a library that the driver does not fit.
    pub(crate) fn incompatible(&self, why: Incompatibility, log: &Path) -> BuildError {
        BuildError::Incompatible {
            subject: self.fetched.subject.to_string(),
            revision: self.fetched.seen.revision.clone(),
            why: Box::new(why),
            log: log.to_owned(),
        }
    }

    /// The lockfile of what is measured: the tree's own for an in-tree benchmark.
    pub(crate) fn measured_lock(&self) -> &Lockfile {
        self.in_tree.as_ref().map_or(&self.lock, |own| &own.lock)
    }

    /// Folder that the driver is compiled in.
    pub(crate) fn work_folder(&self, job: &Job<'_>) -> PathBuf {
        job.cache.at("work", &self.work)
    }
}

/// The driver that serves a subject's release.
fn driver<'a>(wanted: &'a Resolved, fetched: &Fetched) -> Result<&'a DriverRecipe, CatalogError> {
    wanted.stack.driver(&fetched.release).ok_or_else(|| CatalogError::Driver {
        stack: wanted.stack.name.clone(),
        version: fetched.release.to_string(),
        known: (wanted.stack.drivers.iter())
            .map(|driver| range_text(driver.since.as_ref(), driver.before.as_ref()))
            .collect(),
    })
}

/// What takes the place of the driver's dependencies: the release, or crates of the tree.
fn injected(
    wanted: &Resolved,
    fetched: &Fetched,
    driver: &DriverRecipe,
) -> Result<Vec<Injected>, BuildError> {
    let one = |(place, inject): (usize, &crate::Inject)| {
        let name = inject.name.clone();
        let Some(tree) = &fetched.tree else {
            if inject.since.as_ref().is_some_and(|since| fetched.release < *since) {
                return Ok(None);
            }
            let version = fetched.release.to_string();
            let unpacked = fetched.unpacked.as_ref().filter(|_| place == 0);
            let features = unpacked.map(|folder| manifest::features(folder)).unwrap_or_default();
            return Ok(Some(Injected { name, version, path: None, features }));
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
        Ok(Some(Injected { name, version, path, features: manifest::features(&folder) }))
    };
    driver.inject.iter().enumerate().map(one).filter_map(Result::transpose).collect()
}

/// Makes sure that the lockfile names the library that was asked for, and that its checksum
/// is the catalog's.
fn check_injected(
    lock: &Lockfile,
    injected: &[Injected],
    fetched: &Fetched,
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
