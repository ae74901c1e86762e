//! What a bisection knows, in the file that it is resumed from.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use shakedown_bisect::{BisectFindings, CommitNode, Observations, RevisionObservation};
use shakedown_builder::DescribedCommit;
use shakedown_protocol::{Metric, Scenario, Side, Subject, Unit};
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

const NAME: &str = "bisect.json";
/// Version of the layout.
const SCHEMA: u32 = 1;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BisectRequest {
    /// Stack and variants.
    pub subject: Subject,
    /// The good revision, as it was named.
    pub good: String,
    /// The bad one.
    pub bad: String,
    /// Repository, where it is not the catalog's.
    pub repository: Option<String>,
    /// Whether releases are searched instead of commits.
    pub releases: bool,
    /// What is measured.
    pub scenario: Scenario,
    /// Suite that says how long.
    pub suite: String,
    /// The side, if one was named.
    pub side: Option<Side>,
    /// The metric, if one was named.
    pub metric: Option<Metric>,
    /// The smallest change to look for, as a share of the good number.
    pub least: Option<f64>,
    /// See [`shakedown_bisect::SearchRule::stretch`].
    pub stretch: Option<usize>,
}

/// The number that is followed, and what counts as a change of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BisectQuestion {
    /// Side.
    pub side: Side,
    /// Metric.
    pub metric: Metric,
    /// Unit of the levels: that of a count; of a time the ratio to the good revision is followed.
    pub unit: Option<Unit>,
    /// The smallest change that counts, in that unit.
    pub least: f64,
}

/// What came of one revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RevisionResult {
    /// It has a number.
    Measured {
        /// The number.
        value: f64,
        /// The lowest that it may be.
        low: f64,
        /// The highest that it may be.
        high: f64,
        /// Trials behind it.
        trials: usize,
    },
    /// It has none.
    Skipped {
        /// Why, in a line.
        why: String,
    },
    /// Its tree is that of another revision, which has the number.
    SameTree {
        /// That revision.
        like: String,
    },
}

/// A revision that was looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BisectedRevision {
    /// Id of the commit, or the release.
    pub id: String,
    /// What came of it.
    pub result: RevisionResult,
    /// Folder with the comparison of the good revision with this one, below that of the bisection.
    pub folder: Option<String>,
    /// What differs between both builds besides the revision, in words.
    pub differences: Vec<String>,
}

/// A commit that changed the number, with the comparison of its parent with itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocatedCommit {
    /// The commit.
    pub commit: DescribedCommit,
    /// What its parent was built from; the good revision where it has none of its own.
    pub parent: String,
    /// The verdict of the gate on the commit, its parent being the base.
    pub verdict: String,
    /// Its number over that of its parent, minus 1.
    pub change: Option<f64>,
    /// Folder with the comparison.
    pub folder: String,
    /// A command that measures both again.
    pub reproduce: String,
}

/// Everything that a bisection knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BisectRecord {
    /// Version of the layout.
    pub schema: u32,
    /// What was asked for.
    pub request: BisectRequest,
    /// The good revision: the one that was asked for, or where the bad one's past left that.
    pub good: DescribedCommit,
    /// The bad revision's id.
    pub bad: String,
    /// The revisions in between, the newest first, the bad one included.
    pub commits: Vec<DescribedCommit>,
    /// The number that is followed, once the ends were compared.
    pub question: Option<BisectQuestion>,
    /// The revisions that were looked at, in order.
    pub looked_at: Vec<BisectedRevision>,
    /// What was found, at the end.
    pub findings: Option<BisectFindings>,
    /// The commits that were found, each measured against its parent.
    pub located: Vec<LocatedCommit>,
}

impl BisectRecord {
    /// Before anything was measured.
    pub fn new(
        request: BisectRequest,
        good: DescribedCommit,
        commits: Vec<DescribedCommit>,
    ) -> Self {
        let bad = commits.first().map(|bad| bad.id.clone()).unwrap_or_default();
        Self {
            schema: SCHEMA,
            request,
            good,
            bad,
            commits,
            question: None,
            looked_at: Vec::new(),
            findings: None,
            located: Vec::new(),
        }
    }

    /// Where it is, in the folder of a bisection.
    pub fn path(out: &Path) -> PathBuf {
        out.join(NAME)
    }

    /// Reads it.
    ///
    /// # Errors
    /// If it is missing or of another version.
    pub fn load(out: &Path) -> Result<Self> {
        let path = Self::path(out);
        let text = fs::read_to_string(&path)
            .with_context(|| format!("can't read {}: is this a bisection?", path.display()))?;
        let record: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a bisection of this version", path.display()))?;
        anyhow::ensure!(record.schema == SCHEMA, "{} is of another version", path.display());
        Ok(record)
    }

    /// Writes it aside and moves it into its place, so that there is always a whole one.
    ///
    /// # Errors
    /// If the folder can't be written to.
    pub fn save(&self, out: &Path) -> Result<()> {
        let path = Self::path(out);
        let aside = path.with_extension("json.new");
        let write = || -> Result<()> {
            fs::create_dir_all(out)?;
            let mut file = File::create(&aside)?;
            file.write_all((serde_json::to_string_pretty(self)? + "\n").as_bytes())?;
            file.sync_all()?;
            fs::rename(&aside, &path)?;
            File::open(out)?.sync_all()?;
            Ok(())
        };
        write().with_context(|| format!("can't write {}", path.display()))
    }

    /// The numbers, for the search.
    pub fn observations(&self) -> Observations {
        let level = |one: &BisectedRevision| match &one.result {
            RevisionResult::Measured { value, low, high, .. } => {
                Some(RevisionObservation::Level { value: *value, low: *low, high: *high })
            }
            RevisionResult::Skipped { .. } => Some(RevisionObservation::Skipped),
            RevisionResult::SameTree { .. } => None,
        };
        let mut found: Observations =
            self.looked_at.iter().filter_map(|one| Some((one.id.clone(), level(one)?))).collect();
        for one in &self.looked_at {
            if let RevisionResult::SameTree { like } = &one.result
                && let Some(level) = found.get(like).copied()
            {
                found.insert(one.id.clone(), level);
            }
        }
        found
    }

    /// The revisions in between, for the search.
    pub fn nodes(&self) -> Vec<CommitNode> {
        let node = |commit: &DescribedCommit| CommitNode {
            id: commit.id.clone(),
            parents: commit.parents.clone(),
        };
        self.commits.iter().map(node).collect()
    }

    /// What is known of a commit.
    pub fn commit(&self, id: &str) -> Option<&DescribedCommit> {
        self.commits.iter().chain([&self.good]).find(|commit| commit.id == id)
    }

    /// A measured revision with the same tree, which therefore has the same number.
    pub fn same_tree(&self, id: &str) -> Option<String> {
        let tree = &self.commit(id).filter(|commit| !commit.tree.is_empty())?.tree;
        let seen = self.observations();
        let like =
            self.commits.iter().chain([&self.good]).find(|other| {
                other.id != id && other.tree == *tree && seen.contains_key(&other.id)
            });
        like.map(|like| like.id.clone())
    }

    /// Revisions that were built or whose build was tried.
    pub fn builds(&self) -> usize {
        let built =
            |one: &&BisectedRevision| !matches!(one.result, RevisionResult::SameTree { .. });
        self.looked_at.iter().filter(built).count()
    }
}
