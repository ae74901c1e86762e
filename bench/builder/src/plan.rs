//! The plan of a build, including the key of its result.

use crate::{
    BuildError, Incompatibility, ResolvedSubject,
    catalog::DriverRecipe,
    dependencies::{self, BaseLockfile, LockfileInputs},
    digest::CacheKey,
    in_tree::{self, InTreeProgram},
    injection,
    job::BuildJob,
    library::{InstalledLibrary, LibraryBuild},
    lockfile::Lockfile,
    manifest::ResolvedCrate,
    own_driver,
    package::{DriverPackage, PackageLanguage},
    source::{self, FetchedDriverSource, FetchedSource},
    toolchain::RustToolchain,
    tools,
    work_folder::{TARGET, TREE, WorkFolder},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

/// The plan of a build.
pub(crate) struct BuildPlan {
    pub(crate) fetched: FetchedSource,
    pub(crate) package: DriverPackage,
    /// Folder in the library's tree with the driver, if it has one.
    pub(crate) own_driver: Option<String>,
    /// The benchmark program in the library's own tree, if it was requested.
    pub(crate) in_tree: Option<InTreeProgram>,
    /// The build of the library, unless cargo builds it.
    pub(crate) library: Option<LibraryBuild>,
    /// Crates of the subject that replace dependencies of the driver.
    pub(crate) injected: Vec<ResolvedCrate>,
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
    /// Sources that the driver's build needs besides the library's.
    pub(crate) sources: Vec<FetchedDriverSource>,
    /// The part of the environment that the variants set.
    pub(crate) chosen: BTreeMap<String, String>,
    /// What the driver runs with.
    pub(crate) run_environment: BTreeMap<String, String>,
    pub(crate) lock_text: String,
    pub(crate) lock: Lockfile,
    pub(crate) rust: RustToolchain,
    /// Key of the folder in which the driver is compiled. Builds with the same driver and flags share
    /// it, so that dependencies are compiled once.
    pub(crate) work: String,
    /// Key of the artifact.
    pub(crate) id: String,
}

/// The purpose of a plan.
#[derive(Clone, Copy, Default)]
pub(crate) struct Purpose<'a> {
    /// The base of the comparison, if this is the head.
    pub(crate) base: Option<&'a BuildPlan>,
    /// Whether another artifact of the same subject exists that this one must not share.
    pub(crate) twin: bool,
}

impl BuildPlan {
    /// Plans the build of a subject with a fetched source.
    pub(crate) fn new(
        job: &BuildJob<'_>,
        wanted: &ResolvedSubject,
        (fetched, rust): (FetchedSource, RustToolchain),
        purpose: Purpose<'_>,
    ) -> Result<Self, BuildError> {
        let in_tree = wanted.in_tree.then(|| InTreeProgram::find(wanted, &fetched)).transpose()?;
        let runner = DriverRecipe::bare(in_tree::DRIVER);
        let driver = if wanted.in_tree { &runner } else { injection::driver(wanted, &fetched)? };
        let own_driver = own_driver::folder(wanted, &fetched)?.filter(|_| in_tree.is_none());
        let package = DriverPackage::find(job.repository, &driver.place(), own_driver.clone())?;
        let sources = driver.sources.iter().map(|source| source::driver_source(job, source));
        let sources = sources.collect::<Result<Vec<_>, _>>()?;
        let library = wanted.stack.library.as_ref();
        let library = library.map(|l| LibraryBuild::new(job, wanted, l, &fetched)).transpose()?;
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
        let work = CacheKey::new("work 1")
            .with("folder", package.folder.to_string_lossy().as_bytes())
            .all("rustflag", &rustflags)
            .all("profile", &profile)
            .all("environment", chosen.iter().map(|(name, value)| format!("{name}={value}")))
            .id();
        let injected = injection::resolve(wanted, &fetched, driver)?;
        let base = purpose.base.map(|base| BaseLockfile {
            folder: &base.package.folder,
            text: &base.lock_text,
            lock: &base.lock,
        });
        let start = LockfileInputs {
            package: &package,
            injected: &injected,
            features: &features,
            fetched: &fetched,
        };
        let (lock_text, lock) = match package.language {
            PackageLanguage::Rust => {
                let text = dependencies::lockfile(job, &start, &rust, base)?;
                let lock = Lockfile::parse(&text).map_err(|why| BuildError::Source {
                    what: format!("the lockfile of driver {} can't be read: {why}", driver.package),
                    log: None,
                })?;
                (text, lock)
            }
            PackageLanguage::Go => (package.lockfile()?, Lockfile::default()),
        };
        injection::check(&lock, &injected, &fetched)?;
        let mut plan = Self {
            fetched,
            package,
            own_driver: wanted.own_driver.clone().filter(|_| own_driver.is_some()),
            in_tree,
            library,
            injected,
            features,
            rustflags,
            profile,
            reference: wanted.is_reference(),
            environment,
            sources,
            chosen,
            run_environment: wanted.run_environment(),
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
    fn key(&self, job: &BuildJob<'_>, twin: bool) -> String {
        let compiler = self.environment.get("CC").map_or("cc", String::as_str);
        CacheKey::new("artifact 1")
            .with("subject", self.fetched.subject.to_string())
            .with("twin", if twin { "yes" } else { "no" })
            .with("source", &self.fetched.seen.sha256)
            .with("library", self.library.as_ref().map_or("", LibraryBuild::key))
            .with("driver", &self.package.sha256)
            .with("lockfile", &self.lock_text)
            .all("driver source", self.sources.iter().map(|source| &source.seen.sha256))
            .all("in-tree", self.in_tree.iter().flat_map(|own| &own.features))
            .with("rustc", &self.rust.version)
            .with("cc", tools::identity(job.caller, compiler))
            .with("linker", tools::identity(job.caller, "cc"))
            .all("feature", &self.features)
            .all("rustflag", &self.rustflags)
            .all("profile", &self.profile)
            .with("reference", if self.reference { "yes" } else { "no" })
            .all("environment", self.environment.iter().map(|(n, v)| format!("{n}={v}")))
            .all("run environment", self.run_environment.iter().map(|(n, v)| format!("{n}={v}")))
            .id()
    }

    /// Flags for the record: the library's options, features, flags of rustc.
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = self.library.as_ref().map(|l| l.options.clone()).unwrap_or_default();
        let own = self.in_tree.iter().flat_map(|own| &own.features);
        flags.extend(own.map(|feature| format!("feature {feature}")));
        flags.extend(self.features.iter().map(|feature| format!("feature {feature}")));
        let sources = self.sources.iter().map(|source| &source.seen);
        flags.extend(sources.map(|seen| format!("crate {} {}", seen.origin, seen.sha256)));
        flags.extend(self.rustflags.clone());
        flags.extend(self.profile.iter().map(|setting| format!("profile {setting}")));
        flags
    }

    /// A call of cargo for the driver in `work`, with all settings of this build.
    pub(crate) fn cargo(
        &self,
        job: &BuildJob<'_>,
        subcommand: &str,
        work: &WorkFolder,
        installed: Option<&InstalledLibrary>,
    ) -> Command {
        let mut command = work.command(job.caller, "cargo", self.driver_folder());
        command
            .args([subcommand, "--release", "--locked", "--offline", "--color", "never"])
            .args(["--no-default-features", "--features"])
            .arg(self.features.join(","))
            .args(self.profile.iter().map(|setting| format!("--config=profile.release.{setting}")))
            .env("CARGO_TARGET_DIR", work.seen(TARGET))
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
    fn filled_environment(&self, installed: Option<&InstalledLibrary>) -> BTreeMap<String, String> {
        let prefix = installed.map(|installed| installed.prefix.to_string_lossy().into_owned());
        let filled = self.environment.iter().map(|(name, value)| {
            (name.clone(), value.replace("{prefix}", prefix.as_deref().unwrap_or_default()))
        });
        let path = |source: &FetchedDriverSource| source.tree.to_string_lossy().into_owned();
        let sources = self.sources.iter().map(|source| (source.variable.clone(), path(source)));
        filled.chain(sources).collect()
    }

    /// The error if the driver does not fit the library.
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

    /// Folder of the driver in a work folder.
    pub(crate) fn driver_folder(&self) -> PathBuf {
        Path::new(TREE).join(&self.package.folder)
    }

    /// Identifies what cargo compiles before the driver and the library under test.
    pub(crate) fn dependencies(&self) -> String {
        let own: Vec<&str> = self.injected.iter().map(|library| &*library.name).collect();
        let in_tree =
            self.in_tree.iter().flat_map(|own| [own.lock.fetched(&[]), own.features.clone()]);
        CacheKey::new("dependencies 1")
            .with("rustc", &self.rust.version)
            .all("crate", self.lock.fetched(&own))
            .all("feature", &self.features)
            .all("in-tree", in_tree.flatten())
            .id()
    }
}
