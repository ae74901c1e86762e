//! The explanation of a record, as a stranger hands it over: it must be one of that very record, and no
//! longer than the tool makes one. Who measured chose every text and number in it.

use super::{IntakeLimits, IntakeRefusal, quoted, text_of};
use shakedown_culprits::{
    ComparisonExplanation, Culprit, EXPLANATION, SideExplanation, SitesExplanation, record_sha256,
};
use shakedown_protocol::{RunRecord, Scenario};

/// Entries of any list in it, but for the stacks.
const LIST: usize = 256;
/// Stacks of the flame graph.
const STACKS: usize = 20_000;
/// Functions on one stack.
const DEPTH: usize = 64;
/// Characters of a function's name. Generic ones are long.
const NAME: usize = 2000;
/// Instructions, bytes or allocations of an operation. The sum over all stacks is still a whole number of 64 bits.
const NUMBER: f64 = 1e12;
/// Parts of a change that others cancel may be larger than the whole.
const SHARE: f64 = 1e4;

/// Reads the explanation of the record whose file has the bytes `file`.
pub(super) fn read(
    bytes: &[u8],
    (record, file): (&RunRecord, &[u8]),
    limits: &IntakeLimits,
) -> Result<ComparisonExplanation, IntakeRefusal> {
    // Far fewer values than a record has.
    let limits = IntakeLimits { values: limits.values.min(400_000), ..*limits };
    let text = text_of(bytes, (EXPLANATION, limits.explanation), &limits)?;
    let found: ComparisonExplanation = serde_json::from_str(text)
        .map_err(|error| IntakeRefusal::Explanation(quoted(&error.to_string())))?;
    check(&found, record, file).map_err(|why| IntakeRefusal::Explanation(why.to_owned()))?;
    // What has one cause is found again from the numbers.
    Ok(found.grouped())
}

fn check(
    found: &ComparisonExplanation,
    record: &RunRecord,
    file: &[u8],
) -> Result<(), &'static str> {
    let names: Vec<&str> = record.subjects.iter().map(|entry| entry.name.as_str()).collect();
    let of_this = found.record_sha256 == record_sha256(file)
        && found.run == record.id
        && names == [&found.base, &found.head];
    if !of_this {
        return Err("it explains another record");
    }
    let known = |scenario: &Scenario| record.plan.scenarios.contains(scenario);
    let mut scenarios = found
        .sides
        .iter()
        .map(|side| &side.scenario)
        .chain(found.allocations.iter().chain(&found.memory).map(|one| &one.scenario))
        .chain(&found.not_profiled)
        .chain(found.failed.iter().map(|(scenario, _)| scenario));
    if !scenarios.all(known) {
        return Err("it names a scenario that the record does not have");
    }
    let long = [found.sides.len(), found.allocations.len(), found.memory.len()]
        .into_iter()
        .chain([found.causes.len(), found.not_profiled.len(), found.failed.len()])
        .any(|length| length > LIST);
    if long || found.stacks.len() > STACKS {
        return Err("it is longer than the tool makes one");
    }
    let stacks = found.stacks.iter().all(|(stack, both)| {
        stack.split(';').count() <= DEPTH && stack.split(';').all(name) && both.iter().all(number)
    });
    let failed = found.failed.iter().all(|(_, why)| name(why));
    let sites = found.allocations.iter().chain(&found.memory).all(|one| sites(&one.sites));
    if stacks && failed && sites && found.sides.iter().all(side) {
        Ok(())
    } else {
        Err("a name or a number in it is none that the tool writes")
    }
}

fn name(text: &str) -> bool {
    text.chars().count() <= NAME && !text.chars().any(char::is_control)
}

fn number(value: &f64) -> bool {
    value.abs() <= NUMBER
}

fn named(list: &[(String, f64)]) -> bool {
    list.len() <= LIST && list.iter().all(|(text, value)| name(text) && number(value))
}

fn side(one: &SideExplanation) -> bool {
    let found = &one.explanation;
    let short = [one.metrics.len(), found.culprits.len(), found.events.len()];
    let events = found.events.iter().all(|event| {
        name(&event.event) && event.values.iter().all(number) && named(&event.functions)
    });
    short.into_iter().all(|length| length <= LIST)
        && found.total.iter().chain([&found.remainder]).all(number)
        && events
        && found.culprits.iter().all(culprit)
}

fn culprit(one: &Culprit) -> bool {
    let pairs = one.own.iter().chain(&one.inclusive).chain(&one.entries);
    name(&one.function)
        && one.renamed_from.as_deref().is_none_or(name)
        && pairs.chain([&one.change]).all(number)
        && one.share.abs() <= SHARE
        && named(&one.calls)
        && named(&one.files)
}

fn sites(found: &SitesExplanation) -> bool {
    let totals = [found.allocations, found.bytes, found.peak];
    let each = found.sites.iter().all(|site| {
        let pairs = [site.allocations, site.bytes, site.at_peak];
        name(&site.function)
            && site.callers.len() <= LIST
            && site.callers.iter().all(|caller| name(caller))
            && pairs.iter().flatten().all(number)
    });
    found.sites.len() <= LIST && totals.iter().flatten().all(number) && each
}

#[cfg(test)]
mod tests;
