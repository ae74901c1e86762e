//! Whether a study's parts fit each other.

use crate::{Claim, ClaimRow, Quantity, Study, StudyError};
use shakedown_protocol::{Metric, Side};
use shakedown_summary::{
    series::{meter, possible},
    stats::{CONFIDENCE, median_interval_at},
};
use std::collections::BTreeSet;

impl Study {
    pub(crate) fn validate(&self) -> Result<(), StudyError> {
        let mut ids = BTreeSet::new();
        for run in &self.runs {
            let place = format!("run `{}`", run.id);
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if run.id.is_empty() || !run.id.chars().all(plain) || !ids.insert(&run.id) {
                return wrong(&place, "its id must be another one, of a-z, 0-9 and `-`");
            }
            let subjects: BTreeSet<_> = run.subjects.iter().collect();
            let scenarios: BTreeSet<_> = run.scenarios.iter().collect();
            if subjects.len() < run.subjects.len() || scenarios.len() < run.scenarios.len() {
                return wrong(&place, "a subject or scenario stands there twice");
            }
            if subjects.is_empty() || scenarios.is_empty() || run.meters.is_empty() {
                return wrong(&place, "it needs subjects, scenarios and meters");
            }
        }
        let measured: BTreeSet<String> =
            self.runs.iter().flat_map(|run| &run.subjects).map(ToString::to_string).collect();
        if let Some(other) = self.stands_for.keys().find(|name| !measured.contains(*name)) {
            return wrong("stands-for", &format!("no run has the subject {other}"));
        }
        let mut ids = BTreeSet::new();
        for claim in &self.claims {
            let place = format!("claim {}", claim.id);
            if !ids.insert(&claim.id) {
                return wrong(&place, "there is another one with this id");
            }
            if claim.rows.is_empty() != claim.not_measured.is_some() {
                return wrong(&place, "it needs rows, or `not-measured` that says why not");
            }
            for row in &claim.rows {
                let place = format!("{place}, row `{}`", row.what);
                let problem = self.row(claim, row);
                problem.map_or(Ok(()), |problem| wrong(&place, &problem))?;
            }
        }
        let times = self.full.times;
        if self.full.blocks == 0 || times.batch_ms == 0 || times.operations == 0 {
            return wrong("full", "blocks, batch-ms and operations must be more than 0");
        }
        Ok(())
    }

    /// What is wrong with a row.
    fn row(&self, claim: &Claim, row: &ClaimRow) -> Option<String> {
        let (of, to) = match claim.quantities(row) {
            Ok(quantities) => quantities,
            Err(part) => return Some(format!("nothing says which `{part}` is measured")),
        };
        let problem = [Some(&of), to.as_ref()].into_iter().flatten().find_map(|q| self.quantity(q));
        if problem.is_some() {
            return problem;
        }
        let pair = usize::from(to.is_some()) + 1;
        if row.published.len() > pair || !row.published.iter().all(|v| v.is_finite() && *v > 0.0) {
            return Some(
                "`published` has one number, or one for each quantity, above 0".to_owned(),
            );
        }
        let published = row.published_value();
        let range = claim.decision(row).and_then(|decision| decision.range(published));
        let Some(range) = range else {
            return Some(
                "it needs `decide`: within (with `published`), above, below or between".to_owned(),
            );
        };
        if published.is_some_and(|value| !range.holds(value, value)) {
            return Some("the published number itself would refute it".to_owned());
        }
        let counts = of.metric.is_count() && to.as_ref().is_none_or(|to| to.metric.is_count());
        if !counts && to.is_some_and(|to| to.run != of.run) {
            return Some(
                "times of different runs are not next to each other: only counts are compared"
                    .to_owned(),
            );
        }
        (!counts && !self.decides(claim.rows.len())).then(|| {
            format!(
                "{} blocks can't decide so many rows at once ({}): let the full form have more",
                self.full.blocks,
                claim.rows.len()
            )
        })
    }

    /// Whether the full form has enough blocks for intervals that hold for so many rows at once.
    fn decides(&self, rows: usize) -> bool {
        let confidence = 1.0 - (1.0 - CONFIDENCE) / rows as f64;
        let values = vec![1.0; self.full.blocks as usize];
        median_interval_at(&values, confidence).is_some_and(|i| i.coverage >= confidence)
    }

    /// What is wrong with a quantity.
    fn quantity(&self, quantity: &Quantity) -> Option<String> {
        let Quantity { run: id, subject, scenario, sides, metric } = quantity;
        let Some(run) = self.run(id) else { return Some(format!("there is no run `{id}`")) };
        if !run.subjects.contains(subject) {
            return Some(format!("run `{id}` has no subject {subject}"));
        }
        if !run.scenarios.contains(scenario) {
            return Some(format!("run `{id}` has no scenario {scenario}"));
        }
        let distinct: BTreeSet<&Side> = sides.iter().collect();
        let known = sides.iter().all(|side| scenario.sides().contains(side));
        if sides.is_empty() || distinct.len() < sides.len() || !known {
            return Some(format!("the sides of {scenario} are {:?}", scenario.sides()));
        }
        if !possible(scenario).contains(metric) || !run.meters.contains(&meter(*metric)) {
            return Some(format!("run `{id}` does not measure {metric} of {scenario}"));
        }
        let adds = !matches!(metric, Metric::LatencyP50 | Metric::LatencyP99 | Metric::PeakHeap);
        (sides.len() > 1 && !adds).then(|| format!("{metric} of two sides does not add up"))
    }
}

fn wrong(place: &str, problem: &str) -> Result<(), StudyError> {
    Err(StudyError::Contradiction { place: place.to_owned(), problem: problem.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = include_str!("fixture.toml");

    #[test]
    fn the_fixture_is_sound() {
        let study = Study::parse(STUDY).unwrap();
        assert_eq!(study.claims.len(), 3);
        assert_eq!(study.claims[0].runs(), ["versions"]);
    }

    /// Each mistake is told with its place.
    #[test]
    fn mistakes_are_told() {
        let cases = [
            ("published = [16300, 18806]", "published = [0, 1]"),
            ("decide = { within = 0.05 }", "decide = { above = 1.0 }"),
            ("decide = { within = 0.05 }", ""),
            ("sides = [\"client\", \"server\"], ", ""),
            ("sides = [\"client\", \"server\"]", "sides = [\"send\"]"),
            ("sides = [\"client\", \"server\"]", "sides = [\"client\", \"client\"]"),
            ("metric = \"handshakes\"", "metric = \"throughput\""),
            ("metric = \"handshakes\"", "metric = \"instructions\""),
            ("run = \"versions\"", "run = \"other\""),
            ("to = { subject = \"openssl@3.4.1\" }", "to = { subject = \"openssl@9\" }"),
            ("id = \"versions\"", "id = \"../versions\""),
            ("not-measured = ", "# "),
            ("blocks = 10", "blocks = 5"),
            ("blocks = 10", "block = 10"),
            ("id = \"4.3\"", "id = \"4.2\""),
            ("\"openssl@3.4.1\" = ", "\"openssl@3.4.1+clang\" = "),
        ];
        let told: Vec<String> = cases
            .iter()
            .map(|(sound, mistake)| {
                assert!(STUDY.contains(sound), "{sound}");
                let error = Study::parse(&STUDY.replacen(sound, mistake, 1)).unwrap_err();
                format!("{sound} -> {mistake}\n    {}", error.to_string().replace('\n', "\n    "))
            })
            .collect();
        insta::assert_snapshot!(told.join("\n"));
    }
}
