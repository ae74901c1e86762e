//! Decisions about change points. Each is a small file in the history with a unique name that never
//! changes.

use super::{BisectionResult, Detection, name::DecisionName};
use crate::{
    SeriesInfo, Store, StoreError, canonical, files,
    manifest::{self, FileName as _},
    query::TrendPoint,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A change point, before or after it is measured again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suspect {
    /// Short id, the same on every host that finds the change.
    pub id: String,
    /// The series that changed.
    pub series: SeriesInfo,
    /// Host epoch in which it changed.
    pub epoch: String,
    /// Whether the change is a regression.
    pub worse: bool,
    /// Size, interval and p-value. The index counts from the oldest night in the window.
    pub found: Detection,
    /// Run of the last night before the change.
    pub last_good_run: String,
    /// Revision of that night.
    pub last_good: String,
    /// Run of the first night after the change.
    pub first_bad_run: String,
    /// Revision of that night.
    pub first_bad: String,
    /// Start of that run, in milliseconds since 1970 UTC.
    pub first_bad_ms: i64,
}

impl Suspect {
    pub(crate) fn new(
        series: &SeriesInfo,
        found: Detection,
        last_good: &TrendPoint,
        first_bad: &TrendPoint,
    ) -> Self {
        let better =
            matches!(series.better, shakedown_protocol::Better::Higher) == (found.factor > 1.0);
        let SeriesInfo { subject, scenario, side, metric, .. } = series;
        let key = [subject, scenario, side, metric, &first_bad.epoch, &first_bad.run]
            .map(|part| format!("{}:{part}", part.len()))
            .concat();
        Self {
            id: canonical::sha256(key.as_bytes())[..12].to_owned(),
            series: series.clone(),
            epoch: first_bad.epoch.clone(),
            worse: !better,
            found,
            last_good_run: last_good.run.clone(),
            last_good: last_good.revision.clone(),
            first_bad_run: first_bad.run.clone(),
            first_bad: first_bad.revision.clone(),
            first_bad_ms: first_bad.started_ms,
        }
    }
}

/// The state of a suspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuspectState {
    /// Found in nightly runs, not yet measured again.
    Suspect,
    /// Measured again: reproduced.
    Confirmed,
    /// Measured again: not reproduced.
    Dismissed,
}

impl SuspectState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Suspect, Self::Confirmed, Self::Dismissed];

    /// Its name in files and output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Suspect => "suspect",
            Self::Confirmed => "confirmed",
            Self::Dismissed => "dismissed",
        }
    }
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuspectDecision {
    /// The suspect.
    pub suspect: Suspect,
    /// The decision.
    pub state: SuspectState,
    /// When, in milliseconds since 1970 UTC.
    pub at_ms: u64,
    /// Evidence, in words; for a confirmation the run that reproduced it.
    pub evidence: String,
    /// What the search for the commit came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bisection: Option<BisectionResult>,
}

/// A suspect and its current state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrackedSuspect {
    /// The suspect as first found.
    pub suspect: Suspect,
    /// Its state.
    pub state: SuspectState,
    /// Every decision, oldest first.
    pub decisions: Vec<SuspectDecision>,
}

/// Writes a decision and lists it. The caller holds the lock.
pub(crate) fn record(store: &Store, event: &SuspectDecision) -> Result<(), StoreError> {
    let value = serde_json::to_value(event).map_err(|e| StoreError::Question(e.to_string()))?;
    let text = canonical::text(&value);
    let digest = canonical::sha256(text.as_bytes());
    let name = DecisionName::new(event.at_ms, &event.suspect.id, &digest, event.state)?;
    let path = folder(store, &name.month()).join(format!("{name}.json"));
    files::write_atomically(&store.scratch(), &path, text.as_bytes())?;
    manifest::add(store.root(), &manifest::list_of(&name.month()), &[(name, digest)])
}

/// Folder of the decisions of a month such as `2026/11`.
pub(crate) fn folder(store: &Store, month: &str) -> PathBuf {
    store.root().join("changes").join(month)
}

/// Reads a decision and checks it against its name. Also returns the digest of its text.
pub(crate) fn read(path: &Path) -> Result<(DecisionName, SuspectDecision, String), StoreError> {
    let (name, event, digest) = manifest::read_named(path, "a decision", |text| {
        serde_json::from_str::<SuspectDecision>(text).map_err(|error| error.to_string())
    })?;
    let name: DecisionName = name;
    if event.state != name.state() {
        let reason = format!("it says {}, and its name does not", event.state.name());
        return Err(StoreError::Damaged { path: path.to_path_buf(), reason });
    }
    Ok((name, event, digest))
}

/// Every suspect, newest change first.
///
/// # Errors
/// Names the file that can't be read.
pub fn suspects(store: &Store) -> Result<Vec<TrackedSuspect>, StoreError> {
    let mut decisions: BTreeMap<String, Vec<SuspectDecision>> = BTreeMap::new();
    for month in files::months(&store.root().join("changes"))? {
        let folder = folder(store, &month);
        for file in files::names(&folder)? {
            let (_, event, _) = read(&folder.join(&file))?;
            decisions.entry(event.suspect.id.clone()).or_default().push(event);
        }
    }
    let mut known: Vec<TrackedSuspect> = decisions
        .into_values()
        .filter_map(|mut decisions| {
            // Two hosts may find the same suspect; finding it again undoes no decision.
            decisions.sort_by_key(|event| (event.state != SuspectState::Suspect, event.at_ms));
            let (suspect, state) = (decisions.first()?.suspect.clone(), decisions.last()?.state);
            Some(TrackedSuspect { suspect, state, decisions })
        })
        .collect();
    known.sort_by_key(|known| std::cmp::Reverse(known.suspect.first_bad_ms));
    Ok(known)
}

/// Confirms or dismisses a suspect.
///
/// # Errors
/// If there is no such suspect, or the decision can't be written.
pub fn decide(
    store: &Store,
    id: &str,
    state: SuspectState,
    evidence: &str,
    now_ms: u64,
) -> Result<TrackedSuspect, StoreError> {
    let suspect = find(store, id)?.suspect;
    let evidence = evidence.to_owned();
    append(store, SuspectDecision { suspect, state, at_ms: now_ms, evidence, bisection: None })
}

/// Keeps what the search for the commit behind a confirmed suspect came to.
///
/// # Errors
/// If there is no such suspect, it is not confirmed, or the file can't be written.
pub fn bisected(
    store: &Store,
    id: &str,
    result: BisectionResult,
    now_ms: u64,
) -> Result<TrackedSuspect, StoreError> {
    let known = find(store, id)?;
    if known.state != SuspectState::Confirmed {
        return Err(StoreError::Question(format!("suspect `{id}` is not confirmed")));
    }
    let evidence = match &result.commits[..] {
        [] => "the search found no commit".to_owned(),
        found => {
            let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
            format!("changed by {}", ids.join(", "))
        }
    };
    append(
        store,
        SuspectDecision {
            suspect: known.suspect,
            state: known.state,
            at_ms: now_ms,
            evidence,
            bisection: Some(result),
        },
    )
}

fn find(store: &Store, id: &str) -> Result<TrackedSuspect, StoreError> {
    suspects(store)?.into_iter().find(|known| known.suspect.id == id).ok_or_else(|| {
        StoreError::Question(format!(
            "no suspect has the id `{id}`: see `shakedown history changes`"
        ))
    })
}

fn append(store: &Store, event: SuspectDecision) -> Result<TrackedSuspect, StoreError> {
    let _lock = store.lock()?;
    record(store, &event)?;
    find(store, &event.suspect.id)
}
