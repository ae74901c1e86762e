//! Changes over the nights: looking for them, and what is printed about them.

use super::{describe, noise};
use crate::clock::now_ms;
use anyhow::{Result, bail};
use serde::Serialize;
use shakedown_report::{change_with_interval, columns, percent_change, plain, utc_of};
use shakedown_store::{
    Index, Store,
    change::{
        self, Cause, ConfirmationPlan, EffectSize, MeasuredRevision, PostponedReason, Rule,
        SuspectState, SuspectSummary, TrackedSuspect,
    },
};

/// Looks for change points and stores each new one as a suspect. `budget` is the expected number of
/// false suspects per year. Returns whether a new suspect is a regression.
///
/// # Errors
/// A budget that is not above 0; a history that can't be read or written.
pub fn scan(store: &Store, index: &Index, budget: f64) -> Result<bool> {
    if !(budget > 0.0 && budget.is_finite()) {
        bail!("--budget must be above 0: it is the number of false suspects per year");
    }
    let rule = Rule::for_budget(budget, index.series(&Default::default())?.len());
    let gate_budget = shakedown_gate::Policy::shipped()?.budget;
    let calibrations = noise::of_newest(store, index, &gate_budget)?;
    let found = change::scan(store, index, &calibrations, &rule, now_ms()?)?;
    Ok(found.iter().any(|suspect| suspect.worse))
}

/// The suspects, or every suspect and decision with `all`: the newest first, and the largest
/// regression first within a night.
///
/// # Errors
/// A history that can't be read.
pub fn suspects(store: &Store, index: &Index, all: bool) -> Result<Vec<SuspectSummary>> {
    let mut known = change::suspects(store)?;
    known.retain(|known| all || known.state == SuspectState::Suspect);
    known.sort_by(|a, b| {
        let when = |known: &TrackedSuspect| std::cmp::Reverse(known.suspect.first_bad_ms);
        let size = |known: &TrackedSuspect| known.suspect.found.factor.ln().abs();
        let worse = b.suspect.worse.cmp(&a.suspect.worse);
        when(a).cmp(&when(b)).then(worse).then(size(b).total_cmp(&size(a)))
    });
    known.into_iter().map(|known| describe(index, known)).collect()
}

/// The causes of the suspects; with `all` also those whose suspects were all dismissed.
///
/// # Errors
/// A history that can't be read.
pub fn causes(store: &Store, index: &Index, all: bool) -> Result<Vec<Cause>> {
    let mut causes = change::causes(suspects(store, index, true)?);
    causes.retain(|cause| all || cause.state != SuspectState::Dismissed);
    Ok(causes)
}

/// Suspects as a table.
pub fn suspect_table(suspects: &[SuspectSummary]) -> String {
    if suspects.is_empty() {
        return "no suspects\n".to_owned();
    }
    let row = |one: &SuspectSummary| {
        let s = &one.series;
        vec![
            one.id.clone(),
            one.state.name().to_owned(),
            utc_of(one.first_bad.started_ms.unwrap_or_default()),
            s.subject.clone(),
            format!("{} {} {}", s.scenario, s.side, s.metric),
            direction(one.worse),
            size(&one.change),
        ]
    };
    let rows: Vec<Vec<String>> = suspects.iter().map(row).collect();
    columns(&["id", "state", "since", "subject", "series", "", "change"], 6, &rows)
}

/// Causes as a table.
pub fn cause_table(causes: &[Cause]) -> String {
    if causes.is_empty() {
        return "no suspects\n".to_owned();
    }
    let short = |revision: &str| revision.chars().take(24).collect::<String>();
    let row = |cause: &Cause| {
        vec![
            cause.cause.clone(),
            cause.state.name().to_owned(),
            utc_of(cause.first_bad_ms),
            format!("{} {}", cause.stack, cause.family),
            format!("{} … {}", short(&cause.last_good), short(&cause.first_bad)),
            direction(cause.worse),
            cause.suspects.len().to_string(),
            size(&cause.suspects[0].change),
        ]
    };
    let rows: Vec<Vec<String>> = causes.iter().map(row).collect();
    let header = ["cause", "state", "since", "what", "revisions", "", "suspects", "largest change"];
    columns(&header, 6, &rows)
}

/// What is measured again tonight and what has to wait, as a table in Markdown.
pub fn confirmation_table(plan: &ConfirmationPlan) -> String {
    if plan.tonight.is_empty() && plan.later.is_empty() {
        return "no open suspects\n".to_owned();
    }
    let mut text = "| cause | suspect | host |\n|---|---|---|\n".to_owned();
    for one in &plan.tonight {
        text += &format!("| {} | {} | {} |\n", one.cause, one.id, plain(&one.host));
    }
    for one in &plan.later {
        let why = match one.reason {
            PostponedReason::Budget => "another night: the hosts' time is used up",
            PostponedReason::NoHost => "no host of tonight has the epoch",
        };
        let largest = percent_change(one.factor);
        text += &format!("| {} | {}, the largest {largest} | {why} |\n", one.cause, one.suspects);
    }
    text
}

fn direction(worse: bool) -> String {
    if worse { "worse" } else { "better" }.to_owned()
}

fn size(change: &EffectSize) -> String {
    change_with_interval([change.factor, change.low, change.high].map(|factor| factor - 1.0))
}

/// A range of revisions, as `bisect-range --json` prints it.
#[derive(Debug, Serialize)]
pub struct BisectRange<'a> {
    id: &'a str,
    cause: &'a str,
    subject: &'a str,
    repository: Option<&'a str>,
    last_good: &'a MeasuredRevision,
    first_bad: &'a MeasuredRevision,
    /// Whether both nights had the same revision: then the code is not what changed.
    same_revision: bool,
}

impl<'a> BisectRange<'a> {
    /// The range of a suspect.
    pub fn new(suspect: &'a SuspectSummary) -> Self {
        Self {
            id: &suspect.id,
            cause: &suspect.cause,
            subject: &suspect.series.subject,
            repository: suspect.repository.as_deref(),
            last_good: &suspect.last_good,
            first_bad: &suspect.first_bad,
            same_revision: suspect.last_good.revision == suspect.first_bad.revision,
        }
    }

    /// As text.
    pub fn text(&self) -> String {
        let line = |name: &str, at: &MeasuredRevision| {
            format!("{name}:  {} (run {})\n", plain(&at.revision), at.run)
        };
        let mut text = line("last good", self.last_good) + &line("first bad", self.first_bad);
        if self.same_revision {
            text += "Both are the same revision: the code of the subject did not change.\n";
        } else if let Some(repository) = self.repository {
            text += &format!("repository: {}\n", plain(repository));
        }
        text
    }
}
