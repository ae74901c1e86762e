//! OpenMetrics 1.0 text, as Prometheus and others read it.

use crate::query::{Trend, TrendPoint};
use std::collections::BTreeMap;

/// The newest value of each series: the median and the ends of its interval as one gauge for each
/// metric, in base units as OpenMetrics asks for them, and the number of trials behind them as
/// another one.
pub fn openmetrics(trends: &[Trend]) -> String {
    let mut families: BTreeMap<String, (BaseUnit, Vec<&Trend>)> = BTreeMap::new();
    for trend in trends.iter().filter(|trend| !trend.points.is_empty()) {
        let unit = BaseUnit::of(&trend.series.unit);
        let metric = word(&trend.series.metric);
        let name = match unit.name.starts_with(&format!("{metric}_per_")) {
            true => format!("shakedown_{}", unit.name),
            false => format!("shakedown_{metric}_{}", unit.name),
        };
        families.entry(name).or_insert_with(|| (unit, Vec::new())).1.push(trend);
    }
    let mut text = String::new();
    for (family, (unit, members)) in &families {
        text += &format!(
            "# TYPE {family} gauge\n# UNIT {family} {}\n# HELP {family} Median of the trials, and the ends of its interval.\n",
            unit.name
        );
        for (trend, point) in newest(members) {
            let at = point.started_ms as f64 / 1e3;
            let values = [("median", point.median), ("low", point.low), ("high", point.high)];
            for (quantity, value) in values {
                let labels = labels(trend, point);
                let value = value * unit.factor;
                text += &format!("{family}{{{labels},quantity=\"{quantity}\"}} {value} {at}\n");
            }
        }
    }
    if !families.is_empty() {
        text += "# TYPE shakedown_trials gauge\n# HELP shakedown_trials Trials behind a median.\n";
    }
    for (trend, point) in families.values().flat_map(|(_, members)| newest(members)) {
        let (labels, at) = (labels(trend, point), point.started_ms as f64 / 1e3);
        let metric = escape(&trend.series.metric);
        text += &format!("shakedown_trials{{{labels},metric=\"{metric}\"}} {} {at}\n", point.n);
    }
    text += "# EOF\n";
    text
}

fn newest<'a>(trends: &[&'a Trend]) -> impl Iterator<Item = (&'a Trend, &'a TrendPoint)> {
    trends.iter().filter_map(|trend| Some((*trend, trend.points.last()?)))
}

/// A unit without a prefix, as the name of a metric ends in it.
struct BaseUnit {
    name: String,
    /// What a value is multiplied by.
    factor: f64,
}

impl BaseUnit {
    fn of(unit: &str) -> Self {
        let (name, factor) = match unit {
            "MiB/s" => ("bytes_per_second", 1_048_576.0),
            "MB/s" => ("bytes_per_second", 1e6),
            "KiB" => ("bytes", 1024.0),
            "B" => ("bytes", 1.0),
            "B/op" => ("bytes_per_operation", 1.0),
            "B/session" => ("bytes_per_session", 1.0),
            "ns" => ("seconds", 1e-9),
            "µs" => ("seconds", 1e-6),
            "ms" => ("seconds", 1e-3),
            other => return Self { name: spelled_out(other), factor: 1.0 },
        };
        Self { name: name.to_owned(), factor }
    }
}

/// `handshakes/s` as `handshakes_per_second`; nothing known as `value`.
fn spelled_out(unit: &str) -> String {
    let unit =
        unit.strip_suffix("/s").map_or_else(|| unit.to_owned(), |of| format!("{of} per second"));
    let unit =
        unit.strip_suffix("/op").map_or_else(|| unit.clone(), |of| format!("{of} per operation"));
    if unit.is_empty() { "value".to_owned() } else { word(&unit) }
}

fn labels(trend: &Trend, point: &TrendPoint) -> String {
    let series = &trend.series;
    [
        ("subject", series.subject.as_str()),
        ("scenario", &series.scenario),
        ("side", &series.side),
        ("epoch", &point.epoch),
        ("harness", super::harness(trend)),
    ]
    .map(|(name, value)| format!("{name}=\"{}\"", escape(value)))
    .join(",")
}

/// A text as a label's value.
fn escape(text: &str) -> String {
    super::visible(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// A text as part of a metric's name.
fn word(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect()
}
