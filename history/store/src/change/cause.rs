//! Suspects for output, grouped by cause: one change of the code affects many series.

use super::{BisectionResult, SuspectDecision, SuspectState, TrackedSuspect};
use crate::{SeriesInfo, canonical};
use serde::Serialize;
use shakedown_protocol::Subject;
use std::collections::BTreeMap;

/// A suspect with all details for lists.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuspectSummary {
    /// Id of the suspect.
    pub id: String,
    /// Id of its cause; see [`Cause`].
    pub cause: String,
    /// Its state.
    pub state: SuspectState,
    /// Whether the change is a regression.
    pub worse: bool,
    /// The series that changed.
    pub series: SeriesInfo,
    /// Stack of the series' subject; for an imported subject its whole name.
    pub stack: String,
    /// Build variants of the series' subject.
    pub variants: Vec<String>,
    /// Host epoch in which it changed.
    pub epoch: String,
    /// How much it changed.
    pub change: EffectSize,
    /// The last night before the change.
    pub last_good: MeasuredRevision,
    /// The first night after it.
    pub first_bad: MeasuredRevision,
    /// Repository of both revisions; `None` if the source is not git.
    pub repository: Option<String>,
    /// Every decision, oldest first.
    pub decisions: Vec<DecisionSummary>,
}

/// How much a series changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EffectSize {
    /// Value after over value before.
    pub factor: f64,
    /// Lower end of the factor's 95 % interval.
    pub low: f64,
    /// Upper end of the factor's 95 % interval.
    pub high: f64,
    /// p-value, corrected for the choice of the place.
    pub p: f64,
}

/// One night of a series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MeasuredRevision {
    /// Revision of the subject, or its resolved name.
    pub revision: String,
    /// Name of the run.
    pub run: String,
    /// Start of the run, in milliseconds since 1970 UTC, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<i64>,
}

/// One decision about a suspect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionSummary {
    /// The decision.
    pub state: SuspectState,
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: u64,
    /// Its evidence.
    pub evidence: String,
    /// What the search for the commit came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bisection: Option<BisectionResult>,
}

/// Suspects of one family of scenarios that changed between the same two revisions, in any variant,
/// host and metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// Id, the same on every host.
    pub cause: String,
    /// Stack of the revisions.
    pub stack: String,
    /// First part of the scenarios' ids.
    pub family: String,
    /// Revision of the last night before.
    pub last_good: String,
    /// Revision of the first night after.
    pub first_bad: String,
    /// Start of the earliest such night, in milliseconds since 1970 UTC.
    pub first_bad_ms: i64,
    /// Repository of both revisions; `None` if the source is not git.
    pub repository: Option<String>,
    /// `confirmed` if any suspect is confirmed, else `suspect` if any is open, else `dismissed`.
    pub state: SuspectState,
    /// Whether any suspect is a regression and not dismissed.
    pub worse: bool,
    /// The suspects: regressions first, then by size.
    pub suspects: Vec<SuspectSummary>,
}

impl SuspectSummary {
    /// Collects the details of a suspect. `repository`: that of its revisions.
    pub fn new(known: TrackedSuspect, repository: Option<String>) -> Self {
        let TrackedSuspect { suspect, state, decisions } = known;
        let subject = suspect.series.subject.split('#').next().unwrap_or_default();
        let subject = suspect.series.subject.parse().or_else(|_| subject.parse::<Subject>());
        let (stack, variants) = match subject {
            Ok(subject) => (subject.stack, subject.variants),
            Err(_) => (suspect.series.subject.clone(), Vec::new()),
        };
        let family = family(&suspect.series.scenario);
        let cause = cause_id(&[&stack, family, &suspect.last_good, &suspect.first_bad]);
        let found = suspect.found;
        let decision = |event: SuspectDecision| DecisionSummary {
            state: event.state,
            at_ms: event.at_ms,
            evidence: event.evidence,
            bisection: event.bisection,
        };
        Self {
            id: suspect.id,
            cause,
            state,
            worse: suspect.worse,
            stack,
            variants,
            series: suspect.series,
            epoch: suspect.epoch,
            change: EffectSize {
                factor: found.factor,
                low: found.low,
                high: found.high,
                p: found.p,
            },
            last_good: MeasuredRevision {
                revision: suspect.last_good,
                run: suspect.last_good_run,
                started_ms: None,
            },
            first_bad: MeasuredRevision {
                revision: suspect.first_bad,
                run: suspect.first_bad_run,
                started_ms: Some(suspect.first_bad_ms),
            },
            repository,
            decisions: decisions.into_iter().map(decision).collect(),
        }
    }

    /// How large the change is, whatever its direction.
    pub(super) fn size(&self) -> f64 {
        self.change.factor.ln().abs()
    }
}

/// The family that a scenario belongs to: the first part of its id.
fn family(scenario: &str) -> &str {
    scenario.split('/').next().unwrap_or(scenario)
}

fn cause_id(parts: &[&str]) -> String {
    let key: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    canonical::sha256(key.as_bytes())[..12].to_owned()
}

/// Groups suspects by cause: causes with regressions first, then the newest.
pub fn causes(listed: Vec<SuspectSummary>) -> Vec<Cause> {
    let mut groups: BTreeMap<String, Vec<SuspectSummary>> = BTreeMap::new();
    for one in listed {
        groups.entry(one.cause.clone()).or_default().push(one);
    }
    let mut causes: Vec<Cause> = groups.into_values().filter_map(together).collect();
    causes.sort_by_key(|cause| (!cause.worse, std::cmp::Reverse(cause.first_bad_ms)));
    causes
}

fn together(mut suspects: Vec<SuspectSummary>) -> Option<Cause> {
    suspects.sort_by(|a, b| b.worse.cmp(&a.worse).then(b.size().total_cmp(&a.size())));
    let any = |state| suspects.iter().any(|one| one.state == state);
    let order = [SuspectState::Confirmed, SuspectState::Suspect];
    let first = suspects.first()?;
    Some(Cause {
        cause: first.cause.clone(),
        stack: first.stack.clone(),
        family: family(&first.series.scenario).to_owned(),
        last_good: first.last_good.revision.clone(),
        first_bad: first.first_bad.revision.clone(),
        first_bad_ms: suspects.iter().filter_map(|one| one.first_bad.started_ms).min()?,
        repository: suspects.iter().find_map(|one| one.repository.clone()),
        state: order.into_iter().find(|&state| any(state)).unwrap_or(SuspectState::Dismissed),
        worse: suspects.iter().any(|one| one.worse && one.state != SuspectState::Dismissed),
        suspects,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::change::{Detection, Suspect};

    pub fn known(
        subject: &str,
        scenario: &str,
        revisions: [&str; 2],
        factor: f64,
        state: SuspectState,
    ) -> TrackedSuspect {
        let series = SeriesInfo {
            subject: subject.to_owned(),
            scenario: scenario.to_owned(),
            side: "client".to_owned(),
            metric: "handshakes".to_owned(),
            unit: "handshakes/s".to_owned(),
            better: shakedown_protocol::Better::Higher,
        };
        let suspect = Suspect {
            id: format!("{subject}{scenario}{factor}{}", revisions[1]),
            series,
            epoch: "e".to_owned(),
            worse: factor < 1.0,
            found: Detection { index: 9, factor, low: factor - 0.01, high: factor + 0.01, p: 1e-9 },
            last_good_run: "a".to_owned(),
            last_good: revisions[0].to_owned(),
            first_bad_run: "b".to_owned(),
            first_bad: revisions[1].to_owned(),
            first_bad_ms: 7,
        };
        TrackedSuspect { suspect, state, decisions: Vec::new() }
    }

    #[test]
    fn one_change_is_one_cause_whatever_the_variant_or_the_size() {
        let (full, bulk) = ("handshake-full/tls1.3/x", "bulk/tls1.3/x");
        let range = ["good", "bad"];
        let listed = [
            known("rustls@git:HEAD+ring", full, range, 0.97, SuspectState::Suspect),
            known("rustls@git:HEAD", full, range, 0.90, SuspectState::Dismissed),
            known(
                "rustls@git:HEAD",
                "handshake-full/tls1.2/x",
                range,
                1.05,
                SuspectState::Confirmed,
            ),
            known("rustls@git:HEAD", bulk, range, 0.95, SuspectState::Dismissed),
            known("rustls@git:HEAD", full, ["bad", "later"], 1.02, SuspectState::Suspect),
            known("openssl@git:HEAD", full, range, 0.99, SuspectState::Suspect),
            known("hand <made>", full, range, 0.99, SuspectState::Suspect),
        ];
        let listed = listed.map(|known| SuspectSummary::new(known, None));
        assert_eq!(
            (listed[0].stack.as_str(), &listed[0].variants[..]),
            ("rustls", &["ring".to_owned()][..])
        );
        assert_eq!(listed[6].stack, "hand <made>");
        let found = causes(listed.to_vec());
        assert_eq!(found.len(), 5);
        let together = found.iter().find(|cause| cause.cause == listed[0].cause).unwrap();
        let factors: Vec<f64> = together.suspects.iter().map(|one| one.change.factor).collect();
        assert_eq!(factors, [0.90, 0.97, 1.05], "those for the worse first, largest first");
        assert_eq!((together.state, together.worse), (SuspectState::Confirmed, true));
        let over = found.iter().find(|cause| cause.family == "bulk").unwrap();
        assert_eq!(
            (over.state, over.worse),
            (SuspectState::Dismissed, false),
            "nothing is left of it"
        );
        assert!(found[..3].iter().all(|cause| cause.worse), "worse causes come first");
    }
}
