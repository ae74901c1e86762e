//! How long single operations take: time over percentile, where the tail has room.

use super::{Axis, Curve, Joined, Picture, PlotPoint, origin, span, subject};
use anyhow::{Context, Result, bail};
use base64::{Engine, engine::general_purpose::STANDARD};
use hdrhistogram::{Histogram, serialization::Deserializer};
use shakedown_protocol::{Meter, RunRecord, Scenario, Side, TrialOutcome};

/// Nines of the last percentile: 99.99 %.
const NINES: f64 = 4.0;
/// Points of a curve.
const STEPS: u32 = 120;

/// The picture of the first scenario that is wanted and has latencies.
///
/// # Errors
/// If none has; or a histogram can't be read.
pub fn picture(record: &RunRecord, wanted: &dyn Fn(&Scenario) -> bool) -> Result<Picture> {
    for scenario in record.plan.scenarios.iter().filter(|scenario| wanted(scenario)) {
        let mut curves = Vec::new();
        let mut trials = Vec::new();
        let mut operations = Vec::new();
        for (colour, entry) in record.subjects.iter().enumerate() {
            for (dashed, side) in scenario.sides().iter().enumerate() {
                let all = histograms(record, &entry.name, scenario, *side)?;
                if all.is_empty() {
                    continue;
                }
                trials.push(all.len());
                operations.push(all.iter().map(Histogram::len).sum::<u64>() as usize);
                curves.push(Curve {
                    name: format!("{}, {side}", subject(&entry.name, 32)),
                    colour,
                    dashed: dashed > 0,
                    joined: Joined::Band,
                    points: curve(&all),
                });
            }
        }
        if !curves.is_empty() {
            return Ok(finished(record, scenario, curves, &trials, &operations));
        }
    }
    bail!("the run has no latencies in the scenarios that were asked for")
}

fn finished(
    record: &RunRecord,
    scenario: &Scenario,
    curves: Vec<Curve>,
    trials: &[usize],
    operations: &[usize],
) -> Picture {
    let percentiles = ["0", "90", "99", "99.9", "99.99"];
    let words =
        percentiles.iter().enumerate().map(|(nines, text)| (nines as f64, format!("{text} %")));
    let half = (0.5_f64.log10().abs(), "50 %".to_owned());
    Picture {
        title: format!("Time of one operation: {scenario}"),
        caption: vec![
            format!(
                "Lines: all operations of n = {} processes together ({} operations a line); bands: from the quickest \
                 process to the slowest.",
                span(trials.iter().copied()),
                span(operations.iter().copied()),
            ),
            origin(record),
        ],
        x: Axis {
            label: "percentile: this share of the operations took no longer [%]".to_owned(),
            words: words.chain([half]).collect(),
            range: Some((0.0, NINES)),
            ..Axis::default()
        },
        y: Axis {
            label: "time of one operation [µs], logarithmic".to_owned(),
            log: true,
            ..Axis::default()
        },
        curves,
        height: 560,
        ..Picture::default()
    }
}

/// One histogram a trial.
fn histograms(
    record: &RunRecord,
    subject: &str,
    scenario: &Scenario,
    side: Side,
) -> Result<Vec<Histogram<u64>>> {
    let mut found = Vec::new();
    for trial in &record.trials {
        let TrialOutcome::Measured(measured) = &trial.outcome else { continue };
        if trial.subject != subject || trial.scenario != *scenario || trial.meter != Meter::Time {
            continue;
        }
        let of_side = measured.sides.iter().find(|result| result.side == side);
        if let Some(latency) = of_side.and_then(|result| result.latency.as_ref()) {
            let bytes = STANDARD.decode(&latency.histogram).context("a histogram is no base64")?;
            let read = Deserializer::new().deserialize(&mut bytes.as_slice());
            let histogram = read.ok().context("a histogram of the record can't be read")?;
            found.push(histogram);
        }
    }
    Ok(found)
}

/// Time over nines, as far as there are enough operations to tell.
fn curve(trials: &[Histogram<u64>]) -> Vec<PlotPoint> {
    let Some((first, rest)) = trials.split_first() else { return Vec::new() };
    let mut all = first.clone();
    for other in rest {
        // Histograms of one build have the same bounds; a foreign one is left out of the sum.
        let _ = all.add(other);
    }
    let told = (all.len() as f64).log10().min(NINES);
    (0..=STEPS)
        .map(|step| NINES * f64::from(step) / f64::from(STEPS))
        .filter(|nines| *nines <= told)
        .map(|nines| {
            let share = 1.0 - 10_f64.powf(-nines);
            let at =
                |histogram: &Histogram<u64>| histogram.value_at_quantile(share) as f64 / 1000.0;
            let each = || trials.iter().map(at);
            let (low, high) =
                each().fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
            PlotPoint { x: nines, y: at(&all), low, high }
        })
        .collect()
}
