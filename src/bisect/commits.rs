//! The revisions between the ends.

use super::record::BisectRequest;
use crate::{
    output::{causes, say},
    session::SubjectBuilder,
};
use anyhow::{Result, ensure};
use shakedown_builder::{CommitRange, DescribedCommit, Release};
use shakedown_protocol::{Subject, SubjectVersion};

impl BisectRequest {
    /// The subject of a revision.
    pub fn at(&self, revision: &str) -> Subject {
        let version = if self.releases {
            SubjectVersion::Release(revision.to_owned())
        } else {
            SubjectVersion::Git { url: self.repository.clone(), revision: revision.to_owned() }
        };
        Subject { version, ..self.subject.clone() }
    }

    /// Finds the revisions between the ends.
    ///
    /// # Errors
    /// If the repository can't be read, a revision is unknown, or there is nothing in between.
    pub(super) fn range(&self, builder: &SubjectBuilder) -> Result<CommitRange> {
        let range = if self.releases {
            self.between_releases(builder)?
        } else {
            builder.commits_between(&self.good, &self.at(&self.bad))?
        };
        ensure!(
            !range.commits.is_empty(),
            "there is nothing between {} and {}",
            self.good,
            self.bad
        );
        Ok(range)
    }

    /// Fetches what building any revision of the range needs. Compiles nothing; what can't be fetched is told,
    /// and lacks when it is built.
    ///
    /// # Errors
    /// Those of finding the range.
    pub fn fetch(&self, builder: &SubjectBuilder) -> Result<()> {
        let range = self.range(builder)?;
        let good = self.at(&range.good.id);
        for commit in &range.commits {
            let head = self.at(&commit.id);
            // It is built like the good one, and in the end like its parent.
            let parent = commit.parents.first().map(|parent| self.at(parent));
            for base in [Some(good.clone()), parent].into_iter().flatten() {
                if let Err(error) = builder.fetch(&[base, head.clone()]) {
                    say(format_args!("{}: {}", commit.id, causes(&error)));
                }
            }
        }
        Ok(())
    }

    /// Releases are a line: each one's parent is the one before.
    fn between_releases(&self, builder: &SubjectBuilder) -> Result<CommitRange> {
        let [good, bad]: [Release; 2] = [release(&self.good)?, release(&self.bad)?];
        ensure!(good < bad, "release {good} is not older than {bad}");
        let found = builder.releases_between(&self.subject.stack, [&good, &bad])?;
        let names: Vec<String> = found.iter().map(ToString::to_string).collect();
        let described = |(at, name): (usize, &String)| DescribedCommit {
            id: name.clone(),
            parents: at.checked_sub(1).map(|before| names[before].clone()).into_iter().collect(),
            tree: String::new(),
            author: String::new(),
            authored: String::new(),
            subject: format!("release {name}"),
        };
        let mut commits: Vec<DescribedCommit> = names.iter().enumerate().map(described).collect();
        let good = commits.remove(0);
        commits.reverse();
        Ok(CommitRange { good, is_ancestor: true, commits })
    }
}

fn release(text: &str) -> Result<Release> {
    text.parse().map_err(|_| anyhow::anyhow!("`{text}` is no release: write its full number"))
}
