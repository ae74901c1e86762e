//! A command that measures the same again, with the same plan.

use crate::format::word;
use shakedown_protocol::{RunPlan, RunRecord};
use std::{collections::BTreeSet, path::Path};

/// Digits of a digest that are shown.
const DIGITS: usize = 12;
/// The policy that judges where none is named.
const USUAL_POLICY: &str = "thresholds/pr.toml";

/// `scripts/bench` for a run.
pub(crate) fn run_again(record: &RunRecord) -> String {
    let plan = &record.plan;
    let stacks: BTreeSet<&str> =
        record.subjects.iter().map(|entry| &*entry.artifact.subject.stack).collect();
    // Without it, subjects of several stacks are built as their stacks' reference builds.
    let as_named = if stacks.len() > 1 { " --as-named" } else { "" };
    let options = format!(" --blocks {} --seed {}{as_named}", plan.blocks, plan.seed);
    again("scripts/bench", record, &options)
}

/// `shakedown compare`, which ends by itself, with the policy whose budget it was measured with.
pub(crate) fn compare_again(record: &RunRecord, policy: &str) -> String {
    let mut options = format!(" --seed {}", record.plan.seed);
    let stacks =
        [0, 1].map(|side| record.subjects.get(side).map(|one| &one.artifact.subject.stack));
    if stacks[0] != stacks[1] {
        options += " --different-stacks";
    }
    again("shakedown compare", record, &(options + &policy_option(policy) + drivers(record)))
}

/// Subjects are named as they were built, so that no newer release takes their place.
fn again(command: &str, record: &RunRecord, options: &str) -> String {
    let mut line = format!("{command}{}{options}{}", plan(&record.plan), own_driver(record));
    for entry in &record.subjects {
        line = line + " " + &word(&entry.artifact.subject.to_string());
    }
    line
}

/// The options that give the same scenarios and instruments.
fn plan(plan: &RunPlan) -> String {
    format!(" --suite {}{}", word(&suite(plan)), choice(plan))
}

/// The options that choose out of a suite.
pub(crate) fn choice(plan: &RunPlan) -> String {
    let only = plan.only.iter().map(|pattern| format!(" --only {}", word(pattern)));
    let meters = plan.only_meters.iter().map(|meter| format!(" --meter {}", meter.name()));
    only.chain(meters).collect()
}

/// The suite as `--suite` takes it, with the digest of its file where that is known: a file that changed
/// since is refused.
pub(crate) fn suite(plan: &RunPlan) -> String {
    let name = suite_name(plan);
    let Some(file) = &plan.suite_file else { return name.to_owned() };
    let digest: String = file.sha256.chars().filter(char::is_ascii_hexdigit).take(DIGITS).collect();
    format!("{name}@sha256:{digest}")
}

/// The name of the suite, or the path of a file that is none of the catalog's.
pub(crate) fn suite_name(plan: &RunPlan) -> &str {
    let path = plan.suite_file.as_ref().and_then(|file| file.path.as_ref());
    path.unwrap_or(&plan.suite)
}

/// A policy that is not the usual one. The path of another machine is no use.
pub(crate) fn policy_option(policy: &str) -> String {
    let path = Path::new(policy);
    if policy.is_empty() || path.ends_with(USUAL_POLICY) || path.is_absolute() {
        return String::new();
    }
    format!(" --policy {}", word(policy))
}

/// A release that was measured with the drivers of two revisions of Shakedown, whose checkouts the reader has
/// to name.
pub(crate) fn drivers(record: &RunRecord) -> &'static str {
    match record.subjects.as_slice() {
        [base, head]
            if base.artifact.driver_sha256 != head.artifact.driver_sha256
                && base.artifact.subject == head.artifact.subject =>
        {
            " --base-drivers BASE --head-drivers HEAD"
        }
        _ => "",
    }
}

fn own_driver(record: &RunRecord) -> String {
    let mut folders = record.subjects.iter().filter_map(|one| one.artifact.own_driver.as_ref());
    folders.next().map(|folder| format!(" --own-driver {}", word(folder))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::{Meter, SuiteFile, fixture::comparison::comparison};

    const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

    #[test]
    fn the_line_has_all_that_chose_the_plan() {
        let mut record = comparison(&[(FULL, [1.0, 1.0])]);
        record.plan.only = vec!["handshake-*/**".to_owned()];
        record.plan.only_meters = vec![Meter::Time];
        let digest = "0123456789abcdef".repeat(4);
        record.plan.suite_file =
            Some(SuiteFile { path: Some("my own/suite.toml".to_owned()), sha256: digest });
        let all =
            "--suite 'my own/suite.toml@sha256:0123456789ab' --only 'handshake-*/**' --meter time";
        assert!(compare_again(&record, "ci/own.toml").contains(all));
        assert!(compare_again(&record, "ci/own.toml").contains(" --policy ci/own.toml "));
        for usual in ["", "/srv/shakedown/thresholds/pr.toml", "thresholds/pr.toml", "/tmp/x.toml"]
        {
            assert!(!compare_again(&record, usual).contains("--policy"), "{usual}");
        }
        assert!(run_again(&record).contains(all));
        record.plan.suite_file.as_mut().unwrap().path = None;
        assert!(run_again(&record).contains("--suite pr@sha256:0123456789ab "));
    }
}
