//! Builds a library that cargo does not build. It is cached apart from the driver, so that a change of
//! the driver does not compile the library again.

use crate::{
    BuildError, BuildPhase, ResolvedSubject,
    build_facts::CompileCost,
    call::BuildLog,
    catalog::{LibraryRecipe, in_range},
    comment::Compilers,
    digest::{self, CacheKey},
    job::BuildJob,
    source::FetchedSource,
    tools,
};
use serde::{Deserialize, Serialize};
use shakedown_protocol::CompilerSeen;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

/// An installed library.
#[derive(Debug, Clone)]
pub(crate) struct InstalledLibrary {
    /// What its archives contain.
    pub(crate) facts: LibraryFacts,
    /// Where it is installed.
    pub(crate) prefix: PathBuf,
    /// Its archives there.
    pub(crate) archives: Vec<PathBuf>,
}

/// The metadata that is cached with a library.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LibraryFacts {
    /// Compilers in its objects.
    pub(crate) compilers: Vec<CompilerSeen>,
    /// How long its steps took; `None` if it was built before that was kept.
    #[serde(default)]
    pub(crate) cost: Option<CompileCost>,
}

/// The build of a library, before its folders are known.
#[derive(Debug, Clone)]
pub(crate) struct LibraryBuild {
    steps: Vec<(String, Vec<String>)>,
    /// Options of the release and its variants.
    pub(crate) options: Vec<String>,
    /// Environment of each step.
    pub(crate) environment: BTreeMap<String, String>,
    target: String,
    archives: Vec<String>,
    key: String,
}

impl LibraryBuild {
    /// Determines steps, options, environment and key.
    pub(crate) fn new(
        job: &BuildJob<'_>,
        wanted: &ResolvedSubject,
        library: &LibraryRecipe,
        fetched: &FetchedSource,
    ) -> Result<Self, BuildError> {
        let release = &fetched.release;
        let variants = wanted.variants();
        let of_variants = variants.iter().flat_map(|variant| &variant.options);
        let options: Vec<String> = (library.options.iter().chain(of_variants))
            .filter(|o| in_range(release, o.since.as_ref(), o.before.as_ref()))
            .flat_map(|o| o.add.clone())
            .collect();
        let mut environment = library.environment.clone();
        environment.extend(variants.iter().flat_map(|variant| variant.environment.clone()));
        let steps: Vec<(String, Vec<String>)> = (library.steps.iter())
            .filter(|step| in_range(release, step.since.as_ref(), step.before.as_ref()))
            .map(|step| (step.name.clone(), step.run.clone()))
            .collect();
        let architecture = std::env::consts::ARCH;
        let wants_target =
            steps.iter().any(|(_, words)| words.iter().any(|w| w.contains("{target}")));
        let target = match library.targets.get(architecture) {
            Some(target) => target.clone(),
            None if !wants_target => String::new(),
            None => {
                let what = format!(
                    "{} is not known to build on {architecture}: add it to `targets` in the catalog",
                    wanted.stack.name
                );
                return Err(BuildError::Source { what, log: None });
            }
        };
        let compiler = environment.get("CC").map_or("cc", String::as_str);
        // Most libraries are C only.
        let required = wanted.stack.requires.iter().find(|required| required.program == "c++");
        let cxx = required.map(|required| environment.get("CXX").unwrap_or(&required.program));
        let key = CacheKey::new("library 1")
            .with("stack", &wanted.stack.name)
            .with("source", &fetched.seen.sha256)
            .with("compiler", tools::identity(job.caller, compiler))
            .with("assembler", tools::identity(job.caller, "as"))
            .all("c++ compiler", cxx.map(|program| tools::identity(job.caller, program)))
            .with("target", &target)
            .all("option", &options)
            .all("environment", environment.iter().map(|(name, value)| format!("{name}={value}")))
            .all("step", steps.iter().map(|(name, words)| format!("{name}\0{}", words.join("\0"))))
            .all("archive", &library.archives)
            .id();
        let archives = library.archives.clone();
        Ok(Self { steps, options, environment, target, archives, key })
    }

    /// Its key in the cache.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Builds the library, or finds it.
    pub(crate) fn install(
        &self,
        job: &BuildJob<'_>,
        fetched: &FetchedSource,
    ) -> Result<InstalledLibrary, BuildError> {
        let place = job.cache.at("libraries", &self.key);
        if let Some(found) = self.look_up(&place) {
            return Ok(found);
        }
        let _lock = job.lock("library", &self.key)?;
        if let Some(found) = self.look_up(&place) {
            return Ok(found);
        }
        let source = fetched.tree.as_deref().unwrap_or(Path::new("."));
        let aside = job.cache.aside(&place)?;
        let cost = Some(self.build(job, source, aside.path())?);
        let mut compilers = Compilers::default();
        for archive in &self.archives {
            let path = aside.path().join("prefix").join(archive);
            compilers.look_into(&path).map_err(BuildError::io("find the library's", &path))?;
        }
        let facts = serde_json::to_vec_pretty(&LibraryFacts { compilers: compilers.seen(), cost });
        let facts = facts.map_err(|error| BuildError::io("write", aside.path())(error.into()))?;
        job.cache.write(&aside.path().join("library.json"), &facts)?;
        let place = aside.publish()?;
        self.look_up(&place).ok_or_else(|| {
            BuildError::io("read", &place)(std::io::Error::other("it is not as it was written"))
        })
    }

    fn look_up(&self, place: &Path) -> Option<InstalledLibrary> {
        let facts = fs::read(place.join("library.json")).ok()?;
        let facts = serde_json::from_slice(&facts).ok()?;
        let prefix = place.join("prefix");
        let archives = self.archives.iter().map(|archive| prefix.join(archive)).collect();
        Some(InstalledLibrary { facts, prefix, archives })
    }

    /// Runs the steps. The source is copied next to the build folder, so that compilers see the same
    /// relative paths for every build and cache.
    fn build(
        &self,
        job: &BuildJob<'_>,
        source: &Path,
        aside: &Path,
    ) -> Result<CompileCost, BuildError> {
        let (build, prefix) = (aside.join("build"), aside.join("prefix"));
        for folder in [&build, &prefix] {
            fs::create_dir_all(folder).map_err(BuildError::io("create", folder))?;
        }
        let copy = aside.join("source");
        digest::mirror(source, &copy).map_err(BuildError::io("copy to", &copy))?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from).to_string();
        let fill = |word: &str| {
            word.replace("{source}", "../source")
                .replace("{build}", ".")
                .replace("{prefix}", &prefix.to_string_lossy())
                .replace("{root}", &aside.to_string_lossy())
                .replace("{jobs}", &jobs)
                .replace("{target}", &self.target)
        };
        let mut log =
            BuildLog::create(&job.cache.at("logs", &format!("library-{}.log", self.key)))?;
        let begun = Instant::now();
        for (name, words) in &self.steps {
            job.phase(BuildPhase::Library(name.clone()));
            let words: Vec<String> = (words.iter())
                .flat_map(|word| match word.as_str() {
                    "{options}" => self.options.clone(),
                    word => vec![fill(word)],
                })
                .collect();
            let Some((program, arguments)) = words.split_first() else { continue };
            let mut command = job.caller.command(program);
            command.args(arguments).current_dir(&build).envs(&self.environment);
            let phase = format!("{} {name}", job.subject.stack);
            job.run(&mut log, name, &phase, &mut command)?;
        }
        let cost = CompileCost::since(begun, &log)?;
        // The objects are in the archives; the rest is tens of megabytes a build.
        fs::remove_dir_all(&build).map_err(BuildError::io("remove", &build))?;
        fs::remove_dir_all(&copy).map_err(BuildError::io("remove", &copy))?;
        Ok(cost)
    }
}
