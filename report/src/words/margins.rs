//! What the verdicts of a judgement mean in numbers.

use serde::Serialize;
use shakedown_gate::{Judgement, policy::Share};
use shakedown_protocol::Metric;

/// What reports call the margin.
pub const TOLERATED: &str = "tolerated up to";

/// What reports call the non-inferiority margin.
pub const UNCHANGED: &str = "unchanged below";

/// What the verdicts mean, as the gate decides them.
pub fn definitions(judgement: &Judgement) -> Vec<String> {
    let mut lines = vec![
        "Regressed or improved: worse or better by more than is tolerated. For a count, the whole range lies beyond \
         that limit plus what chance can add (signatures vary in length, for example). For a time, the estimate lies \
         beyond the limit by more than noise explains, and the median of each fifth of the pairs lies beyond it too, with at most \
         one exception."
            .to_owned(),
        "Unchanged: neither regressed nor improved, and any change for the worse is smaller than the limit under \
         \"unchanged below\". For a count, the whole range shows that; for a time, a one-sided 95 % interval does."
            .to_owned(),
        "Inconclusive: the measurement shows neither a change nor that there is none.".to_owned(),
    ];
    if judgement.tests > 0 && judgement.false_alarms > 0.0 {
        let share = Share(judgement.false_alarms);
        lines.push(format!(
            "False alarms: of comparisons of unchanged code, at most {share} fail because of a timed metric, however \
             many scenarios they have."
        ));
    }
    lines
}

/// The margin and the non-inferiority margin of some metrics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetricMargins {
    /// The margin: what is tolerated.
    pub tolerated: String,
    /// The non-inferiority margin: what is ruled out where nothing changed.
    pub unchanged: String,
    /// The metrics; with scenarios, where a metric has different margins in others.
    pub metrics: String,
}

/// One metric, and the scenarios in which it has the margins of its group.
type MetricScenarios = (Metric, Vec<String>);

/// The margins of all metrics that were gated, each pair once.
pub fn margins(judgement: &Judgement) -> Vec<MetricMargins> {
    let mut groups: Vec<([Share; 2], Vec<MetricScenarios>)> = Vec::new();
    for found in judgement.comparisons.iter().filter(|found| found.is_gated()) {
        let settings = &found.settings;
        let both = [settings.margin, settings.non_inferiority_margin].map(Share);
        let place = groups.iter().position(|(margins, _)| *margins == both).unwrap_or_else(|| {
            // Next to the others of the same metric.
            let alike = |(_, metrics): &(_, Vec<MetricScenarios>)| {
                metrics.iter().any(|(metric, _)| *metric == found.metric)
            };
            let place = groups.iter().rposition(alike).map_or(groups.len(), |place| place + 1);
            groups.insert(place, (both, Vec::new()));
            place
        });
        let metrics = &mut groups[place].1;
        let scenario = found.scenario.to_string();
        match metrics.iter_mut().find(|(metric, _)| *metric == found.metric) {
            Some((_, scenarios)) => scenarios.push(scenario),
            None => metrics.push((found.metric, vec![scenario])),
        }
    }
    let named = |group: usize, (metric, own): &MetricScenarios| {
        let others = groups.iter().enumerate().filter(|(other, _)| *other != group);
        let others = others.flat_map(|(_, (_, metrics))| metrics);
        let others: Vec<&String> =
            others.filter(|(other, _)| other == metric).flat_map(|(_, ids)| ids).collect();
        if others.is_empty() {
            metric.to_string()
        } else {
            format!("{metric} ({})", told_apart(&own.iter().collect::<Vec<_>>(), &others))
        }
    };
    let row = |(group, ([tolerated, unchanged], metrics)): (
        usize,
        &([Share; 2], Vec<MetricScenarios>),
    )| {
        let metrics: Vec<String> = metrics.iter().map(|one| named(group, one)).collect();
        MetricMargins {
            tolerated: tolerated.to_string(),
            unchanged: unchanged.to_string(),
            metrics: metrics.join(", "),
        }
    };
    groups.iter().enumerate().map(row).collect()
}

/// Which scenarios these are: by the part of their ids that the others lack, or the other way round.
fn told_apart(own: &[&String], others: &[&String]) -> String {
    let has = |id: &String, part: &str| id.split('/').any(|one| one == part);
    let common = |all: &[&String], none: &[&String]| {
        let mut parts = all.first()?.split('/');
        let only =
            |part: &str| all.iter().all(|id| has(id, part)) && !none.iter().any(|id| has(id, part));
        parts.find(|part| only(part)).map(str::to_owned)
    };
    if let Some(part) = common(own, others) {
        return part;
    }
    match (common(others, own), own) {
        (Some(part), _) => format!("all but {part}"),
        (None, [one]) => (*one).clone(),
        (None, _) => format!("{} scenarios", own.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::fixture::comparison::comparison;

    const ECDSA: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    const RSA: &str = "handshake-full/tls1.3/aes256-gcm/x25519/rsa-2048";

    #[test]
    fn a_metric_with_two_margins_says_where_each_holds() {
        let record = comparison(&[(ECDSA, [1.0, 1.0]), (RSA, [1.0, 1.0])]);
        let policy = shakedown_gate::Policy::shipped().unwrap();
        let mut judgement = shakedown_gate::judge(&record, &policy).unwrap();
        let all = margins(&judgement);
        let of = |all: &[MetricMargins], name: &str| {
            let rows = all.iter().filter(|row| row.metrics.contains(name));
            rows.map(|row| format!("{} {} {}", row.tolerated, row.unchanged, row.metrics))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&all, "handshakes").len(), 1);
        assert!(!of(&all, "handshakes")[0].contains('('), "{all:?}");
        for found in &mut judgement.comparisons {
            if found.scenario.to_string() == RSA && found.metric == Metric::Handshakes {
                found.settings.non_inferiority_margin = 0.06;
            }
        }
        let told = of(&margins(&judgement), "handshakes");
        assert!(told[0].contains("handshakes (ecdsa-p256)"), "{told:?}");
        assert_eq!(told[1], "1 % 6 % handshakes (rsa-2048)");
    }

    #[test]
    fn what_no_part_tells_apart_is_counted() {
        let ids = |all: &[&str]| all.iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
        let apart = |own: &[&str], others: &[&str]| {
            let (own, others) = (ids(own), ids(others));
            told_apart(&own.iter().collect::<Vec<_>>(), &others.iter().collect::<Vec<_>>())
        };
        assert_eq!(apart(&["a/x", "b/x"], &["a/y"]), "x");
        assert_eq!(apart(&["a/x", "b/z"], &["a/y"]), "all but y");
        assert_eq!(apart(&["a/x"], &["a/y", "b/x"]), "a/x");
        assert_eq!(apart(&["a/x", "b/y"], &["a/y", "b/x"]), "2 scenarios");
    }
}
