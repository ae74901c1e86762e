//! What a bisection of the nights around a confirmed change came to.

use super::{Cause, PlannedConfirmation, SuspectState, SuspectSummary};
use serde::{Deserialize, Serialize};
use shakedown_protocol::is_commit;
use std::collections::BTreeMap;

/// What a bisection came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BisectionResult {
    /// The commits that changed the number.
    pub commits: Vec<GuiltyCommit>,
    /// Why there is not one commit for each change, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<String>,
}

/// A commit that changed a number. Its author wrote its texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuiltyCommit {
    /// Full id.
    pub id: String,
    /// Name of its author.
    pub author: String,
    /// When it was written, in RFC 3339.
    pub authored: String,
    /// First line of its message.
    pub subject: String,
    /// What it changed, against its parent, in words.
    pub change: String,
    /// The functions in which that arises, with what arises in each.
    pub functions: Vec<String>,
    /// A command that measures both again.
    pub reproduce: String,
}

/// Chooses the confirmed changes to bisect tonight, one suspect of each cause: of a cause that was not
/// bisected yet, of code that git has and that differs. `hosts` has the host of each epoch, and each host has
/// time for `each` bisections. Counts are bisected rather than times, as they repeat.
pub fn bisections(
    causes: &[Cause],
    hosts: &BTreeMap<String, String>,
    each: usize,
) -> Vec<PlannedConfirmation> {
    let mut left: BTreeMap<&String, usize> = hosts.values().map(|host| (host, each)).collect();
    let mut tonight = Vec::new();
    for cause in causes.iter().filter(|cause| is_open(cause)) {
        let mut suspects: Vec<&SuspectSummary> = cause.suspects.iter().filter(confirmed).collect();
        suspects.sort_by_key(|one| !is_count(one));
        let mut possible = suspects.iter().filter_map(|one| Some((one, hosts.get(&one.epoch)?)));
        let free = possible.find(|(_, host)| left.get(host).is_some_and(|left| *left > 0));
        if let Some((one, host)) = free.filter(|_| tonight.len() < super::MATRIX) {
            *left.entry(host).or_default() -= 1;
            let (id, cause) = (one.id.clone(), cause.cause.clone());
            tonight.push(PlannedConfirmation { id, cause, host: host.clone() });
        }
    }
    tonight
}

fn is_open(cause: &Cause) -> bool {
    let ends = [&cause.last_good, &cause.first_bad];
    let known = cause.repository.is_some() && ends.iter().all(|end| is_commit(end));
    known && ends[0] != ends[1] && cause.bisection().is_none()
}

fn confirmed(one: &&SuspectSummary) -> bool {
    one.state == SuspectState::Confirmed
}

fn is_count(one: &SuspectSummary) -> bool {
    one.series.metric.parse().is_ok_and(shakedown_protocol::Metric::is_count)
}

impl Cause {
    /// What the newest bisection of the change came to.
    pub fn bisection(&self) -> Option<&BisectionResult> {
        let decisions = self.suspects.iter().flat_map(|one| &one.decisions);
        let found = decisions.filter_map(|one| Some((one.at_ms, one.bisection.as_ref()?)));
        found.max_by_key(|(at, _)| *at).map(|(_, result)| result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{DecisionSummary, cause::tests::known, causes};

    const GOOD: &str = "00ff0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7089";
    const BAD: &str = "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708";

    fn found(metric: &str, factor: f64, state: SuspectState) -> SuspectSummary {
        let scenario = "handshake-full/tls1.3/x";
        let mut one = known("rustls@git:HEAD", scenario, [GOOD, BAD], factor, state);
        one.suspect.series.metric = metric.to_owned();
        SuspectSummary::new(one, Some("https://forge.example/tls".to_owned()))
    }

    fn plan(all: &[SuspectSummary], each: usize) -> Vec<PlannedConfirmation> {
        let hosts = BTreeMap::from([("e".to_owned(), "bench-1".to_owned())]);
        bisections(&causes(all.to_vec()), &hosts, each)
    }

    #[test]
    fn a_confirmed_change_is_bisected_once_by_a_count_if_one_moved() {
        let mut all = vec![
            found("handshakes", 0.9, SuspectState::Confirmed),
            found("instructions", 0.95, SuspectState::Confirmed),
            found("allocations", 0.5, SuspectState::Suspect),
        ];
        let [one] = &plan(&all, 4)[..] else { panic!("{all:?}") };
        assert_eq!((&one.id, &*one.host), (&all[1].id, "bench-1"));
        assert!(plan(&all, 0).is_empty(), "the host has no time");
        all[0].decisions.push(DecisionSummary {
            state: SuspectState::Confirmed,
            at_ms: 7,
            evidence: "bisected".to_owned(),
            bisection: Some(BisectionResult { commits: Vec::new(), unfinished: None }),
        });
        assert!(plan(&all, 4).is_empty());
    }

    #[test]
    fn what_git_does_not_have_or_did_not_change_is_not_bisected() {
        let confirmed = || found("instructions", 0.9, SuspectState::Confirmed);
        let mut same = confirmed();
        same.first_bad.revision = GOOD.to_owned();
        let mut folder = confirmed();
        folder.repository = None;
        let mut release = confirmed();
        release.last_good.revision = "0.23.28".to_owned();
        let open = found("instructions", 0.9, SuspectState::Suspect);
        for one in [same, folder, release, open] {
            assert!(plan(std::slice::from_ref(&one), 4).is_empty(), "{one:?}");
        }
        assert_eq!(plan(&[confirmed()], 4).len(), 1);
    }
}
