//! How the commits between the nights of a confirmed change are searched.

use anyhow::{Context, Result, bail, ensure};
use shakedown_protocol::{Metric, Scenario, Side, Subject, SubjectVersion, is_commit};
use shakedown_report::word;
use shakedown_store::{Document, Store, change::SuspectSummary};

/// What `shakedown bisect` is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct BisectArguments {
    /// Stack and variants.
    pub subject: Subject,
    /// Repository of the revisions.
    pub repository: String,
    /// Revision of the last good night.
    pub good: String,
    /// Revision of the first bad one.
    pub bad: String,
    /// The scenario that changed.
    pub scenario: Scenario,
    /// The suite of that night.
    pub suite: String,
    /// The side, where it is one of both.
    pub side: Option<Side>,
    /// The metric, if it is a count. Where a time changed, the counts are looked at first.
    pub metric: Option<Metric>,
}

impl BisectArguments {
    /// Those for a suspect.
    ///
    /// # Errors
    /// If the code is not in git, is the same, or was measured in a way that `bisect` does not know.
    pub fn new(store: &Store, suspect: &SuspectSummary) -> Result<Self> {
        let repository = suspect.repository.clone().context("the code is not from git")?;
        let [good, bad] =
            [&suspect.last_good.revision, &suspect.first_bad.revision].map(Clone::clone);
        ensure!(is_commit(&good) && is_commit(&bad), "{good} and {bad} are no commits");
        ensure!(good != bad, "both nights measured commit {good}: the code did not change");
        let Document::Run(night) = store.document(&suspect.first_bad.run.parse()?)? else {
            bail!("run {} was imported from another tool", suspect.first_bad.run);
        };
        ensure!(!night.plan.in_tree(), "in-tree benchmarks can't be bisected");
        let own = night.subjects.iter().any(|entry| entry.artifact.own_driver.is_some());
        ensure!(!own, "what a driver in the tree measured can't be bisected");
        let series = &suspect.series;
        let variants: String = suspect.variants.iter().map(|one| format!("+{one}")).collect();
        let metric: Metric = series.metric.parse().context("the metric is not ours")?;
        let side: Side = series.side.parse().context("the side is not ours")?;
        Ok(Self {
            subject: format!("{}{variants}", suspect.stack).parse()?,
            repository,
            good,
            bad,
            scenario: series.scenario.parse()?,
            suite: night.plan.suite.clone(),
            side: (side != Side::Both).then_some(side),
            metric: metric.is_count().then_some(metric),
        })
    }

    /// As the command takes them.
    pub fn lines(&self) -> Vec<String> {
        let mut all = vec![self.subject.to_string()];
        let mut add = |name: &str, value: String| all.extend([name.to_owned(), value]);
        add("--good", self.good.clone());
        add("--bad", self.bad.clone());
        add("--repository", self.repository.clone());
        add("--scenario", self.scenario.to_string());
        add("--suite", self.suite.clone());
        self.side.iter().for_each(|side| add("--side", side.to_string()));
        self.metric.iter().for_each(|metric| add("--metric", metric.to_string()));
        all
    }

    /// The command that measures a commit against another one.
    pub fn reproduce(&self, base: &str, head: &str) -> String {
        let at = |revision: &str| {
            let url = Some(self.repository.clone());
            let version = SubjectVersion::Git { url, revision: revision.to_owned() };
            word(&Subject { version, ..self.subject.clone() }.to_string())
        };
        format!(
            "shakedown compare {} {} --suite {} --only {}",
            at(base),
            at(head),
            word(&self.suite),
            word(&self.scenario.to_string())
        )
    }
}
