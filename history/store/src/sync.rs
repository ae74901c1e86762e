//! The history on a git branch that several hosts push to.
//!
//! Run files have unique names and never change, and the manifest merges line by line. So the work of
//! several hosts always merges. If another host pushes in between, this pulls and pushes again.

use crate::{RunName, Store, StoreError, folder::lay_out, manifest, pack::read_pack};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
    time::Duration,
};

/// Number of attempts to push.
const TRIES: u32 = 8;
/// What goes to the branch.
const KEPT: [&str; 6] = ["runs", "manifest", "changes", "studies", ".gitattributes", ".gitignore"];

/// What a sync did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct SyncOutcome {
    /// Whether the pull changed the commit.
    pub pulled: bool,
    /// Whether something was pushed.
    pub pushed: bool,
    /// Rejected pushes before that.
    pub retries: u32,
}

/// Commits new files, pulls, merges and pushes. The first sync needs `remote`, because the history is
/// not yet a git work tree.
///
/// # Errors
/// If git fails, too many pushes are rejected, or files are missing that git knows. The local history
/// stays unchanged.
pub fn sync(store: &Store, remote: Option<&str>, branch: &str) -> Result<SyncOutcome, StoreError> {
    let sound = branch.chars().all(|c| c.is_ascii_alphanumeric() || "-_/.".contains(c));
    if branch.starts_with('-') || !sound || remote.is_some_and(|remote| remote.starts_with('-')) {
        return Err(StoreError::Question(format!("`{branch}` is no branch to sync with")));
    }
    let _lock = store.lock()?;
    let root = store.root();
    prepare(root, remote, branch)?;
    lay_out(root)?;
    refuse_losses(store)?;
    commit(root, "Add runs")?;
    let mut done = SyncOutcome::default();
    loop {
        done.pulled |= pull(root, branch)?;
        if !ahead(root, branch)? {
            return Ok(done);
        }
        match git(root, &["push", "--quiet", "origin", &format!("HEAD:refs/heads/{branch}")]) {
            Ok(_) => {
                done.pushed = true;
                return Ok(done);
            }
            Err(error) if done.retries + 1 >= TRIES || !lost_race(&error) => return Err(error),
            Err(_) => {
                done.retries += 1;
                // Hosts that lost the same race must not come back at the same moment.
                let spread = u64::from(std::process::id() % 97) * 5;
                std::thread::sleep(Duration::from_millis(u64::from(done.retries) * 50 + spread));
            }
        }
    }
}

fn lost_race(error: &StoreError) -> bool {
    let StoreError::Git { stderr, .. } = error else { return false };
    ["fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref", "rejected"]
        .iter()
        .any(|sign| stderr.contains(sign))
}

fn prepare(root: &Path, remote: Option<&str>, branch: &str) -> Result<(), StoreError> {
    if !root.join(".git").exists() {
        let Some(remote) = remote else {
            return Err(StoreError::Question(format!(
                "{} is no git work tree: name the repository with --remote",
                root.display()
            )));
        };
        git(root, &["init", "--quiet", "--initial-branch", branch])?;
        git(root, &["remote", "add", "origin", remote])?;
    } else if let Some(remote) = remote {
        git(root, &["remote", "set-url", "origin", remote])?;
    }
    Ok(())
}

/// Ensures that a loss is not pushed as a deletion: every run that git knows and the folder lacks must
/// be in a pack.
fn refuse_losses(store: &Store) -> Result<(), StoreError> {
    let root = store.root();
    let gone = git(root, &[&["ls-files", "-z", "--deleted", "--"], &KEPT[..]].concat())?;
    let mut lost: BTreeMap<String, String> = BTreeMap::new();
    let mut months = BTreeSet::new();
    for file in gone.split('\0').filter(|file| !file.is_empty()) {
        match file.strip_prefix("runs/").and_then(|below| below.rsplit_once('/')) {
            Some((month, _)) => months.insert(month.to_owned()),
            None => lost.insert(file.to_owned(), file.to_owned()).is_none(),
        };
    }
    for month in months {
        let mut here: BTreeSet<RunName> = store.loose_names(&month)?.into_iter().collect();
        for pack in store.packs(&month)? {
            here.extend(read_pack(&pack)?.into_keys());
        }
        let listed = manifest::read_month::<RunName>(root, &manifest::list_of(&month))?;
        let gone = listed.into_keys().filter(|name| !here.contains(name));
        lost.extend(gone.map(|name| (name.to_string(), format!("runs/{month}"))));
    }
    let Some((first, place)) = lost.iter().next() else { return Ok(()) };
    Err(StoreError::Question(format!(
        "{} of the history's files are gone from {}, {first} among them: nothing was committed. \
         Bring them back with `git checkout -- {place}` there, then call this again",
        lost.len(),
        root.display()
    )))
}

fn commit(root: &Path, message: &str) -> Result<(), StoreError> {
    let there: Vec<&str> = KEPT.into_iter().filter(|name| root.join(name).exists()).collect();
    git(root, &[&["add", "--all", "--"], &there[..]].concat())?;
    if git(root, &["diff", "--cached", "--quiet"]).is_err() {
        git(root, &["commit", "--quiet", "--message", message])?;
    }
    Ok(())
}

/// Fetches and merges. Returns whether that changed the history.
fn pull(root: &Path, branch: &str) -> Result<bool, StoreError> {
    let remote = format!("refs/remotes/origin/{branch}");
    let there = git(root, &["ls-remote", "--heads", "origin", &format!("refs/heads/{branch}")])?;
    if there.trim().is_empty() {
        return Ok(false);
    }
    git(root, &["fetch", "--quiet", "origin", &format!("+refs/heads/{branch}:{remote}")])?;
    let head = |root| git(root, &["rev-parse", "--verify", "--quiet", "HEAD"]).ok();
    let before = head(root);
    let merge = ["merge", "--quiet", "--no-edit", "--allow-unrelated-histories", &remote];
    if let Err(error) = git(root, &merge) {
        let both = git(root, &["diff", "--name-only", "--diff-filter=U"]).unwrap_or_default();
        // Left half merged, the next sync would commit the marks of the conflict.
        let _ = git(root, &["merge", "--abort"]);
        let both: Vec<&str> = both.lines().collect();
        if both.is_empty() {
            return Err(error);
        }
        return Err(StoreError::Question(format!(
            "the branch and this history changed the same files in two ways: {}. Nothing was \
             pulled or pushed; runs are never changed, so somebody edited these by hand. Settle it \
             with git in {}, then call this again",
            both.join(", "),
            root.display()
        )));
    }
    Ok(head(root) != before)
}

/// Whether there is something to push.
fn ahead(root: &Path, branch: &str) -> Result<bool, StoreError> {
    let remote = format!("refs/remotes/origin/{branch}");
    if git(root, &["rev-parse", "--verify", "--quiet", "HEAD"]).is_err() {
        return Ok(false);
    }
    if git(root, &["rev-parse", "--verify", "--quiet", &remote]).is_err() {
        return Ok(true);
    }
    Ok(git(root, &["rev-list", "--count", &format!("{remote}..HEAD")])?.trim() != "0")
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, StoreError> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["-c", "user.name=shakedown", "-c", "user.email=shakedown@localhost"])
        .args(["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", "-c", "gc.auto=0"])
        // Files are never renamed here, and what looks alike is not the same run.
        .args(["-c", "merge.renames=false", "-c", "merge.directoryRenames=false"])
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .output()
        .map_err(StoreError::io("run git in", root))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(StoreError::Git { command: arguments.join(" "), stderr })
}
