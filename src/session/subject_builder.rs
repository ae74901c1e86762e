//! From subjects to binaries.

use super::at_once::at_once;
use crate::{progress::Builds, project::ProjectRoot};
use anyhow::{Context, Result, bail};
use shakedown_builder::{
    BuildError, Builder, BuiltArtifact, BuiltPair, Catalog, CommitRange, Release, ResolvedSubject,
    SilentProgress, default_cache,
};
use shakedown_protocol::{Artifact, Scenario, Subject, SubjectEntry};
use std::{convert::Infallible, path::PathBuf};

/// Builds that run at the same time. Each uses all CPUs where it can; the second fills the gaps of
/// the first, above all while link-time optimization runs on one CPU.
const AT_ONCE: usize = 2;

/// Catalog and builder: from subjects to binaries.
pub struct SubjectBuilder {
    catalog: Catalog,
    builder: Builder,
    /// Builders of other checkouts for base and head of a pair.
    pair: [Option<Builder>; 2],
    /// Folder in the subjects' trees with a driver that takes the place of the project's.
    own_driver: Option<String>,
    /// Whether the benchmark programs in the libraries' own trees measure.
    in_tree: bool,
}

impl SubjectBuilder {
    /// Those of the project and this user.
    ///
    /// # Errors
    /// A catalog with a mistake, or no place for a cache.
    pub fn open(root: &ProjectRoot) -> Result<Self> {
        let catalog = Catalog::load(&root.catalog())?;
        let builder = Builder::new(root.path(), default_cache()?);
        Ok(Self { catalog, builder, pair: [None, None], own_driver: None, in_tree: false })
    }

    /// Takes the drivers of base and head from these checkouts of the project.
    ///
    /// # Errors
    /// If one of them is not a checkout.
    pub fn with_drivers(mut self, folders: &[Option<PathBuf>; 2]) -> Result<Self> {
        for (place, folder) in self.pair.iter_mut().zip(folders) {
            let Some(folder) = folder else { continue };
            if !folder.join("bench/drivers").is_dir() {
                bail!("{} has no bench/drivers: it is no checkout of shakedown", folder.display());
            }
            *place = Some(Builder::new(folder, self.builder.cache()));
        }
        Ok(self)
    }

    /// Takes the driver of each subject from this folder of its own tree, where there is one.
    pub fn with_own_driver(self, folder: Option<String>) -> Self {
        Self { own_driver: folder, ..self }
    }

    /// Builds what these scenarios are measured with: drivers, or in-tree benchmarks.
    ///
    /// # Errors
    /// If there are scenarios of both kinds.
    pub fn for_scenarios(mut self, scenarios: &[Scenario]) -> Result<Self> {
        let in_tree = scenarios.iter().filter(|scenario| scenario.in_tree()).count();
        if in_tree > 0 && in_tree < scenarios.len() {
            bail!(
                "in-tree benchmarks and drivers can't share a run: choose the scenarios of one with --only"
            );
        }
        self.in_tree = in_tree > 0;
        Ok(self)
    }

    /// Finds what the names mean, all of them before anything is built.
    ///
    /// # Errors
    /// The first name that means nothing, with the names near to it.
    pub fn resolve(&self, subjects: &[Subject]) -> Result<Vec<ResolvedSubject>> {
        let resolved = subjects.iter().map(|subject| self.builder.resolve(&self.catalog, subject));
        let resolved: Vec<ResolvedSubject> =
            resolved.collect::<Result<_, _>>().map_err(shakedown_builder::BuildError::from)?;
        let own = |subject: ResolvedSubject| subject.with_own_driver(self.own_driver.clone());
        let resolved = resolved.into_iter().map(own);
        Ok(if self.in_tree {
            resolved.map(ResolvedSubject::in_tree).collect()
        } else {
            resolved.collect()
        })
    }

    /// The subjects, built so that they can be compared: of several stacks, each as its stack's
    /// reference build; of one stack, as they are named.
    pub fn comparable(&self, subjects: &[Subject]) -> Vec<Subject> {
        if subjects.windows(2).all(|pair| pair[0].stack == pair[1].stack) {
            return subjects.to_vec();
        }
        subjects.iter().map(|subject| self.catalog.reference(subject)).collect()
    }

    /// Builds the subjects, [`AT_ONCE`] of them at the same time, with progress on the terminal.
    /// After a failure no other build begins; those that run go on to their end and are kept.
    ///
    /// # Errors
    /// The first [`shakedown_builder::BuildError`], in the order of the subjects.
    pub fn build(&self, subjects: &[ResolvedSubject], links: u32) -> Result<Vec<BuiltArtifact>> {
        let shown = Builds::new(subjects.len());
        Ok(at_once(AT_ONCE, subjects, |subject| {
            self.builder.build_linked(subject, links, &shown.begin())
        })?)
    }

    /// Builds the subjects like [`SubjectBuilder::build`], each whatever becomes of the others.
    pub fn build_each(
        &self,
        subjects: &[ResolvedSubject],
    ) -> Vec<Result<BuiltArtifact, BuildError>> {
        let shown = Builds::new(subjects.len());
        let each = |subject: &ResolvedSubject| {
            Ok::<_, Infallible>(self.builder.build(subject, &shown.begin()))
        };
        at_once(AT_ONCE, subjects, each).unwrap_or_else(|never| match never {})
    }

    /// Fetches what building and measuring these subjects needs, in any of the ways in which a run or a
    /// comparison builds them, so that it works without network. Compiles nothing.
    ///
    /// # Errors
    /// The first [`BuildError`], in the order of the subjects.
    pub fn fetch(&self, asked: &[Subject]) -> Result<()> {
        let progress = || Builds::uncounted().begin();
        let mut ways = vec![asked.to_vec(), self.comparable(asked)];
        ways.dedup();
        for subjects in &ways {
            let resolved = self.resolve(subjects)?;
            for subject in &resolved {
                self.builder.fetch(subject, &progress())?;
            }
            if let [base, head] = resolved.as_slice()
                && base.subject.stack == head.subject.stack
            {
                self.builder.fetch_pair(base, head, &progress())?;
            }
            for subject in resolved.into_iter().map(ResolvedSubject::in_tree) {
                // Where there is no such program, or its crates can't be had, the build says so.
                let _ = self.builder.fetch(&subject, &progress());
            }
        }
        Ok(())
    }

    /// Builds two subjects of one stack alike: with the same dependencies, toolchain and flags
    /// but for what the change itself changes.
    ///
    /// # Errors
    /// [`shakedown_builder::BuildError`].
    pub fn build_pair(
        &self,
        base: &ResolvedSubject,
        head: &ResolvedSubject,
        links: u32,
    ) -> Result<BuiltPair> {
        let progress = Builds::new(2).begin();
        let [of_base, of_head] =
            self.pair.each_ref().map(|own| own.as_ref().unwrap_or(&self.builder));
        let pair = of_base.build_pair_across(base, of_head, head, links, &progress);
        Ok(pair?)
    }

    /// Makes more links of what [`SubjectBuilder::build_pair`] built for one side, 0 for base or 1 for head.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn more_links(
        &self,
        side: usize,
        artifact: &Artifact,
        links: u32,
    ) -> Result<BuiltArtifact, BuildError> {
        let own = self.pair.get(side).and_then(Option::as_ref);
        own.unwrap_or(&self.builder).more_links(artifact, links)
    }

    /// The commits between `good` and the revision of `bad`.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn commits_between(&self, good: &str, bad: &Subject) -> Result<CommitRange> {
        let resolved = self.resolve(std::slice::from_ref(bad))?;
        let progress = SilentProgress;
        let range = resolved.first().map(|bad| self.builder.commits_between(bad, good, &progress));
        Ok(range.context("one subject is one subject")??)
    }

    /// The releases of a stack between two, both included.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn releases_between(&self, stack: &str, ends: [&Release; 2]) -> Result<Vec<Release>> {
        let found = self.builder.releases_between(&self.catalog, stack, ends);
        Ok(found.map_err(BuildError::from)?)
    }

    /// What was built for a subject of a record: from the cache, or built again by its name.
    ///
    /// # Errors
    /// [`shakedown_builder::BuildError`], or a build that gives another driver than the record's.
    pub fn rebuild(&self, entry: &SubjectEntry) -> Result<BuiltArtifact> {
        if let Some(built) = self.builder.cached(&entry.artifact.id) {
            return Ok(built);
        }
        let resolved = self.builder.resolve(&self.catalog, &entry.artifact.subject);
        let resolved = resolved.map_err(shakedown_builder::BuildError::from)?;
        let built = self.builder.build(&resolved, &Builds::new(1).begin())?;
        if built.artifact.links.first() != entry.artifact.links.first() {
            bail!(
                "{} was built again, and is another program than the one that was measured: measure \
                 again with `shakedown compare`",
                entry.name
            );
        }
        Ok(built)
    }

    /// Builds a meter that counting trials preload: the package in this folder of the driver crate. Cargo
    /// knows when it is fresh.
    ///
    /// # Errors
    /// When it does not build.
    pub fn preloaded_meter(&self, root: &ProjectRoot, folder: &str) -> Result<PathBuf> {
        let target = self.builder.cache().join(format!("{folder}-meter"));
        let output = self
            .builder
            .cargo()
            .args(["build", "--quiet", "--release", "--locked", "--manifest-path"])
            .arg(root.path().join(format!("bench/driver/{folder}/Cargo.toml")))
            .arg("--target-dir")
            .arg(&target)
            .output()
            .context("can't start cargo")?;
        if !output.status.success() {
            bail!(
                "the meter {folder} does not build:\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(target.join(format!("release/libshakedown_{folder}.so")))
    }
}
