//! How a record was measured, in words, and a command that measures the same again.

use crate::builds;
use shakedown_gate::{Judgement, Reason};
use shakedown_protocol::{Aslr, RunPlan, RunRecord};

fn aslr(plan: &RunPlan) -> &'static str {
    match plan.aslr {
        Aslr::On => "another memory layout for each process",
        Aslr::Off => "the same memory layout for each process",
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
    let plural = if blocks == 1 { "" } else { "s" };
    format!("{blocks} block{plural} (at most {})", record.plan.blocks)
}

/// How a comparison is measured; see `shakedown_schedule::compare`.
pub(crate) fn comparison_method(record: &RunRecord, judgement: &Judgement) -> String {
    let plan = &record.plan;
    format!(
        "{}. Each block relinks both binaries with their sections in a random order. Within a block, each scenario is measured in ABBA groups of four fresh \
         processes: base, head, head, base, or the reverse (seed {}). Scenarios that are decided are not \
         measured again. {} ms of measuring after {} ms of warm-up, {}. A change is the mean over the blocks of \
         the trimmed mean of ln(head / base) over the pairs of a block.",
        extent(record, judgement),
        plan.seed,
        plan.measure_ms,
        plan.warm_up_ms,
        aslr(plan)
    )
}

pub(crate) fn method(record: &RunRecord) -> String {
    let plan = &record.plan;
    let aslr = aslr(plan);
    format!(
        "Suite \"{}\", {} blocks; in each, every subject runs each scenario once in a fresh process, in random order \
         (seed {}); {} ms of measuring after {} ms of warm-up, {aslr}. A number is the median over the processes. A factor is the median over the blocks of the ratio within each block.{}",
        plan.suite,
        plan.blocks,
        plan.seed,
        plan.measure_ms,
        plan.warm_up_ms,
        builds::of(record)
    )
}
