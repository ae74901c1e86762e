//! The verdict on the whole, its headline and its exit code.

use super::{
    compare::{Comparison, Detail},
    consequence::Consequence,
    input::Input,
};
use crate::rule::{SigmaSource, Verdict};
use serde::Serialize;
use shakedown_protocol::{Artifact, Meter, Scenario};
use std::collections::BTreeSet;

/// How many comparisons ended how. Those that can't fail are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Worse.
    pub regressed: usize,
    /// Worse, and accepted.
    pub accepted: usize,
    /// Better.
    pub improved: usize,
    /// Unchanged.
    pub unchanged: usize,
    /// Not decided.
    pub inconclusive: usize,
    /// Gone.
    pub missing: usize,
    /// Broken.
    pub broken: usize,
}

/// Everything that was decided about a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// Id of the record.
    pub run: String,
    /// Name of the policy's file.
    pub policy: String,
    /// Name of base.
    pub base: String,
    /// Name of head.
    pub head: String,
    /// Whether base and head are the same code: an A/A comparison.
    pub same_code: bool,
    /// Whether every timed comparison had noise of its own to be judged by.
    pub calibrated: bool,
    /// Timed tests that were judged jointly.
    pub tests: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// Exit code: 0 pass, 1 regressed, 5 inconclusive where the policy says that this fails.
    pub exit_code: u8,
    /// The verdict in one line.
    pub headline: String,
    /// Counts behind the headline.
    pub tally: Tally,
    /// What else differs between base and head than the change itself.
    pub differences: Vec<String>,
    /// What a reader must know, in words.
    pub warnings: Vec<String>,
    /// Every comparison, in the plan's order.
    pub comparisons: Vec<Comparison>,
}

impl Judgement {
    /// What further trials could still decide: scenarios, each with the instruments that are
    /// wanted.
    pub fn open(&self) -> BTreeSet<(Scenario, Meter)> {
        self.comparisons
            .iter()
            // A metric that can't fail is no reason to measure on.
            .filter(|found| found.open && found.settings.action > crate::policy::Action::Report)
            .map(|found| (found.scenario, shakedown_summary::series::meter(found.metric)))
            .collect()
    }
}

pub(super) fn judgement(input: &Input<'_>, comparisons: Vec<Comparison>) -> Judgement {
    let tally = tally(&comparisons);
    let worst = comparisons.iter().map(|found| found.consequence).max();
    let (base, head) = (&input.base.artifact, &input.head.artifact);
    let same_code = crate::calibrate::same_code(base, head);
    Judgement {
        run: input.record.id.clone(),
        policy: input.policy.file.clone(),
        base: input.base.name.clone(),
        head: input.head.name.clone(),
        same_code,
        calibrated: calibrated(&comparisons),
        tests: input.tests,
        verdict: verdict(&comparisons, worst),
        exit_code: match worst {
            Some(Consequence::Fail) => 1,
            Some(Consequence::Doubt) => 5,
            _ => 0,
        },
        headline: headline(&tally),
        tally,
        differences: differences(base, head),
        warnings: warnings(input, &comparisons),
        comparisons,
    }
}

/// The worst that fails; else doubt about anything that could have failed; else the good news.
fn verdict(comparisons: &[Comparison], worst: Option<Consequence>) -> Verdict {
    let fails = |verdict| {
        comparisons.iter().any(|c| c.consequence == Consequence::Fail && c.verdict == verdict)
    };
    let gated = |verdict| {
        comparisons
            .iter()
            .any(|c| c.verdict == verdict && c.settings.action > crate::policy::Action::Report)
    };
    if worst == Some(Consequence::Fail) {
        let order = [Verdict::Regressed, Verdict::Broken, Verdict::Missing];
        return order.into_iter().find(|&verdict| fails(verdict)).unwrap_or(Verdict::Regressed);
    }
    let order = [Verdict::Inconclusive, Verdict::Improved];
    order.into_iter().find(|&verdict| gated(verdict)).unwrap_or(Verdict::Pass)
}

fn tally(comparisons: &[Comparison]) -> Tally {
    let mut tally = Tally::default();
    for found in comparisons {
        if found.settings.action == crate::policy::Action::Report {
            continue;
        }
        *match found.verdict {
            _ if found.accepted.is_some() => &mut tally.accepted,
            Verdict::Pass => &mut tally.unchanged,
            Verdict::Regressed => &mut tally.regressed,
            Verdict::Improved => &mut tally.improved,
            Verdict::Inconclusive => &mut tally.inconclusive,
            Verdict::Missing => &mut tally.missing,
            Verdict::Broken => &mut tally.broken,
        } += 1;
    }
    tally
}

/// "2 regressed, 1 improved, 57 unchanged, 1 inconclusive".
fn headline(tally: &Tally) -> String {
    let parts = [
        (tally.broken, "broken"),
        (tally.missing, "missing"),
        (tally.regressed, "regressed"),
        (tally.accepted, "accepted"),
        (tally.improved, "improved"),
        (tally.unchanged, "unchanged"),
        (tally.inconclusive, "inconclusive"),
    ];
    let told: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if told.is_empty() { "nothing was judged".to_owned() } else { told.join(", ") }
}

fn calibrated(comparisons: &[Comparison]) -> bool {
    comparisons.iter().all(|found| match &found.detail {
        Detail::Wall(wall) => wall.sigma.source != SigmaSource::Default,
        _ => true,
    })
}

/// Whatever differs besides the library's own source, in words: it may be the cause of a change.
pub fn differences(base: &Artifact, head: &Artifact) -> Vec<String> {
    let mut found = Vec::new();
    let mut differ = |what: &str, base: String, head: String| {
        if base != head {
            found.push(format!("{what}: {base} -> {head}"));
        }
    };
    let compilers = |artifact: &Artifact| {
        let all: Vec<&str> = artifact.compilers.iter().map(|c| c.comment.as_str()).collect();
        all.join(", ")
    };
    differ("driver", base.driver.clone(), head.driver.clone());
    differ("driver sources", short(&base.driver_sha256), short(&head.driver_sha256));
    differ("flags", base.flags.join(" "), head.flags.join(" "));
    differ("rustc", base.rustc.clone(), head.rustc.clone());
    differ("compilers", compilers(base), compilers(head));
    let names: BTreeSet<&String> = base.environment.keys().chain(head.environment.keys()).collect();
    let value =
        |from: &Artifact, name: &str| from.environment.get(name).cloned().unwrap_or_default();
    for name in names {
        differ(name, value(base, name), value(head, name));
    }
    for (surface, base, head) in variants(base, head) {
        differ(&format!("driver's {surface}"), base, head);
    }
    let names: BTreeSet<&String> = base.crates.keys().chain(head.crates.keys()).collect();
    let value = |from: &Artifact, name: &str| {
        from.crates.get(name).map_or("absent".to_owned(), |sum| short(sum))
    };
    for name in names {
        differ(&format!("crate {name}"), value(base, name), value(head, name));
    }
    found
}

/// Parts of the library's API that the driver uses in different forms.
fn variants(base: &Artifact, head: &Artifact) -> Vec<(String, String, String)> {
    let names: BTreeSet<&String> = base.surfaces.keys().chain(head.surfaces.keys()).collect();
    let form = |from: &Artifact, name: &String| {
        from.surfaces.get(name).map_or_else(|| "absent".to_owned(), Clone::clone)
    };
    let all = names.into_iter().map(|name| (name.clone(), form(base, name), form(head, name)));
    all.filter(|(_, base, head)| base != head).collect()
}

fn short(digest: &str) -> String {
    digest.chars().take(20).collect()
}

fn warnings(input: &Input<'_>, comparisons: &[Comparison]) -> Vec<String> {
    let mut warnings = Vec::new();
    if !calibrated(comparisons) {
        warnings.push(
            "this host is not calibrated: large noise is assumed, and only what is far beyond the margin fails"
                .to_owned(),
        );
    }
    if input.base.artifact.links.len() < 2 || input.head.artifact.links.len() < 2 {
        warnings.push("not relinked: luck of the layout may look like a change".to_owned());
    }
    let moved = variants(&input.base.artifact, &input.head.artifact);
    if !moved.is_empty() {
        let names: Vec<&str> = moved.iter().map(|(name, ..)| name.as_str()).collect();
        warnings.push(format!(
            "the library's API differs ({}): part of a change may be the driver's own cost",
            names.join(", ")
        ));
    }
    if !input.finished() {
        warnings.push("the run was not finished".to_owned());
    }
    warnings
}
