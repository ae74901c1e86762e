//! How a record was measured, in words, and a command that measures the same again.

use crate::{builds, format::word};
use shakedown_protocol::{Aslr, RunPlan, RunRecord};
use std::collections::BTreeSet;

fn aslr(plan: &RunPlan) -> &'static str {
    match plan.aslr {
        Aslr::On => "another memory layout for each process",
        Aslr::Off => "the same memory layout for each process",
    }
}

/// How much of a comparison's plan was measured, in few words.
pub(crate) fn extent(record: &RunRecord) -> String {
    let plan = &record.plan;
    let blocks = record.trials.iter().map(|trial| trial.block + 1).max().unwrap_or(0);
    format!("Suite \"{}\", {blocks} of at most {} blocks", plan.suite, plan.blocks)
}

/// How a comparison is measured; see `shakedown_schedule::compare`.
pub(crate) fn comparison_method(record: &RunRecord) -> String {
    let plan = &record.plan;
    format!(
        "{}. Each block runs one link of base and of head, with the \
         sections in an order of its own. Within a block, each scenario is measured in ABBA groups of four fresh \
         processes: base, head, head, base, or the reverse (seed {}). Scenarios that are decided are not \
         measured again. {} ms of measuring after {} ms of warm-up, {}. A change is the mean over the blocks of \
         the trimmed mean of ln(head / base) over the pairs of a block.",
        extent(record),
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
         (seed {}); {} ms of measuring after {} ms of warm-up, {aslr}. A number is the median over the processes; a factor is the median over the blocks of the ratio within the block.{}",
        plan.suite,
        plan.blocks,
        plan.seed,
        plan.measure_ms,
        plan.warm_up_ms,
        builds::of(record)
    )
}

/// One command that measures the same again: `scripts/bench` for a run.
pub(crate) fn run_again(record: &RunRecord) -> String {
    let plan = &record.plan;
    let stacks: BTreeSet<&str> =
        record.subjects.iter().map(|entry| &*entry.artifact.subject.stack).collect();
    // Without it, subjects of several stacks are built as their stacks' reference builds.
    let as_named = if stacks.len() > 1 { " --as-named" } else { "" };
    let mut own_driver = record.subjects.iter().filter_map(|one| one.artifact.own_driver.as_ref());
    let own_driver = own_driver.next().map(|folder| format!(" --own-driver {}", word(folder)));
    let own_driver = own_driver.unwrap_or_default();
    let options = format!(" --blocks {} --seed {}{as_named}{own_driver}", plan.blocks, plan.seed);
    again("scripts/bench", record, &options)
}

/// The same for a comparison, which ends by itself.
pub(crate) fn compare_again(record: &RunRecord) -> String {
    let seed = format!(" --seed {}", record.plan.seed);
    let stacks =
        [0, 1].map(|side| record.subjects.get(side).map(|one| &one.artifact.subject.stack));
    let different = if stacks[0] == stacks[1] { "" } else { " --different-stacks" };
    again("shakedown compare", record, &(seed + different))
}

/// Subjects are named as they were built, so that no newer release takes their place.
fn again(command: &str, record: &RunRecord, options: &str) -> String {
    let suite = word(&record.plan.suite);
    let mut line = format!("{command} --suite {suite}{}{options}", only(record));
    for entry in &record.subjects {
        line = line + " " + &word(&entry.artifact.subject.to_string());
    }
    line
}

/// The options that choose the same scenarios out of the suite.
pub(crate) fn only(record: &RunRecord) -> String {
    record.plan.only.iter().map(|pattern| format!(" --only {}", word(pattern))).collect()
}
