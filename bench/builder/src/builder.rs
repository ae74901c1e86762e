//! Builds artifacts from sources.

use crate::{
    BuildError, BuiltArtifact, Progress, ResolvedSource, ResolvedSubject, SilentProgress, assemble,
    cache::Cache,
    call::Caller,
    in_tree_build,
    job::BuildJob,
    plan::{BuildPlan, Purpose},
    source::{self, CommitRange},
    spare_links,
    toolchain::{self, RustToolchain},
};
use shakedown_protocol::{Artifact, Subject};
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

/// Builds artifacts and keeps them.
#[derive(Debug, Clone)]
pub struct Builder {
    repository: PathBuf,
    cache: Cache,
    caller: Caller,
}

/// Two artifacts that differ only in their source.
#[derive(Debug, Clone)]
pub struct BuiltPair {
    /// The baseline.
    pub base: BuiltArtifact,
    /// The artifact under judgement.
    pub head: BuiltArtifact,
}

impl Builder {
    /// A builder for the drivers of the checkout at `repository`, with its cache
    /// in `cache`; see [`default_cache`](crate::default_cache). Writes nothing yet.
    pub fn new(repository: impl Into<PathBuf>, cache: impl Into<PathBuf>) -> Self {
        let (repository, cache) = (repository.into(), Cache { root: cache.into() });
        let mut caller = Caller::default();
        // Builds run in folders of the cache, which the checkout's rust-toolchain.toml does not
        // reach. Where it names no release, planning says so.
        let toolchain = toolchain::asked(&repository).unwrap_or_default();
        caller.environment.insert(toolchain::VARIABLE.to_owned(), toolchain);
        Self { repository, cache, caller }
    }

    /// Sets a variable in the environment of every program that is called (`CARGO_HOME`,
    /// `PATH`, proxies).
    #[must_use]
    pub fn with_environment(mut self, name: &str, value: &str) -> Self {
        self.caller.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The folder of the cache.
    pub fn cache(&self) -> &Path {
        &self.cache.root
    }

    /// Builds a subject, or finds it in the cache.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build(
        &self,
        subject: &ResolvedSubject,
        progress: &dyn Progress,
    ) -> Result<BuiltArtifact, BuildError> {
        self.build_linked(subject, 1, progress)
    }

    /// Like [`Builder::build`], with `links` binaries of the same objects, each with its
    /// sections in another order; the first is the plain one.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build_linked(
        &self,
        subject: &ResolvedSubject,
        links: u32,
        progress: &dyn Progress,
    ) -> Result<BuiltArtifact, BuildError> {
        let job = self.job(subject, progress);
        let plan = self.plan(&job, subject, Purpose::default())?;
        let built = assemble::artifact(&job, subject, &plan, links)?;
        spare_links::remove_unused(&self.cache);
        Ok(built)
    }

    /// The same artifact with so many links, of which the first are the ones that it has. Needs the linker only,
    /// and says nothing of its progress.
    ///
    /// # Errors
    /// See [`BuildError`]; also if another linker answers than that of the build.
    pub fn more_links(&self, artifact: &Artifact, links: u32) -> Result<BuiltArtifact, BuildError> {
        let job = self.job_of(&artifact.subject, &SilentProgress);
        let rust = RustToolchain::answering(&self.caller).ok_or_else(|| BuildError::Tools {
            subject: artifact.subject.to_string(),
            missing: vec!["Rust".to_owned()],
            install: "rustup toolchain install, in the checkout".to_owned(),
        })?;
        assemble::more_links(&job, &rust, &artifact.id, links)
    }

    /// Fetches sources and crates of a subject, so that it can be built without network, and compiles
    /// nothing.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn fetch(
        &self,
        subject: &ResolvedSubject,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let job = self.job(subject, progress);
        let plan = self.plan(&job, subject, Purpose::default())?;
        if plan.in_tree.is_some() { in_tree_build::fetch(&job, &plan).map(drop) } else { Ok(()) }
    }

    /// Like [`Builder::fetch`], for [`Builder::build_pair`].
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn fetch_pair(
        &self,
        base: &ResolvedSubject,
        head: &ResolvedSubject,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let base_plan = self.plan(&self.job(base, progress), base, Purpose::default())?;
        let like = Purpose { base: Some(&base_plan), twin: false };
        self.plan(&self.job(head, progress), head, like).map(drop)
    }

    /// Builds two subjects of one stack with the same dependencies, toolchain and flags, except for
    /// what the change itself affects. For a subject against itself it still makes two artifacts,
    /// built and linked separately.
    ///
    /// # Errors
    /// See [`BuildError`]; the message names the subject.
    pub fn build_pair(
        &self,
        base: &ResolvedSubject,
        head: &ResolvedSubject,
        links: u32,
        progress: &dyn Progress,
    ) -> Result<BuiltPair, BuildError> {
        self.build_pair_across(base, self, head, links, progress)
    }

    /// Like [`Builder::build_pair`], with the head's driver taken from the checkout of
    /// `other`: with the same subject twice, only the harness differs.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build_pair_across(
        &self,
        base: &ResolvedSubject,
        other: &Self,
        head: &ResolvedSubject,
        links: u32,
        progress: &dyn Progress,
    ) -> Result<BuiltPair, BuildError> {
        let (base_job, head_job) = (self.job(base, progress), other.job(head, progress));
        let base_plan = self.plan(&base_job, base, Purpose::default())?;
        let like = Some(&base_plan).filter(|_| base.stack.name == head.stack.name);
        let mut head_plan = self.plan(&head_job, head, Purpose { base: like, twin: false })?;
        if head_plan.id == base_plan.id {
            head_plan = self.plan(&head_job, head, Purpose { base: like, twin: true })?;
        }
        let build = |job: &BuildJob<'_>, subject: &ResolvedSubject, plan: &BuildPlan| {
            assemble::artifact(job, subject, plan, links)
        };
        let base = build(&base_job, base, &base_plan)?;
        // Its clock starts here, not when the base's did.
        let head = build(&BuildJob { started: Instant::now(), ..head_job }, head, &head_plan)?;
        spare_links::remove_unused(&self.cache);
        Ok(BuiltPair { base, head })
    }

    /// The commits between `good` and the subject, which is a revision of a git repository.
    ///
    /// # Errors
    /// If it is not, or the repository can't be read.
    pub fn commits_between(
        &self,
        subject: &ResolvedSubject,
        good: &str,
        progress: &dyn Progress,
    ) -> Result<CommitRange, BuildError> {
        let ResolvedSource::Git { url, revision } = &subject.source else {
            let what = format!("{} is not of a git repository", subject.subject);
            return Err(BuildError::Source { what, log: None });
        };
        source::between(&self.job(subject, progress), url, [good, revision])
    }

    /// The artifact with this id, where the cache has it.
    pub fn cached(&self, id: &str) -> Option<BuiltArtifact> {
        // Ids come from records too, which anybody may have written.
        let plain = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then(|| assemble::look_up(&self.cache.at("artifacts", id), 1)).flatten()
    }

    /// A call of cargo, with the toolchain of the checkout and a clean environment.
    pub fn cargo(&self) -> Command {
        self.caller.command("cargo")
    }

    pub(crate) const fn caller(&self) -> &Caller {
        &self.caller
    }

    fn job<'a>(&'a self, subject: &'a ResolvedSubject, progress: &'a dyn Progress) -> BuildJob<'a> {
        self.job_of(&subject.subject, progress)
    }

    fn job_of<'a>(&'a self, subject: &'a Subject, progress: &'a dyn Progress) -> BuildJob<'a> {
        BuildJob {
            repository: &self.repository,
            cache: &self.cache,
            caller: &self.caller,
            subject,
            progress,
            started: Instant::now(),
        }
    }

    fn plan(
        &self,
        job: &BuildJob<'_>,
        subject: &ResolvedSubject,
        purpose: Purpose<'_>,
    ) -> Result<BuildPlan, BuildError> {
        // Before the source: it is the larger download.
        let rust = RustToolchain::find(job.caller, job.repository, subject)?;
        let fetched = source::fetch(job, subject)?;
        BuildPlan::new(job, subject, (fetched, rust), purpose)
    }
}
