//! OpenMetrics 1.0 text, as Prometheus and others read it.

use crate::query::Trend;
use std::collections::BTreeMap;

/// The newest value of each series as gauges: the value, the ends of its interval, and the
/// trials behind it; one family a metric and unit.
pub fn openmetrics(trends: &[Trend]) -> String {
    let mut families: BTreeMap<(String, &str), Vec<&Trend>> = BTreeMap::new();
    for trend in trends.iter().filter(|trend| !trend.points.is_empty()) {
        let family = format!("shakedown_{}", word(&trend.series.metric));
        families.entry((family, &trend.series.unit)).or_default().push(trend);
    }
    let mut text = String::new();
    let mut last = String::new();
    for ((family, unit), members) in families {
        // Two units of one metric: another family, as a family has one meaning.
        let family = if family == last { format!("{family}_{}", word(unit)) } else { family };
        text += &format!(
            "# TYPE {family} gauge\n# HELP {family} Median of the trials in {}.\n",
            escape(unit)
        );
        for trend in members {
            let Some(point) = trend.points.last() else { continue };
            let at = point.started_ms as f64 / 1e3;
            for (quantity, value) in [
                ("median", point.median),
                ("low", point.low),
                ("high", point.high),
                ("n", f64::from(point.n)),
            ] {
                text += &format!(
                    "{family}{{{},quantity=\"{quantity}\"}} {value} {at}\n",
                    labels(trend)
                );
            }
        }
        last = family;
    }
    text += "# EOF\n";
    text
}

fn labels(trend: &Trend) -> String {
    let series = &trend.series;
    let epoch = trend.points.last().map_or("", |point| point.epoch.as_str());
    [
        ("subject", series.subject.as_str()),
        ("scenario", &series.scenario),
        ("side", &series.side),
        ("epoch", epoch),
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
