//! A claim, its rows, and what each of them measures.

use crate::{Decision, Quantity};
use serde::Deserialize;
use shakedown_protocol::{Metric, Scenario, Side, Subject};

/// The parts of a quantity that a file names; the others come from where it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuantityParts {
    /// Id of a run; that of the claim by default.
    pub run: Option<String>,
    /// Subject.
    pub subject: Option<Subject>,
    /// Scenario.
    pub scenario: Option<Scenario>,
    /// Sides.
    pub sides: Option<Vec<Side>>,
    /// Metric.
    pub metric: Option<Metric>,
}

impl QuantityParts {
    /// These parts, and those of `base` where they name none.
    fn over(&self, base: &Self) -> Self {
        let Self { run, subject, scenario, sides, metric } = self.clone();
        let base = base.clone();
        Self {
            run: run.or(base.run),
            subject: subject.or(base.subject),
            scenario: scenario.or(base.scenario),
            sides: sides.or(base.sides),
            metric: metric.or(base.metric),
        }
    }

    /// The quantity, or the name of the part that nothing names.
    fn whole(self) -> Result<Quantity, &'static str> {
        Ok(Quantity {
            run: self.run.ok_or("run")?,
            subject: self.subject.ok_or("subject")?,
            scenario: self.scenario.ok_or("scenario")?,
            sides: self.sides.ok_or("sides")?,
            metric: self.metric.ok_or("metric")?,
        })
    }
}

/// What a host must have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClaimNeeds {
    /// CPUs that are online, at least.
    #[serde(default)]
    pub cpus: u32,
    /// Instruction set extensions.
    #[serde(default)]
    pub cpu_features: Vec<String>,
}

/// One number of a claim.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClaimRow {
    /// What it is about, in a few words.
    pub what: String,
    /// What is measured; the claim's `of` has the parts that are not here.
    #[serde(default)]
    pub of: QuantityParts,
    /// What it is divided by; without this and the claim's `to`, the value itself is compared.
    pub to: Option<QuantityParts>,
    /// The published numbers: two that are divided like what is measured, or one.
    #[serde(default)]
    pub published: Vec<f64>,
    /// Unit of the published numbers.
    pub unit: Option<String>,
    /// What decides; the claim's by default.
    pub decide: Option<Decision>,
}

impl ClaimRow {
    /// The published number that a measurement is compared with.
    pub fn published_value(&self) -> Option<f64> {
        match self.published[..] {
            [of, to] => Some(of / to),
            [value] => Some(value),
            _ => None,
        }
    }
}

/// What a publication says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// Number in the table of published claims.
    pub id: String,
    /// What it says, in one sentence.
    pub text: String,
    /// What of it was not published: a threshold, or the whole question.
    pub ours: Option<String>,
    /// Why no scenario measures it. Then it has no rows.
    pub not_measured: Option<String>,
    /// What a host must have.
    #[serde(default)]
    pub needs: ClaimNeeds,
    /// Id of the run that measures it.
    pub run: Option<String>,
    /// What its rows measure, as far as these don't say it.
    #[serde(default)]
    pub of: QuantityParts,
    /// What its rows are divided by, as far as this differs from `of`.
    pub to: Option<QuantityParts>,
    /// What decides its rows.
    pub decide: Option<Decision>,
    /// Its numbers.
    #[serde(default, rename = "row")]
    pub rows: Vec<ClaimRow>,
}

impl Claim {
    /// What a row measures, and what that is divided by, if anything.
    ///
    /// # Errors
    /// The part of a quantity that neither row nor claim name.
    pub fn quantities(&self, row: &ClaimRow) -> Result<(Quantity, Option<Quantity>), &'static str> {
        let run = QuantityParts { run: self.run.clone(), ..QuantityParts::default() };
        let of = row.of.over(&self.of).over(&run);
        let to = match (&row.to, &self.to) {
            (None, None) => None,
            (own, shared) => {
                let [own, shared] = [own, shared].map(|parts| parts.clone().unwrap_or_default());
                Some(own.over(&shared).over(&of).whole()?)
            }
        };
        Ok((of.whole()?, to))
    }

    /// What decides a row.
    pub fn decision(&self, row: &ClaimRow) -> Option<Decision> {
        row.decide.or(self.decide)
    }

    /// The ids of the runs that it rests on.
    pub fn runs(&self) -> Vec<String> {
        let quantities = self.rows.iter().filter_map(|row| self.quantities(row).ok());
        let both = quantities.flat_map(|(of, to)| [Some(of), to]).flatten();
        let mut runs: Vec<String> = both.map(|quantity| quantity.run).collect();
        runs.sort();
        runs.dedup();
        runs
    }
}
