//! Pictures of the history: a series over time, a stack release by release.

use super::{Axis, Curve, Joined, Mark, Picture, PlotPoint, short, span, subject};
use crate::format::percent_change;
use anyhow::{Result, bail};
use shakedown_protocol::{Subject, SubjectVersion};
use shakedown_store::{
    change::{SuspectState, TrackedSuspect},
    query::{StoredRun, Trend, TrendPoint as StoredPoint},
};
use std::collections::BTreeSet;

/// A series over time, with what was found in it.
pub fn trend(trend: &Trend, known: &[TrackedSuspect], runs: &[StoredRun]) -> Picture {
    let series = &trend.series;
    let points = with_gaps(&trend.points);
    let of = |known: &&TrackedSuspect| {
        known.suspect.series == *series && known.state != SuspectState::Dismissed
    };
    let first = trend.points.first().map_or(i64::MIN, |point| point.started_ms);
    let changes = known.iter().filter(of).filter(|known| known.suspect.first_bad_ms >= first);
    let mut marks: Vec<Mark> = changes.map(change).collect();
    marks.extend(breaks(&trend.points));
    Picture {
        title: format!(
            "{}: {} {} {}",
            subject(&series.subject, 60),
            short(&series.scenario, 70),
            series.side,
            series.metric
        ),
        caption: vec![
            format!(
                "Line: median of n = {} processes a night; band: its interval. {} nights, {} is better. \
                 Dashed: a change; dotted: another host epoch.",
                processes(trend.points.iter()),
                trend.points.len(),
                series.better,
            ),
            hosts(trend.points.iter(), runs),
        ],
        x: Axis {
            label: "start of the run [day, UTC]".to_owned(),
            time: true,
            range: days(&trend.points),
            ..Axis::default()
        },
        y: Axis { label: format!("{} [{}]", series.metric, series.unit), ..Axis::default() },
        curves: vec![Curve {
            name: series.subject.clone(),
            colour: 0,
            dashed: false,
            joined: Joined::Band,
            points,
        }],
        marks,
        height: 480,
        ..Picture::default()
    }
}

/// From the first night to the last, with a little room.
fn days(nights: &[StoredPoint]) -> Option<(f64, f64)> {
    let (first, last) = (nights.first()?.started_ms as f64, nights.last()?.started_ms as f64);
    let room = ((last - first) * 0.02).max(3_600_000.0);
    Some(((first - room) / 1000.0, (last + room) / 1000.0))
}

/// Points, with a gap where the host's epoch changes: no line leads over it.
fn with_gaps(nights: &[StoredPoint]) -> Vec<PlotPoint> {
    let mut points = Vec::new();
    let mut epoch: Option<&str> = None;
    for night in nights {
        if epoch.is_some_and(|before| before != night.epoch) {
            points.push(PlotPoint { x: 0.0, y: f64::NAN, low: 0.0, high: 0.0 });
        }
        epoch = Some(&night.epoch);
        let x = night.started_ms as f64 / 1000.0;
        points.push(PlotPoint { x, y: night.median, low: night.low, high: night.high });
    }
    points
}

fn change(known: &TrackedSuspect) -> Mark {
    let found = &known.suspect.found;
    let state = known.state.name();
    Mark {
        x: known.suspect.first_bad_ms as f64 / 1000.0,
        text: format!("{state} {}", percent_change(found.factor)),
        strong: known.suspect.worse,
    }
}

fn breaks(nights: &[StoredPoint]) -> Vec<Mark> {
    let pairs = nights.windows(2).filter(|pair| pair[0].epoch != pair[1].epoch);
    pairs
        .map(|pair| Mark {
            x: pair[1].started_ms as f64 / 1000.0,
            text: format!("epoch {}", short(&pair[1].epoch, 16)),
            strong: false,
        })
        .collect()
}

/// The newest value of each release of a stack, in the order that `order` gives to version
/// numbers; one that it does not know is left out.
///
/// # Errors
/// If the stack has fewer than two releases there; or the trends are not of one metric.
pub fn releases<O: Ord>(
    order: impl Fn(&str) -> Option<O>,
    stack: &str,
    variants: &[String],
    trends: &[Trend],
    runs: &[StoredRun],
) -> Result<Picture> {
    let mut shown: Vec<(O, String, &StoredPoint)> = Vec::new();
    for trend in trends {
        let Ok(subject) = trend.series.subject.parse::<Subject>() else { continue };
        let SubjectVersion::Release(number) = &subject.version else { continue };
        if let (true, true, Some(release), Some(night)) = (
            subject.stack == stack,
            subject.variants == variants,
            order(number),
            trend.points.last(),
        ) {
            shown.push((release, number.clone(), night));
        }
    }
    shown.sort_by(|a, b| a.0.cmp(&b.0));
    let newest = shown.iter().max_by_key(|(_, _, night)| night.started_ms);
    let Some(epoch) = newest.map(|(_, _, night)| night.epoch.clone()) else {
        bail!("the history has no release of {stack} there{}", among(variants));
    };
    let all = shown.len();
    shown.retain(|(_, _, night)| night.epoch == epoch);
    if shown.len() < 2 {
        bail!("{stack} has only one release in host epoch {epoch}: steps need two");
    }
    let Some(series) = trends.first().map(|trend| &trend.series) else { bail!("nothing to draw") };
    let steps = shown.iter().enumerate().map(|(at, (_, _, night))| PlotPoint {
        x: at as f64,
        y: night.median,
        low: night.low,
        high: night.high,
    });
    let left_out = match all - shown.len() {
        0 => String::new(),
        some => format!(" {some} releases of other host epochs are left out."),
    };
    let count = shown.len();
    let words = shown.iter().enumerate();
    Ok(Picture {
        title: format!(
            "{stack}{} release by release: {} {}",
            variants.iter().map(|v| format!("+{v}")).collect::<String>(),
            short(&series.scenario, 70),
            series.side
        ),
        caption: vec![
            format!(
                "Points: newest median of n = {} processes; bars: its interval; {} is better.{left_out}",
                processes(shown.iter().map(|(_, _, night)| *night)),
                series.better,
            ),
            hosts(shown.iter().map(|(_, _, night)| *night), runs),
        ],
        x: Axis {
            label: format!("release of {stack} [version]"),
            words: words.map(|(at, (_, text, _))| (at as f64, text.clone())).collect(),
            range: Some((-0.5, count as f64 - 0.5)),
            ..Axis::default()
        },
        y: Axis {
            label: format!("{} [{}]", series.metric, series.unit),
            from_zero: true,
            ..Axis::default()
        },
        curves: vec![Curve {
            name: stack.to_owned(),
            colour: 0,
            dashed: false,
            joined: Joined::Steps,
            points: steps.collect(),
        }],
        height: 520,
        ..Picture::default()
    })
}

fn among(variants: &[String]) -> String {
    match variants {
        [] => " without build variants: name one with --variant".to_owned(),
        some => format!(" with build variants {}", some.join(", ")),
    }
}

fn processes<'a>(nights: impl Iterator<Item = &'a StoredPoint>) -> String {
    span(nights.map(|night| night.n as usize))
}

/// The hosts and epochs that the points are from.
fn hosts<'a>(nights: impl Iterator<Item = &'a StoredPoint>, runs: &[StoredRun]) -> String {
    let epochs: BTreeSet<&str> = nights.map(|night| night.epoch.as_str()).collect();
    let host = |epoch: &str| {
        let run = runs.iter().find(|run| run.epoch == epoch);
        run.map_or_else(String::new, |run| run.host.clone())
    };
    let all: Vec<String> = epochs
        .iter()
        .take(3)
        .map(|epoch| format!("{} (epoch {})", host(epoch), short(epoch, 16)))
        .collect();
    let more = if epochs.len() > 3 {
        format!(" and {} more epochs", epochs.len() - 3)
    } else {
        String::new()
    };
    format!("Host {}{more}", all.join(", "))
}
