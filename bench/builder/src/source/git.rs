//! A revision of a git repository.
//!
//! Uses the system's git with its credentials, proxies and mirrors. The cache has one bare repository
//! per URL, with the requested revisions only.

use super::keep;
use crate::{
    BuildError,
    call::{BuildLog, network_to_blame},
    digest,
    job::BuildJob,
};
use shakedown_protocol::SourceSeen;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Fetches the tree of `revision`: a commit, tag, branch, `HEAD`, or an expression over them.
pub(super) fn fetch(
    job: &BuildJob<'_>,
    url: &str,
    revision: &str,
) -> Result<(SourceSeen, PathBuf), BuildError> {
    if job.caller.find("git").is_none() {
        return Err(BuildError::Tools {
            subject: job.subject.to_string(),
            missing: vec!["git".to_owned()],
            install: "apt-get install git".to_owned(),
        });
    }
    let repository = GitRepository::open(job, url)?;
    let commit = repository.commit(revision)?;
    let (sha256, tree) = repository.tree(&commit)?;
    let seen = SourceSeen {
        kind: "git".to_owned(),
        origin: url.to_owned(),
        revision: Some(commit),
        sha256,
    };
    Ok((seen, tree))
}

/// Our copy of a repository.
pub(super) struct GitRepository<'a> {
    job: &'a BuildJob<'a>,
    url: &'a str,
    pub(super) folder: PathBuf,
    log: PathBuf,
    _lock: crate::lock::CacheLock,
}

/// A full commit id, SHA-1 or SHA-256.
fn full_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Our reference to the commit that a revision was when it was fetched.
fn noted(revision: &str) -> String {
    format!("refs/shakedown/{}", digest::CacheKey::new("revision").with("name", revision).id())
}

impl<'a> GitRepository<'a> {
    pub(super) fn open(job: &'a BuildJob<'a>, url: &'a str) -> Result<Self, BuildError> {
        let name = digest::CacheKey::new("git").with("url", url).id();
        let lock = job.lock("git", &name)?;
        let folder = job.cache.at("git", &name);
        let log = job.cache.at("logs", &format!("git-{name}.log"));
        let repository = Self { job, url, folder, log, _lock: lock };
        if !repository.folder.join("HEAD").is_file() {
            let aside = job.cache.aside(&repository.folder)?;
            let mut init = repository.git(None);
            init.args(["init", "--quiet", "--bare", "--template="]).arg(aside.path());
            repository
                .run(init)
                .map_err(|tail| repository.wrong("can't prepare a repository", &tail))?;
            aside.publish()?;
        }
        Ok(repository)
    }

    /// A call of git without prompts, and without hooks or settings of the repository.
    pub(super) fn git(&self, folder: Option<&Path>) -> Command {
        let mut command = self.job.caller.command("git");
        command.env("GIT_TERMINAL_PROMPT", "0").args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "protocol.ext.allow=never",
            "-c",
            "advice.detachedHead=false",
            "-c",
            "gc.auto=0",
        ]);
        if let Some(folder) = folder {
            command.arg("--git-dir").arg(folder);
        }
        command
    }

    /// Runs git. The error is the end of its output.
    fn run(&self, mut command: Command) -> Result<(), String> {
        let mut log = BuildLog::create(&self.log).map_err(|error| error.to_string())?;
        match log.run(&mut command, &mut |_| {}) {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(log.tail()),
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn wrong(&self, what: &str, tail: &str) -> BuildError {
        if network_to_blame(tail) && self.url.contains("://") && !self.url.starts_with("file:") {
            return BuildError::Network { what: self.url.to_owned(), tail: tail.to_owned() };
        }
        BuildError::Source { what: format!("{what}:\n{tail}"), log: Some(self.log.clone()) }
    }

    /// The full id of the current commit of `revision`; fetches the commit.
    pub(super) fn commit(&self, revision: &str) -> Result<String, BuildError> {
        let noted = noted(revision);
        if self.job.caller.is_offline() {
            let found = self.parse(&noted).or_else(|| self.parse(revision));
            return found.ok_or_else(|| self.unknown(revision));
        }
        let id = self.fetched(revision)?;
        // Without network, the revision is what it was when it was fetched.
        let mut command = self.git(Some(&self.folder));
        command.args(["update-ref", "--no-deref", &noted, &id]);
        self.run(command).map_err(|tail| self.wrong("can't note the commit", &tail))?;
        Ok(id)
    }

    fn fetched(&self, revision: &str) -> Result<String, BuildError> {
        if full_id(revision) {
            let id = revision.to_ascii_lowercase();
            if self.parse(&id).is_none() && self.fetch_refs(&["--depth=1"], &[&id]).is_err() {
                // Not every server serves arbitrary commits by id.
                self.fetch_all()?;
            }
            return self.parse(&id).ok_or_else(|| self.unknown(revision));
        }
        if let Some(id) = self.advertised(revision)? {
            if self.parse(&id).is_none() && self.fetch_refs(&["--depth=1"], &[&id]).is_err() {
                self.fetch_all()?;
            }
            return self.parse(&id).ok_or_else(|| self.unknown(revision));
        }
        // A short id, or an expression such as `main~3`.
        self.fetch_all()?;
        self.parse(revision).ok_or_else(|| self.unknown(revision))
    }

    fn unknown(&self, revision: &str) -> BuildError {
        let what = format!("{} has no commit, tag or branch `{revision}`", self.url);
        BuildError::Source { what, log: Some(self.log.clone()) }
    }

    /// The commit of a tag, branch or `HEAD` on the server. A tag precedes a branch of the same name;
    /// for an annotated tag, the tagged commit.
    fn advertised(&self, revision: &str) -> Result<Option<String>, BuildError> {
        let mut command = self.git(None);
        command.args(["ls-remote", "--end-of-options", self.url]);
        let output = command.output().map_err(BuildError::io("run git in", &self.folder))?;
        if !output.status.success() {
            let tail = String::from_utf8_lossy(&output.stderr);
            return Err(
                self.wrong(&format!("can't read the repository {}", self.url), tail.trim_end())
            );
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let names = [
            format!("refs/tags/{revision}^{{}}"),
            format!("refs/tags/{revision}"),
            format!("refs/heads/{revision}"),
            revision.to_owned(),
        ];
        let find = |name: &String| {
            let mut lines = text.lines().filter_map(|line| line.split_once('\t'));
            lines.find(|(_, found)| *found == name.as_str()).map(|(id, _)| id.to_owned())
        };
        Ok(names.iter().find_map(find))
    }

    fn fetch_refs(&self, options: &[&str], refs: &[&str]) -> Result<(), String> {
        let mut command = self.git(Some(&self.folder));
        command.args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--force"]);
        command.args(options).args(["--end-of-options", self.url]).args(refs);
        self.run(command)
    }

    /// Fetches every branch and tag with its history.
    pub(super) fn fetch_all(&self) -> Result<(), BuildError> {
        let shallow = self.folder.join("shallow").exists();
        let options: &[&str] = if shallow { &["--unshallow", "--prune"] } else { &["--prune"] };
        let refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        self.fetch_refs(options, &refs)
            .map_err(|tail| self.wrong(&format!("can't fetch from {}", self.url), &tail))?;
        if let Some(head) = self.advertised("HEAD")? {
            let mut command = self.git(Some(&self.folder));
            command.args(["update-ref", "--no-deref", "HEAD", &head]);
            self.run(command).map_err(|tail| self.wrong("can't note the HEAD", &tail))?;
        }
        Ok(())
    }

    /// The commit of an expression, if it is in the cache.
    fn parse(&self, revision: &str) -> Option<String> {
        let mut command = self.git(Some(&self.folder));
        command.args(["rev-parse", "--quiet", "--verify", "--end-of-options"]);
        let output = command.arg(format!("{revision}^{{commit}}")).output().ok()?;
        let id = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && full_id(&id)).then_some(id)
    }

    /// The tree of a commit in the cache, and its digest.
    fn tree(&self, commit: &str) -> Result<(String, PathBuf), BuildError> {
        let cache = self.job.cache;
        let known = cache.at("sources", &format!("commit-{commit}"));
        // Two repositories may have the same commit.
        let _lock = self.job.lock("checkout", commit)?;
        if let Ok(sha256) = std::fs::read_to_string(&known) {
            let tree = cache.at("sources", sha256.trim());
            if tree.is_dir() {
                return Ok((sha256.trim().to_owned(), tree));
            }
        }
        let aside = cache.aside(&cache.at("sources", &format!("checkout-{commit}")))?;
        let mut command = self.git(Some(&self.folder));
        // Filters and line endings of this machine's configuration would change the tree.
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_INDEX_FILE", aside.path().join(".git-index"))
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .args(["-c", "core.autocrlf=false", "--work-tree"])
            .arg(aside.path())
            .args(["checkout", "--quiet", "--force", commit, "--", "."]);
        self.run(command)
            .map_err(|tail| self.wrong(&format!("can't check out {commit}"), &tail))?;
        let _ = std::fs::remove_file(aside.path().join(".git-index"));
        let sha256 = digest::tree(aside.path()).map_err(BuildError::io("read", aside.path()))?;
        let tree = keep(self.job, &sha256, |place| {
            digest::mirror(aside.path(), place).map_err(BuildError::io("copy to", place))
        })?;
        cache.write(&known, sha256.as_bytes())?;
        Ok((sha256, tree))
    }
}
