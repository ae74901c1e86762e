//! From the records of a study's runs to verdicts.

use crate::{
    Claim, ClaimNeeds, ClaimRow, ClaimVerdict, JudgedClaim, JudgedRow, Quantity, RowGap, Study,
    StudyHost, StudyJudgement, StudyMode, StudySubject, quantity::Missing,
};
use shakedown_protocol::{HostFacts, RunRecord};
use shakedown_summary::{
    series::{Series, series},
    stats::{CONFIDENCE, Interval, median_interval_at},
};
use std::collections::BTreeMap;

/// What became of one run of a study.
#[derive(Debug, Clone, Default)]
pub struct StudyRecord {
    /// Its record; `None` if nothing was measured.
    pub record: Option<RunRecord>,
    /// The subjects that could not be had, and why.
    pub missing: BTreeMap<String, String>,
}

/// What this host lacks for a claim; `None` if it has all.
pub fn unmet_needs(needs: &ClaimNeeds, host: &HostFacts) -> Option<String> {
    let lacks = |feature: &&String| !host.cpu.features.contains(feature);
    if host.cpu.online < needs.cpus {
        Some(format!("needs {} CPUs; this host has {}", needs.cpus, host.cpu.online))
    } else {
        let lacking = needs.cpu_features.iter().find(lacks)?;
        Some(format!("needs a CPU with {lacking}; this host's has none"))
    }
}

/// Holds the records of a study's runs, by the runs' ids, against its claims. Each record is expected
/// to have passed [`RunRecord::validate`]. `host` is this one, where nothing was measured; a record names its own.
pub fn judge_study(
    study: &Study,
    mode: StudyMode,
    host: &HostFacts,
    records: &BTreeMap<String, StudyRecord>,
) -> StudyJudgement {
    let recorded: Vec<(&String, &RunRecord)> =
        records.iter().filter_map(|(id, run)| Some((id, run.record.as_ref()?))).collect();
    let series: BTreeMap<&String, Series<'_>> =
        recorded.iter().map(|(id, record)| (*id, series(record))).collect();
    let first = recorded.iter().map(|(_, record)| *record).min_by_key(|record| record.started_ms);
    let host = first.map_or(host, |record| &record.host);
    let judge = Judge { records, series };
    let claims = study.claims.iter().map(|claim| judge.claim(claim, host)).collect();
    StudyJudgement {
        study: study.name.clone(),
        question: study.question.clone(),
        method: study.method.clone(),
        differences: study.differences.clone(),
        source: study.source.clone(),
        mode,
        started_ms: first.map(|record| record.started_ms),
        host: StudyHost {
            name: host.name.clone(),
            cpu: host.cpu.model.clone(),
            cpus: host.cpu.online,
            virtualization: host.virtualization.clone(),
            epoch: host.epoch.id.clone(),
            fit: host.fit,
        },
        subjects: subjects(study, records),
        claims,
    }
}

fn subjects(study: &Study, records: &BTreeMap<String, StudyRecord>) -> Vec<StudySubject> {
    let mut found = Vec::new();
    for run in &study.runs {
        let made = records.get(&run.id);
        for subject in &run.subjects {
            let name = subject.to_string();
            let entries = made.and_then(|made| made.record.as_ref()).map(|record| &record.subjects);
            let entry = entries.and_then(|all| all.iter().find(|entry| entry.asked == *subject));
            found.push(StudySubject {
                run: run.id.clone(),
                built: entry.map(|entry| entry.artifact.subject.to_string()),
                stands_for: study.stands_for.get(&name).cloned(),
                missing: made.and_then(|made| made.missing.get(&name).cloned()),
                subject: name,
            });
        }
    }
    found
}

struct Judge<'a> {
    records: &'a BTreeMap<String, StudyRecord>,
    series: BTreeMap<&'a String, Series<'a>>,
}

impl Judge<'_> {
    fn claim(&self, claim: &Claim, host: &HostFacts) -> JudgedClaim {
        let why = claim.not_measured.clone().or_else(|| unmet_needs(&claim.needs, host));
        // One interval in twenty misses. Of several rows, each needs a wider one, so that a claim is
        // not refuted by having many of them.
        let confidence = 1.0 - (1.0 - CONFIDENCE) / claim.rows.len().max(1) as f64;
        let rows: Vec<JudgedRow> = claim
            .rows
            .iter()
            .filter_map(|row| self.row(claim, row, confidence, why.as_deref()))
            .collect();
        let verdicts: Vec<ClaimVerdict> = rows.iter().map(|row| row.verdict).collect();
        JudgedClaim {
            id: claim.id.clone(),
            text: claim.text.clone(),
            ours: claim.ours.clone(),
            verdict: ClaimVerdict::of_rows(&verdicts),
            why,
            confidence,
            rows,
        }
    }

    /// One row; `None` for one that [`Study::parse`] would have refused.
    fn row(
        &self,
        claim: &Claim,
        row: &ClaimRow,
        confidence: f64,
        why: Option<&str>,
    ) -> Option<JudgedRow> {
        let (of, to) = claim.quantities(row).ok()?;
        let accepted = claim.decision(row)?.range(row.published_value())?;
        let mut judged = JudgedRow {
            what: row.what.clone(),
            published: row.published_value(),
            published_as: row.published.clone(),
            published_unit: row.unit.clone(),
            unit: to.is_none().then(|| of.metric.unit()),
            measured: None,
            low: None,
            high: None,
            coverage: None,
            exact: false,
            n: 0,
            accepted,
            verdict: ClaimVerdict::NotMeasurable,
            gap: why.map(|why| RowGap::Here(why.to_owned())),
        };
        if why.is_some() {
            return Some(judged);
        }
        match self.measured(&of, to.as_ref(), confidence) {
            Ok((interval, n, exact)) => {
                judged.verdict = ClaimVerdict::of(&interval, confidence, &accepted);
                judged.set(&interval);
                (judged.n, judged.exact) = (n, exact);
            }
            Err(gap) => {
                if !gap.lasts() {
                    judged.verdict = ClaimVerdict::Undecided;
                }
                judged.gap = Some(gap);
            }
        }
        Some(judged)
    }

    /// The interval over the blocks, their number, and whether it is an exact count.
    fn measured(
        &self,
        of: &Quantity,
        to: Option<&Quantity>,
        confidence: f64,
    ) -> Result<(Interval, usize, bool), RowGap> {
        let above = self.values(of)?;
        let below = to.map(|to| self.values(to)).transpose()?;
        let values: Vec<f64> = match &below {
            None => above.values().copied().collect(),
            Some(below) => {
                let both = above.iter().filter_map(|(block, a)| Some((a, below.get(block)?)));
                both.filter(|(_, below)| **below != 0.0).map(|(a, b)| a / b).collect()
            }
        };
        let same = |values: &BTreeMap<u32, f64>| {
            values.len() > 1 && values.values().all(|value| Some(value) == values.values().next())
        };
        let counts = of.metric.is_count() && to.is_none_or(|to| to.metric.is_count());
        let exact = counts && same(&above) && below.as_ref().is_none_or(same);
        let interval = median_interval_at(&values, confidence);
        let interval =
            interval.ok_or_else(|| RowGap::Run("no block has the values of both".to_owned()))?;
        // What is the same each time needs no more repeats.
        let coverage = if exact { 1.0 } else { interval.coverage };
        Ok((Interval { coverage, ..interval }, values.len(), exact))
    }

    fn values(&self, quantity: &Quantity) -> Result<BTreeMap<u32, f64>, RowGap> {
        let Quantity { run, subject, .. } = quantity;
        let unmeasured = || RowGap::Run(format!("run {run} was not measured"));
        let made = self.records.get(run).ok_or_else(unmeasured)?;
        if let Some(why) = made.missing.get(&subject.to_string()) {
            return Err(RowGap::Here(why.clone()));
        }
        let both = made.record.as_ref().zip(self.series.get(run));
        let (record, series) = both.ok_or_else(unmeasured)?;
        quantity.values(record, series).map_err(|missing| match missing {
            Missing::Subject => RowGap::Run(format!("{subject} did not take part in run {run}")),
            Missing::Values(absence) => RowGap::Value { subject: subject.to_string(), absence },
        })
    }
}

#[cfg(test)]
mod tests;
