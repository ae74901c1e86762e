//! Measurements that the history lacks because a driver did not fit, made later.

use crate::output::say;
use crate::{
    clock::now_ms,
    history::HistoryArgs,
    host_options::HostOptions,
    session::{
        run::{RunOptions, measure},
        write_reports,
    },
};
use anyhow::{Context, Result};
use serde::Serialize;
use shakedown_builder::BuildError;
use shakedown_protocol::{Backfill, RunRecord, Subject};
use shakedown_report::Report;
use shakedown_store::{Store, query::Owed};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// What to measure again, and for how long.
#[derive(Debug)]
pub struct BackfillOptions {
    /// The history.
    pub history: HistoryArgs,
    /// What is missing, as `history owed --json` prints it: then no history is read or written.
    pub owed: Option<PathBuf>,
    /// Only what was missed since then, in milliseconds since 1970 UTC.
    pub since_ms: i64,
    /// No measurement starts after this many minutes.
    pub minutes: u64,
    /// Whether to try those too whose driver has fitted no later revision.
    pub all: bool,
    /// Folder of the records: one below it for each.
    pub out: PathBuf,
    /// How the host is used.
    pub host_options: HostOptions,
}

/// Result for a missed measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackfillState {
    /// Measured, and in the history now.
    Measured,
    /// The driver still does not fit this revision.
    Incompatible,
    /// It could not be built or measured.
    Failed,
    /// Not started: the time was up.
    Waiting,
}

/// A missed measurement and the result.
#[derive(Debug, Serialize)]
pub struct Tried {
    /// What was missed.
    #[serde(flatten)]
    pub owed: Owed,
    /// Result.
    pub state: BackfillState,
    /// Why, where there are no numbers.
    pub reason: Option<String>,
    /// Name under which the run is in the history now, if it was added to one.
    pub filled_by: Option<String>,
}

/// Measures what the history lacks of this host, newest first, and adds each run as it ends. A
/// run that was killed is finished by the next call with the same folder.
///
/// # Errors
/// A history or a host that can't be used; a failed measurement is reported in its [`Tried`].
pub fn backfill(options: &BackfillOptions) -> Result<Vec<Tried>> {
    let begun = Instant::now();
    let host = options.host_options.observe()?;
    let (store, owed) = match &options.owed {
        Some(path) => (None, listed(path)?),
        None => {
            let (store, index) = options.history.index()?;
            let owed = index.owed(options.since_ms)?;
            (Some(store), owed)
        }
    };
    // Numbers of another epoch belong to other series.
    let here = owed.into_iter().filter(|owed| owed.epoch == host.epoch.id);
    let mut tried = Vec::new();
    for owed in here.filter(|owed| options.all || owed.fits_again) {
        let (state, reason, filled_by) =
            if begun.elapsed() >= Duration::from_secs(options.minutes.saturating_mul(60)) {
                (BackfillState::Waiting, None, None)
            } else {
                say(format_args!(
                    "measuring {} of {}, suite {}",
                    owed.revision, owed.subject, owed.suite
                ));
                match one(&owed, options, store.as_ref()) {
                    Ok(name) => (BackfillState::Measured, None, name),
                    Err(error) => (state(&error), Some(format!("{error:#}")), None),
                }
            };
        tried.push(Tried { owed, state, reason, filled_by });
    }
    Ok(tried)
}

fn state(error: &anyhow::Error) -> BackfillState {
    let build = error.chain().find_map(|cause| cause.downcast_ref::<BuildError>());
    match build {
        Some(BuildError::Incompatible { .. }) => BackfillState::Incompatible,
        _ => BackfillState::Failed,
    }
}

fn listed(path: &Path) -> Result<Vec<Owed>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is no list of `history owed --json`", path.display()))
}

/// Measures one, or finishes it, and gives its name in the history, if there is one.
fn one(owed: &Owed, options: &BackfillOptions, store: Option<&Store>) -> Result<Option<String>> {
    let out = options.out.join(folder(owed));
    let begun = shakedown_schedule::record_path(&out).exists();
    let parse = |name: &str| name.parse::<Subject>().context("the history has no such subject");
    let started_ms = u64::try_from(owed.started_ms).unwrap_or_default();
    let wanted = RunOptions {
        subjects: vec![parse(&owed.resolved)?],
        asked: Some(vec![parse(&owed.asked)?]),
        suite: owed.suite.clone(),
        only: owed.only.clone(),
        out: (!begun).then(|| out.clone()),
        resume: begun.then(|| out.clone()),
        backfill: Some(Backfill { run: owed.run.clone(), started_ms }),
        host_options: options.host_options.clone(),
        ..RunOptions::default()
    };
    let ((record, out), _) = measure(&wanted)?;
    report(&record, &out)?;
    let Some(store) = store else { return Ok(None) };
    Ok(Some(store.add(&serde_json::to_string(&record)?, now_ms()?)?.name.to_string()))
}

fn report(record: &RunRecord, out: &Path) -> Result<()> {
    let summary = shakedown_summary::summarize(record);
    write_reports(&Report::new(record, &summary), out).map(drop)
}

/// The same folder for the same measurement, whenever it is made.
fn folder(owed: &Owed) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
    let word = |text: &str, most: usize| text.chars().map(plain).take(most).collect::<String>();
    format!("{}-{}-{}", word(&owed.run, 80), word(&owed.revision, 12), word(&owed.subject, 80))
}
