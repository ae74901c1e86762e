//! Source in, artifact out.

use crate::{
    BuildError, Progress, Resolved, assemble,
    cache::Cache,
    call::Caller,
    job::Job,
    pair,
    plan::{Plan, Purpose},
    source,
    toolchain::{self, Rust},
};
use shakedown_protocol::Artifact;
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

/// Builds artifacts and keeps them.
#[derive(Debug, Clone)]
pub struct Workshop {
    repository: PathBuf,
    cache: Cache,
    caller: Caller,
}

/// An artifact on disk.
#[derive(Debug, Clone)]
pub struct Built {
    /// What it is and where it came from.
    pub artifact: Artifact,
    /// One binary a link, in the order of [`Artifact::links`]; the plain one first.
    pub binaries: Vec<PathBuf>,
    /// Whether it was there before, all of it.
    pub cached: bool,
}

/// A crate that is not the same in two artifacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its name.
    pub name: String,
    /// Its version, or source, in the base; `None` where the base does without it.
    pub base: Option<String>,
    /// The same in the head.
    pub head: Option<String>,
}

/// Two artifacts built like for like.
#[derive(Debug, Clone)]
pub struct Pair {
    /// What is compared against.
    pub base: Built,
    /// What is judged.
    pub head: Built,
    /// What is not the same in both besides the change itself: crates, compilers, flags.
    pub differences: Vec<Difference>,
}

impl Workshop {
    /// A workshop for the drivers of the checkout at `repository` that keeps everything
    /// under `cache`; see [`default_cache`](crate::default_cache). Writes nothing yet.
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

    /// The folder that everything is kept under.
    pub fn cache(&self) -> &Path {
        &self.cache.root
    }

    /// Builds a subject, or finds it in the cache.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build(&self, subject: &Resolved, progress: &dyn Progress) -> Result<Built, BuildError> {
        self.build_linked(subject, 1, progress)
    }

    /// Like [`Workshop::build`], with `links` binaries of the same objects, each with its
    /// sections in another order; the first is the plain one.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build_linked(
        &self,
        subject: &Resolved,
        links: u32,
        progress: &dyn Progress,
    ) -> Result<Built, BuildError> {
        let job = self.job(subject, progress);
        let plan = self.plan(&job, subject, Purpose::default())?;
        assemble::artifact(&job, subject, &plan, links)
    }

    /// Builds two subjects of one stack so that they share every dependency, toolchain and
    /// flag but what the change itself changes. A subject against itself gives two
    /// artifacts all the same, built and linked apart.
    ///
    /// # Errors
    /// See [`BuildError`]; the message names the subject.
    pub fn build_pair(
        &self,
        base: &Resolved,
        head: &Resolved,
        links: u32,
        progress: &dyn Progress,
    ) -> Result<Pair, BuildError> {
        self.build_pair_across(base, self, head, links, progress)
    }

    /// Like [`Workshop::build_pair`], with the head's driver taken from the checkout of
    /// `other`: with one subject twice, what differs is the harness.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build_pair_across(
        &self,
        base: &Resolved,
        other: &Self,
        head: &Resolved,
        links: u32,
        progress: &dyn Progress,
    ) -> Result<Pair, BuildError> {
        let (base_job, head_job) = (self.job(base, progress), other.job(head, progress));
        let base_plan = self.plan(&base_job, base, Purpose::default())?;
        let like = Some(&base_plan).filter(|_| base.stack.name == head.stack.name);
        let mut head_plan = self.plan(&head_job, head, Purpose { base: like, twin: false })?;
        if head_plan.id == base_plan.id {
            head_plan = self.plan(&head_job, head, Purpose { base: like, twin: true })?;
        }
        let build = |job: &Job<'_>, subject: &Resolved, plan: &Plan| {
            assemble::artifact(job, subject, plan, links)
        };
        let base = build(&base_job, base, &base_plan)?;
        // Its clock starts here, not when the base's did.
        let head = build(&Job { started: Instant::now(), ..head_job }, head, &head_plan)?;
        let differences =
            pair::differences((&base_plan, &base.artifact), (&head_plan, &head.artifact));
        Ok(Pair { base, head, differences })
    }

    /// A call of cargo, with the toolchain of the checkout and a clean environment.
    pub fn cargo(&self) -> Command {
        self.caller.command("cargo")
    }

    pub(crate) const fn caller(&self) -> &Caller {
        &self.caller
    }

    fn job<'a>(&'a self, subject: &'a Resolved, progress: &'a dyn Progress) -> Job<'a> {
        Job {
            repository: &self.repository,
            cache: &self.cache,
            caller: &self.caller,
            subject: &subject.subject,
            progress,
            started: Instant::now(),
        }
    }

    fn plan(
        &self,
        job: &Job<'_>,
        subject: &Resolved,
        purpose: Purpose<'_>,
    ) -> Result<Plan, BuildError> {
        // Before the source: it is the larger download.
        let rust = Rust::find(job.caller, job.repository, subject)?;
        let fetched = source::fetch(job, subject)?;
        Plan::new(job, subject, (fetched, rust), purpose)
    }
}
