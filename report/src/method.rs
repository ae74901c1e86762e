//! How a record was measured, in words, and a command that measures the same again.

use crate::{builds, words::plural};
use shakedown_gate::{Judgement, Reason};
use shakedown_protocol::{Aslr, CountTiming, Meter, RunPlan, RunRecord};
use std::collections::BTreeMap;

fn aslr(plan: &RunPlan) -> &'static str {
    match plan.aslr {
        Aslr::On => "another memory layout for each process",
        Aslr::Off => "the same memory layout for each process",
    }
}

/// When counts were taken, where that is not as usual.
fn counts(plan: &RunPlan) -> &'static str {
    match plan.counts {
        Some(CountTiming::BesideTimes) => {
            " Counts were taken on another CPU while times were measured."
        }
        Some(CountTiming::AfterTimes) | None => "",
    }
}

/// How much of a comparison's plan was measured, in few words.
pub(crate) fn extent(record: &RunRecord, judgement: &Judgement) -> String {
    let timed = || judgement.comparisons.iter().filter(|found| !found.metric.is_count());
    let lost = timed().count() > 0 && timed().all(|found| found.reason == Reason::NoBlocks);
    let usable = if lost { ", none usable for times" } else { "" };
    format!("Suite \"{}\", {}{usable}", record.plan.suite, blocks(record))
}

fn blocks(record: &RunRecord) -> String {
    let blocks = record.trials.iter().map(|trial| trial.block + 1).max().unwrap_or(0);
    format!("{} (at most {})", plural(blocks, "block", "blocks"), record.plan.blocks)
}

/// How a comparison is measured; see `shakedown_schedule::compare`.
pub(crate) fn comparison_method(record: &RunRecord, judgement: &Judgement) -> String {
    let plan = &record.plan;
    format!(
        "{}. Each {} relinks both binaries with their sections in a random order. Within a block, each scenario is measured in ABBA groups of four fresh \
         processes: base, head, head, base, or the reverse (seed {}). Scenarios that are decided are not \
         measured again. {} ms of measuring after {} ms of warm-up, {}. A change is the trimmed mean of \
         ln(head / base) over all pairs.{}",
        extent(record, judgement),
        if a_link_for_each_pair(record) { "pair of trials" } else { "block" },
        plan.seed,
        plan.measure_ms,
        plan.warm_up_ms,
        aslr(plan),
        counts(plan)
    )
}

/// Whether the pairs of one block have different links; in older comparisons they share one.
fn a_link_for_each_pair(record: &RunRecord) -> bool {
    let mut links = BTreeMap::new();
    let mut timed = record.trials.iter().filter(|trial| trial.meter == Meter::Time);
    timed.any(|trial| {
        let place = (&trial.subject, trial.scenario, trial.block);
        *links.entry(place).or_insert(trial.link) != trial.link
    })
}

pub(crate) fn method(record: &RunRecord) -> String {
    let plan = &record.plan;
    let aslr = aslr(plan);
    format!(
        "Suite \"{}\", {} blocks; in each, every subject runs each scenario once in a fresh process, in random order \
         (seed {}); {} ms of measuring after {} ms of warm-up, {aslr}. A number is the median over the processes. A factor is the median over the blocks of the ratio within each block.{}{}",
        plan.suite,
        plan.blocks,
        plan.seed,
        plan.measure_ms,
        plan.warm_up_ms,
        counts(plan),
        builds::of(record)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::fixture;

    #[test]
    fn a_run_says_that_it_counted_beside_times() {
        let mut record = fixture::record("e", Vec::new(), &[]);
        let said = |record: &RunRecord| method(record).contains("while times were measured");
        assert!(!said(&record));
        record.plan.counts = Some(CountTiming::AfterTimes);
        assert!(!said(&record));
        record.plan.counts = Some(CountTiming::BesideTimes);
        assert!(said(&record));
    }
}
