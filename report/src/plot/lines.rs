//! What grows with a number: memory with sessions, the rate with threads.

use super::{Axis, Curve, Joined, Picture, PlotPoint, coverage, origin, span, subject};
use anyhow::{Result, bail};
use shakedown_protocol::{Metric, RunRecord, Scenario, ScenarioKind, Side, TlsScenario};
use shakedown_summary::{Row, Summary};
use std::num::NonZeroU16;

/// Memory against the number of sessions.
///
/// # Errors
/// If no family of scenarios was measured with several numbers of sessions.
pub fn memory(
    record: &RunRecord,
    summary: &Summary,
    wanted: &dyn Fn(&Scenario) -> bool,
) -> Result<Picture> {
    let sessions = |scenario: &Scenario| match *scenario.tls()? {
        TlsScenario { kind: ScenarioKind::Memory { sessions }, .. } => {
            let kind = ScenarioKind::Memory { sessions: 2 };
            Some((sessions, TlsScenario { kind, ..*scenario.tls()? }.into()))
        }
        _ => None,
    };
    let asked = Asked { metric: Metric::PeakMemory, side: Side::Both, of: &sessions, wanted };
    let Some(found) = asked.find(record, summary) else {
        bail!("the run measured no memory with several numbers of sessions: `--suite memory` does");
    };
    let mut picture = found.picture(record);
    picture.title = format!("Peak memory: {}", found.family.replace("/sessions-2", ""));
    picture.x.label = "sessions alive, half of them clients [number]".to_owned();
    picture.y.label = "highest resident set [MiB]".to_owned();
    for point in picture.curves.iter_mut().flat_map(|curve| &mut curve.points) {
        for value in [&mut point.y, &mut point.low, &mut point.high] {
            *value /= 1024.0;
        }
    }
    for slope in summary.memory.iter().filter(|slope| picture.title.ends_with(&slope.family)) {
        let at = record.subjects.iter().position(|entry| entry.name == slope.subject);
        let curve = picture.curves.iter_mut().find(|curve| Some(curve.colour) == at);
        if let (Some(curve), Some(bytes)) = (curve, slope.bytes_per_session) {
            curve.name = format!("{}: {bytes:.0} B a session", curve.name);
        }
    }
    Ok(picture)
}

/// The rate against the number of threads.
///
/// # Errors
/// If no scenario was measured with several numbers of threads.
pub fn threads(
    record: &RunRecord,
    summary: &Summary,
    wanted: &dyn Fn(&Scenario) -> bool,
) -> Result<Picture> {
    let threads = |scenario: &Scenario| match *scenario.tls()? {
        TlsScenario { kind: ScenarioKind::Memory { .. }, .. } => None,
        tls => Some((
            u32::from(tls.threads.get()),
            TlsScenario { threads: NonZeroU16::MIN, ..tls }.into(),
        )),
    };
    for (metric, side) in [
        (Metric::Handshakes, Side::Server),
        (Metric::Handshakes, Side::Client),
        (Metric::Throughput, Side::Send),
    ] {
        let asked = Asked { metric, side, of: &threads, wanted };
        if let Some(found) = asked.find(record, summary) {
            let mut picture = found.picture(record);
            picture.title = format!("{}, {side}", found.family);
            picture.x.label = "threads [number]".to_owned();
            picture.y.label = format!("all threads together [{}]", metric.unit());
            picture.x.words = found.numbers().map(|n| (f64::from(n), n.to_string())).collect();
            return Ok(picture);
        }
    }
    bail!("the run measured no scenario with several numbers of threads: `--suite threads` does")
}

/// What to look for in a run.
struct Asked<'a> {
    metric: Metric,
    side: Side,
    /// The number that differs, and the scenario without it.
    of: &'a dyn Fn(&Scenario) -> Option<(u32, Scenario)>,
    wanted: &'a dyn Fn(&Scenario) -> bool,
}

/// The rows of one family of scenarios that differ in a number only.
struct Found<'a> {
    family: String,
    rows: Vec<(u32, &'a Row)>,
}

impl Asked<'_> {
    /// The first family with at least two numbers.
    fn find<'a>(&self, record: &RunRecord, summary: &'a Summary) -> Option<Found<'a>> {
        let planned = record.plan.scenarios.iter().filter(|scenario| (self.wanted)(scenario));
        let families = planned.filter_map(|scenario| Some((self.of)(scenario)?.1));
        families.map(|family| self.rows(summary, &family)).find(|found| found.numbers().count() > 1)
    }

    fn rows<'a>(&self, summary: &'a Summary, family: &Scenario) -> Found<'a> {
        let mine =
            summary.rows.iter().filter(|row| row.metric == self.metric && row.side == self.side);
        let rows = mine.filter_map(|row| {
            let (number, other) = (self.of)(&row.scenario)?;
            (other == *family && row.median.is_some()).then_some((number, row))
        });
        Found { family: family.to_string(), rows: rows.collect() }
    }
}

impl Found<'_> {
    fn numbers(&self) -> impl Iterator<Item = u32> {
        let numbers: std::collections::BTreeSet<u32> = self.rows.iter().map(|(n, _)| *n).collect();
        numbers.into_iter()
    }

    fn picture(&self, record: &RunRecord) -> Picture {
        let curves = record.subjects.iter().enumerate().filter_map(|(colour, entry)| {
            let mut points: Vec<PlotPoint> = self
                .rows
                .iter()
                .filter(|(_, row)| row.subject == entry.name)
                .filter_map(|(number, row)| {
                    let (y, x) = (row.median?, f64::from(*number));
                    Some(PlotPoint { x, y, low: row.low.unwrap_or(y), high: row.high.unwrap_or(y) })
                })
                .collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            let name = subject(&entry.name, 40);
            (!points.is_empty()).then_some(Curve {
                name,
                colour,
                dashed: colour > 6,
                joined: Joined::Line,
                points,
            })
        });
        Picture {
            caption: vec![
                format!(
                    "Points: median of n = {} processes; bars: its {} interval.",
                    span(self.rows.iter().map(|(_, row)| row.n)),
                    coverage(self.rows.iter().map(|(_, row)| row.coverage)),
                ),
                origin(record),
            ],
            y: Axis { from_zero: true, ..Axis::default() },
            x: Axis { from_zero: true, ..Axis::default() },
            curves: curves.collect(),
            height: 520,
            ..Picture::default()
        }
    }
}
