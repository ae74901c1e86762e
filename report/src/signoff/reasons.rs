//! What a sign-off says.

use serde::Serialize;

/// What kind of reason it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockerKind {
    /// Something is worse than in the last release, and nobody accepted it.
    Regressed,
    /// The host was not fit.
    Host,
    /// The history has a change of this stack that nobody has looked at.
    Suspect,
    /// Something could not be decided, where the policy says that this fails.
    Inconclusive,
    /// Something is missing that the verdict must rest on.
    Evidence,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blocker {
    /// Of what kind.
    pub kind: BlockerKind,
    /// In words, with what to do about it.
    pub what: String,
}

/// What the history says of the candidate's stack.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StackHistory {
    /// Runs that were looked at.
    pub runs: usize,
    /// Changes for the worse that nobody has decided about.
    pub open: Vec<StackRegression>,
    /// Confirmed changes for the worse that have not come back and that nobody accepted.
    pub confirmed: Vec<StackRegression>,
    /// The candidate beside the newest nights of the same host.
    pub seen: Vec<NightComparison>,
}

/// One change, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StackRegression {
    /// Id of the suspect.
    pub id: String,
    /// What changed, by how much, between which revisions.
    pub what: String,
}

/// One number of the candidate beside that of the newest night.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NightComparison {
    /// Scenario id.
    pub scenario: String,
    /// Side.
    pub side: String,
    /// Metric.
    pub metric: String,
    /// Unit.
    pub unit: String,
    /// Subject of the history.
    pub subject: String,
    /// Its revision in that night.
    pub revision: String,
    /// Its median.
    pub night: f64,
    /// Median of the candidate.
    pub candidate: f64,
    /// How much better the candidate is, as a factor: above 1 is better, whatever the metric.
    pub factor: f64,
}
