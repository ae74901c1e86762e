//! The commits between two revisions of a git repository.

use super::git::GitRepository;
use crate::{BuildError, job::BuildJob};
use std::process::Command;

/// What a commit says of itself. Its author wrote every text of it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DescribedCommit {
    /// Full id.
    pub id: String,
    /// Full ids of its parents.
    pub parents: Vec<String>,
    /// Id of its tree. Commits with the same tree build the same.
    pub tree: String,
    /// Name of its author.
    pub author: String,
    /// When it was written, in RFC 3339.
    pub authored: String,
    /// First line of its message.
    pub subject: String,
}

/// The commits between a good and a bad one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRange {
    /// The good commit: the one that was asked for, or where the bad one's past left that.
    pub good: DescribedCommit,
    /// Whether it is the one that was asked for.
    pub is_ancestor: bool,
    /// The ancestors of the bad commit that are not ancestors of the good one, the bad one first.
    pub commits: Vec<DescribedCommit>,
}

/// Fields of a commit, each in a line of its own, as no author can put a line break into one.
const FORMAT: &str = "--format=%H%n%P%n%T%n%an%n%aI%n%s";
const FIELDS: usize = 6;

/// The commits between two revisions of the repository at `url`.
pub(crate) fn between(
    job: &BuildJob<'_>,
    url: &str,
    [good, bad]: [&str; 2],
) -> Result<CommitRange, BuildError> {
    let repository = GitRepository::open(job, url)?;
    let asked = repository.commit(good)?;
    let bad = repository.commit(bad)?;
    // A commit that was fetched on its own has no past.
    if !job.caller.is_offline() {
        repository.fetch_all()?;
    }
    let base = read(&repository, &["merge-base", &asked, &bad])
        .map_err(|_| no_past(url, &asked, &bad))?
        .trim()
        .to_owned();
    let one = log(&repository, &["--no-walk", &base])?;
    let good = one.into_iter().next().ok_or_else(|| no_past(url, &asked, &bad))?;
    let commits = log(&repository, &["--topo-order", &bad, &format!("^{base}")])?;
    Ok(CommitRange { is_ancestor: good.id == asked, good, commits })
}

fn no_past(url: &str, good: &str, bad: &str) -> BuildError {
    let what = format!("{good} and {bad} of {url} have no commit in common");
    BuildError::Source { what, log: None }
}

fn log(
    repository: &GitRepository<'_>,
    arguments: &[&str],
) -> Result<Vec<DescribedCommit>, BuildError> {
    let some = ["log", "-z", "--no-color", "--no-show-signature", "--no-mailmap", FORMAT];
    let text = read(repository, &[&some[..], arguments].concat())?;
    Ok(text.split('\0').filter_map(commit).collect())
}

fn read(repository: &GitRepository<'_>, arguments: &[&str]) -> Result<String, BuildError> {
    let mut command: Command = repository.git(Some(&repository.folder));
    command.args(["--no-replace-objects", "-c", "i18n.logOutputEncoding=UTF-8"]).args(arguments);
    let output = command.output().map_err(BuildError::io("run git in", &repository.folder))?;
    if !output.status.success() {
        let tail = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        return Err(repository.wrong("can't read the history", &tail));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn commit(text: &str) -> Option<DescribedCommit> {
    let mut fields = text.splitn(FIELDS, '\n').map(str::to_owned);
    let mut next = || fields.next();
    let (id, parents, tree) = (next()?, next()?, next()?);
    let parents = parents.split_whitespace().map(str::to_owned).collect();
    let (author, authored) = (next()?, next()?);
    let subject = next()?.trim_end_matches('\n').to_owned();
    Some(DescribedCommit { id, parents, tree, author, authored, subject })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_read_whatever_its_author_wrote() {
        let found = commit("aa\nbb cc\ndd\nE \u{1b}[2J\n2026-10-01T00:00:00Z\n<b> %H\n").unwrap();
        assert_eq!(found.parents, ["bb", "cc"]);
        assert_eq!((&*found.author, &*found.subject), ("E \u{1b}[2J", "<b> %H"));
        assert!(commit("aa\n\ndd\n\n2026-10-01T00:00:00Z\n").unwrap().parents.is_empty());
        assert_eq!(commit(""), None);
        assert_eq!(commit("aa\nbb"), None);
    }
}
