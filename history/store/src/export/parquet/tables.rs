//! The tables: what a row of each has. `docs/exports.md` tells it to those who query them.

use super::columns::{Column, Get};
use crate::{Document, SeriesValue};
use shakedown_protocol::{DriverRefusal, Metric, RunRecord, Sample, Side, Trial, TrialOutcome};
use shakedown_summary::series::values;
use std::collections::HashMap;

/// The rows of one table.
pub(super) trait TableRow: Sized {
    /// The table's name, and its folder's.
    const NAME: &'static str;

    fn columns() -> Vec<Column<Self>>;
}

/// What all rows of a run share.
pub(super) struct RunFacts<'a> {
    pub(super) name: &'a str,
    pub(super) document: &'a Document,
    started_ms: i64,
    kind: &'static str,
    fit: bool,
    finished: bool,
    in_tree: bool,
    /// By the name of the subject's series.
    revisions: HashMap<String, String>,
}

impl<'a> RunFacts<'a> {
    pub(super) fn of(name: &'a str, document: &'a Document) -> Self {
        let (kind, fit, finished) = match document {
            Document::Run(record) => ("run", record.host.fit, record.finish.is_some()),
            Document::Import(_) => ("import", true, true),
        };
        let builds = document.builds().into_iter();
        Self {
            name,
            document,
            started_ms: integer(document.stands_at_ms()),
            kind,
            fit,
            finished,
            in_tree: document.plan().is_some_and(shakedown_protocol::RunPlan::in_tree),
            revisions: builds.map(|build| (build.subject, build.revision)).collect(),
        }
    }

    /// When its numbers stand in their series, in milliseconds since 1970 UTC.
    pub(super) const fn started_ms(&self) -> i64 {
        self.started_ms
    }

    fn revision(&self, subject: &str) -> &str {
        self.revisions.get(subject).map_or("", String::as_str)
    }
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A row of `summaries`: one series in one run.
pub(super) struct SummaryRow<'a> {
    pub(super) run: &'a RunFacts<'a>,
    pub(super) value: &'a SeriesValue,
}

impl TableRow for SummaryRow<'_> {
    const NAME: &'static str = "summaries";

    fn columns() -> Vec<Column<Self>> {
        use Get::{Flag, Float, Integer, Text};
        vec![
            Column::new("run", Text(|row| Some(row.run.name))),
            Column::new("started_ms", Integer(|row| Some(row.run.started_ms))),
            Column::new("host", Text(|row| Some(row.run.document.host()))),
            Column::new("epoch", Text(|row| Some(row.run.document.epoch()))),
            Column::new("suite", Text(|row| Some(row.run.document.suite()))),
            Column::new("kind", Text(|row| Some(row.run.kind))),
            Column::new("fit", Flag(|row| Some(row.run.fit))),
            Column::new("finished", Flag(|row| Some(row.run.finished))),
            Column::new("in_tree", Flag(|row| Some(row.run.in_tree))),
            Column::new("subject", Text(|row| Some(&row.value.series.subject))),
            Column::new("revision", Text(|row| Some(row.run.revision(&row.value.series.subject)))),
            Column::new("scenario", Text(|row| Some(&row.value.series.scenario))),
            Column::new("side", Text(|row| Some(&row.value.series.side))),
            Column::new("metric", Text(|row| Some(&row.value.series.metric))),
            Column::new("unit", Text(|row| Some(&row.value.series.unit))),
            Column::new("better", Text(|row| Some(row.value.series.better.name()))),
            Column::new("median", Float(|row| Some(row.value.median))),
            Column::new("low", Float(|row| Some(row.value.low))),
            Column::new("high", Float(|row| Some(row.value.high))),
            Column::new("n", Integer(|row| Some(row.value.n.into()))),
        ]
    }
}

/// A trial, under the name of its subject's series.
pub(super) struct TrialFacts<'a> {
    run: &'a RunFacts<'a>,
    trial: &'a Trial,
    pub(super) subject: String,
    pub(super) scenario: String,
    flaws: String,
}

impl TrialFacts<'_> {
    /// As in records.
    const fn meter(&self) -> &'static str {
        self.trial.meter.name()
    }

    fn outcome(&self) -> &'static str {
        match &self.trial.outcome {
            TrialOutcome::Measured(_) => "measured",
            TrialOutcome::Refused(DriverRefusal::Unsupported(_)) => "unsupported",
            TrialOutcome::Refused(DriverRefusal::Broken(_)) => "broken",
            TrialOutcome::Refused(DriverRefusal::Failed(_)) => "failed",
            TrialOutcome::Lost { .. } => "lost",
        }
    }
}

/// The trials of a record, in order of execution.
pub(super) fn trials<'a>(
    run: &'a RunFacts<'a>,
    record: &'a RunRecord,
) -> impl Iterator<Item = TrialFacts<'a>> {
    let names = record.subjects.iter().map(|entry| entry.name.as_str());
    let followed: HashMap<&str, String> = names.zip(record.followed_names()).collect();
    record.trials.iter().map(move |trial| TrialFacts {
        run,
        trial,
        subject: followed.get(trial.subject.as_str()).unwrap_or(&trial.subject).clone(),
        scenario: trial.scenario.to_string(),
        flaws: trial.flaws.iter().map(|flaw| flaw.name()).collect::<Vec<_>>().join(" "),
    })
}

/// What belongs to one trial.
trait OfTrial {
    fn trial(&self) -> &TrialFacts<'_>;
}

/// The columns that say which trial.
fn of_trial<R: OfTrial>() -> Vec<Column<R>> {
    use Get::{Integer, Text};
    vec![
        Column::new("run", Text(|row: &R| Some(row.trial().run.name))),
        Column::new("started_ms", Integer(|row: &R| Some(row.trial().run.started_ms))),
        Column::new("epoch", Text(|row: &R| Some(row.trial().run.document.epoch()))),
        Column::new("subject", Text(|row: &R| Some(&row.trial().subject))),
        Column::new("scenario", Text(|row: &R| Some(&row.trial().scenario))),
        Column::new("meter", Text(|row: &R| Some(row.trial().meter()))),
        Column::new("block", Integer(|row: &R| Some(row.trial().trial.block.into()))),
        Column::new("position", Integer(|row: &R| Some(row.trial().trial.position.into()))),
    ]
}

/// A row of `trials`: one value of one trial, or a trial that has none.
pub(super) struct TrialRow<'a> {
    trial: &'a TrialFacts<'a>,
    value: Option<(Side, Metric, f64)>,
}

impl<'a> TrialRow<'a> {
    pub(super) fn of(trial: &'a TrialFacts<'a>) -> Vec<Self> {
        let values = values(trial.trial);
        let none = values.is_empty().then_some(None);
        let all = values.into_iter().map(Some).chain(none);
        all.map(|value| Self { trial, value }).collect()
    }
}

impl OfTrial for TrialRow<'_> {
    fn trial(&self) -> &TrialFacts<'_> {
        self.trial
    }
}

impl TableRow for TrialRow<'_> {
    const NAME: &'static str = "trials";

    fn columns() -> Vec<Column<Self>> {
        use Get::{Flag, Float, Integer, Text};
        let mut columns = of_trial::<Self>();
        columns.extend([
            Column::new(
                "revision",
                Text(|row: &Self| Some(row.trial.run.revision(&row.trial.subject))),
            ),
            Column::new("host", Text(|row| Some(row.trial.run.document.host()))),
            Column::new("suite", Text(|row| Some(row.trial.run.document.suite()))),
            Column::new("fit", Flag(|row| Some(row.trial.run.fit))),
            Column::new("link", Integer(|row| Some(row.trial.trial.link.into()))),
            Column::nullable("cpu", Integer(|row| row.trial.trial.cpu.map(i64::from))),
            Column::new(
                "trial_started_ms",
                Integer(|row| Some(integer(row.trial.trial.started_ms))),
            ),
            Column::new("outcome", Text(|row| Some(row.trial.outcome()))),
            Column::new("flaws", Text(|row| Some(&row.trial.flaws))),
            Column::new("wall_us", Integer(|row| Some(integer(row.trial.trial.watch.wall_us)))),
            Column::nullable(
                "khz_before",
                Integer(|row| row.trial.trial.watch.khz_before.map(integer)),
            ),
            Column::nullable(
                "khz_after",
                Integer(|row| row.trial.trial.watch.khz_after.map(integer)),
            ),
            Column::nullable("side", Text(|row| row.value.map(|(side, ..)| side.name()))),
            Column::nullable("metric", Text(|row| row.value.map(|(_, metric, _)| metric.name()))),
            Column::nullable(
                "unit",
                Text(|row| row.value.map(|(_, metric, _)| metric.unit().name())),
            ),
            Column::nullable(
                "better",
                Text(|row| row.value.map(|(_, metric, _)| metric.better().name())),
            ),
            Column::nullable("value", Float(|row| row.value.map(|(.., value)| value))),
        ]);
        columns
    }
}

/// A row of `samples`: one timed batch of one side of a trial.
pub(super) struct SampleRow<'a> {
    trial: &'a TrialFacts<'a>,
    side: Side,
    /// Place among the side's batches, counted from 0.
    batch: i64,
    sample: Sample,
}

impl<'a> SampleRow<'a> {
    pub(super) fn of(trial: &'a TrialFacts<'a>) -> Vec<Self> {
        let sides = trial.trial.measured().into_iter().flat_map(|measured| &measured.sides);
        let rows = sides.flat_map(|result| {
            (0..).zip(&result.samples).map(|(batch, sample)| Self {
                trial,
                side: result.side,
                batch,
                sample: *sample,
            })
        });
        rows.collect()
    }
}

impl OfTrial for SampleRow<'_> {
    fn trial(&self) -> &TrialFacts<'_> {
        self.trial
    }
}

impl TableRow for SampleRow<'_> {
    const NAME: &'static str = "samples";

    fn columns() -> Vec<Column<Self>> {
        use Get::{Integer, Text};
        let mut columns = of_trial::<Self>();
        columns.extend([
            Column::new("side", Text(|row: &Self| Some(row.side.name()))),
            Column::new("batch", Integer(|row| Some(row.batch))),
            Column::new("thread", Integer(|row| Some(integer(row.sample.thread)))),
            Column::new("operations", Integer(|row| Some(integer(row.sample.operations)))),
            Column::new("bytes", Integer(|row| Some(integer(row.sample.bytes)))),
            Column::new("nanoseconds", Integer(|row| Some(integer(row.sample.nanoseconds)))),
        ]);
        columns
    }
}
