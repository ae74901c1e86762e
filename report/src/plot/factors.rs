//! How many times as good as the first subject: a bar a scenario and side.

use super::{Axis, Bar, Picture, coverage, origin, short, span, subject};
use anyhow::{Result, bail};
use shakedown_protocol::{Metric, RunRecord, Scenario};
use shakedown_summary::{EffectDirection, Factor, HEADLINE_METRICS, Summary};

/// Words on the left are at most this long.
const NAME: usize = 72;
/// Least and most that the axis shows.
const REACH: (f64, f64) = (1.0 / 64.0, 64.0);

/// The picture.
///
/// # Errors
/// If the run has fewer than two subjects, or no factor.
pub fn picture(
    record: &RunRecord,
    summary: &Summary,
    wanted: &dyn Fn(&Scenario) -> bool,
) -> Result<Picture> {
    let [base, others @ ..] = record.subjects.as_slice() else { bail!("the run has no subject") };
    if others.is_empty() {
        bail!("factors need two subjects: this run has only {}", base.name);
    }
    let shown: Vec<(&Factor, f64)> = summary
        .factors
        .iter()
        .filter(|one| HEADLINE_METRICS.contains(&one.metric) && wanted(&one.scenario))
        .filter_map(|one| {
            Some((one, one.factor.filter(|factor| factor.is_finite() && *factor > 0.0)?))
        })
        .collect();
    if shown.is_empty() {
        bail!(
            "the run has no rate and no memory of two subjects in the scenarios that were asked for"
        );
    }
    let names: Vec<&str> = others.iter().map(|entry| entry.name.as_str()).collect();
    let mut bars: Vec<Bar> = Vec::new();
    for (one, factor) in &shown {
        bars.push(bar(one, *factor, bars.last(), &names));
    }
    let rows = bars.len() as u32;
    let title = match names.as_slice() {
        [only] => format!("{} against {}", subject(only, 50), subject(&base.name, 50)),
        _ => format!("{} subjects against {}", names.len(), subject(&base.name, 60)),
    };
    let label = format!("times as good as {} [factor, logarithmic]", subject(&base.name, 40));
    Ok(Picture {
        title,
        caption: vec![
            format!(
                "Bars: median of the ratios within n = {} blocks; whiskers: its {} interval. Right of 1 is better: a higher rate, less memory.",
                span(shown.iter().map(|(one, _)| one.n)),
                coverage(shown.iter().map(|(one, _)| one.coverage)),
            ),
            origin(record),
        ],
        x: Axis {
            label,
            log: true,
            words: ticks(&bars),
            range: Some(range(&bars)),
            ..Axis::default()
        },
        bars,
        height: 24 * rows + 190,
        ..Picture::default()
    })
}

fn bar(one: &Factor, factor: f64, above: Option<&Bar>, names: &[&str]) -> Bar {
    let what = match one.metric {
        Metric::PeakMemory => "peak",
        Metric::SessionMemory => "a session",
        _ => one.side.name(),
    };
    let name = short(&format!("{} {what}", one.scenario), NAME);
    let repeated =
        names.len() > 1 && above.is_some() && names.first() != Some(&one.subject.as_str());
    let interval = one.low.zip(one.high).filter(|(low, high)| *low > 0.0 && high.is_finite());
    let spread = interval
        .map_or_else(|| "no interval".to_owned(), |(low, high)| format!("{low:.2} to {high:.2}"));
    let whose =
        if names.len() > 1 { format!(" {}", subject(&one.subject, 30)) } else { String::new() };
    let at = names.iter().position(|name| *name == one.subject).unwrap_or(0);
    // Of one subject the colour says which way it leans; of several, which one it is.
    let colour = match (names.len(), one.direction) {
        (1, Some(EffectDirection::Better)) => 0,
        (1, Some(EffectDirection::Worse)) => 1,
        (1, _) => 4,
        _ => at,
    };
    Bar {
        name: if repeated { String::new() } else { name },
        factor,
        interval,
        text: format!("{factor:.2} [{spread}]{whose}"),
        colour,
    }
}

/// The ends of the axis: all bars and whiskers, and equal.
fn range(bars: &[Bar]) -> (f64, f64) {
    let ends = bars.iter().flat_map(|bar| {
        let (low, high) = bar.interval.unwrap_or((bar.factor, bar.factor));
        [bar.factor, low, high]
    });
    let (low, high) =
        ends.fold((0.8_f64, 1.25_f64), |(low, high), end| (low.min(end), high.max(end)));
    (low.max(REACH.0) / 1.06, high.min(REACH.1) * 1.06)
}

fn ticks(bars: &[Bar]) -> Vec<(f64, String)> {
    let (low, high) = range(bars);
    let fine = [0.5, 0.67, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0];
    let coarse = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0];
    let wide = high / low > 4.0;
    let all = if wide { coarse.as_slice() } else { fine.as_slice() };
    let within = all.iter().filter(|tick| (low..=high).contains(*tick));
    within.map(|tick| (*tick, tick.to_string())).collect()
}
