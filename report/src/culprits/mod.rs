//! Culprits in words and pictures: the functions and allocation sites behind a comparison's changes.

mod brief;
mod flame;
mod outside;
mod text;
mod traffic;

pub use brief::BriefCause;
pub use flame::{FlameError, flame_graph};
pub use outside::outside_of_instructions;
pub use text::{explanation_text, profile_text};

use crate::format::{number, plain, signed_percent};
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use shakedown_culprits::{
    AllocationExplanation, ComparisonExplanation, Culprit, CulpritGroup, SideExplanation,
    SiteChange, SitesExplanation, short,
};
use traffic::traffic_words;

/// What explains a comparison, ready to be laid out.
#[derive(Debug, Default, serde::Serialize)]
pub struct Why {
    /// The functions in which changes arise, the largest first.
    pub causes: Vec<CauseWords>,
    /// Scenarios whose allocations, memory of a session, or bytes on the wire changed.
    pub places: Vec<PlacesWords>,
    /// Sentences about times that changed without their instructions.
    pub outside: Vec<String>,
    /// What is said where all was looked into and nothing explains a change.
    pub nothing: Option<&'static str>,
    /// What could not be explained, and why.
    pub missing: Vec<String>,
    /// The differential flame graph, as the address of an image.
    pub flame_graph: Option<String>,
}

/// The allocations, the memory of a session, or the bytes on the wire of one scenario.
#[derive(Debug, serde::Serialize)]
pub struct PlacesWords {
    /// What is explained, and of which scenario.
    pub title: String,
    /// Totals of base and head.
    pub totals: String,
    /// The places that changed.
    pub sites: Vec<PlaceWords>,
    /// What can't be seen.
    pub note: Option<&'static str>,
}

/// A place that allocates, or a part of a message.
#[derive(Debug, serde::Serialize)]
pub struct PlaceWords {
    /// The function, or the part of the message.
    pub function: String,
    /// Its callers, the innermost first.
    pub callers: Vec<String>,
    /// What changed.
    pub change: String,
}

const NOTHING: &str =
    "No function explains a change: the instructions of base and head are the same.";

impl Why {
    /// The words for an explanation.
    pub fn new(found: &ComparisonExplanation) -> Self {
        let allocation = |one: &AllocationExplanation| PlacesWords {
            title: format!("Allocations of {}", one.scenario),
            totals: totals(&one.sites),
            sites: one.sites.sites.iter().map(site_words).collect(),
            note: None,
        };
        let memory = |one: &AllocationExplanation| PlacesWords {
            title: format!("Memory of one more session, {}", one.scenario),
            totals: totals_of_session(&one.sites),
            sites: one.sites.sites.iter().map(session_words).collect(),
            note: None,
        };
        let skipped = found.not_profiled.iter();
        let skipped = skipped.map(|scenario| format!("{scenario}: not profiled (--most)"));
        let failed = found.failed.iter();
        let failed = failed.map(|(scenario, why)| format!("{scenario}: {}", plain(why)));
        // A report without its picture is still a report.
        let svg = flame_graph(found).ok().flatten();
        let causes = causes(found);
        let allocations = found.allocations.iter().map(allocation);
        let places: Vec<PlacesWords> = allocations
            .chain(found.memory.iter().map(memory))
            .chain(found.traffic.iter().map(traffic_words))
            .collect();
        let outside = outside_of_instructions(found);
        let missing: Vec<String> = skipped.chain(failed).collect();
        let found_none = causes.is_empty() && places.is_empty() && outside.is_empty();
        Self {
            causes,
            places,
            outside,
            // What could not be profiled may have changed.
            nothing: (found_none && missing.is_empty()).then_some(NOTHING),
            missing,
            flame_graph: svg.map(|svg| format!("data:image/svg+xml;base64,{}", BASE64.encode(svg))),
        }
    }
}

/// Base and head, or one number where both are the same.
fn pair([base, head]: [f64; 2], what: &str) -> String {
    let (base, head) = (exact(base), exact(head));
    if base == head { format!("{base} {what}") } else { format!("{base} → {head} {what}") }
}

fn totals_of_session(sites: &SitesExplanation) -> String {
    pair(sites.peak, "B/session on the heap")
}

/// A place whose memory is that of one more session.
fn session_words(site: &SiteChange) -> PlaceWords {
    let [base, head] = site.at_peak;
    PlaceWords { change: format!("{} B/session", signed(head - base)), ..site_words(site) }
}

fn totals(sites: &SitesExplanation) -> String {
    let all = [
        pair(sites.allocations, "allocations/op"),
        pair(sites.bytes, "B/op"),
        pair(sites.peak, "B at the peak"),
    ];
    all.join(", ") + ", both ends together"
}

fn site_words(site: &SiteChange) -> PlaceWords {
    let moved = |[base, head]: [f64; 2], what: &str| {
        let change = head - base;
        (change.abs() >= 0.05).then(|| format!("{} {what}", signed(change)))
    };
    let changes = [
        moved(site.allocations, "allocations/op"),
        moved(site.bytes, "B/op"),
        moved(site.at_peak, "B at the peak"),
    ];
    PlaceWords {
        function: plain(&short(&site.function)),
        callers: site.callers.iter().map(|name| plain(&short(name))).collect(),
        change: changes.into_iter().flatten().collect::<Vec<_>>().join(", "),
    }
}

/// Functions that are named beside the first one.
const OTHERS: usize = 3;

/// One cause, in the words that every form of the report uses.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct CauseWords {
    /// The function, by the name that people use.
    pub function: String,
    /// Its whole name.
    pub full_name: String,
    /// Its name in base, where that is another one.
    pub renamed_from: Option<String>,
    /// `+4,312 instructions/op, 98 % of the change`.
    pub change: String,
    /// What changed in it, one sentence each.
    pub details: Vec<String>,
    /// Other functions in which part of the same change arises, with their shares.
    pub others: Vec<BriefCause>,
    /// The sides that it explains: scenario, side, change of its instructions.
    pub sides: Vec<[String; 3]>,
    /// `2 sides, +1.3 % to +6.3 %`.
    pub extent: String,
}

/// The causes of what changed, the largest first.
pub fn causes(found: &ComparisonExplanation) -> Vec<CauseWords> {
    found.causes.iter().filter_map(|cause| cause_words(found, cause)).collect()
}

fn cause_words(found: &ComparisonExplanation, cause: &CulpritGroup) -> Option<CauseWords> {
    let members: Vec<&SideExplanation> =
        cause.members.iter().filter_map(|at| found.sides.get(*at)).collect();
    let culprit = members.first()?.explanation.culprits.first()?;
    let side = |one: &&SideExplanation| {
        let change = signed_percent(one.explanation.relative());
        [one.scenario.to_string(), one.side.to_string(), change]
    };
    let [low, high] = cause.range.map(signed_percent);
    let count = members.len();
    let extent = match count {
        1 => format!("1 side, {high}"),
        _ if low == high => format!("{count} sides, {high}"),
        _ => format!("{count} sides, {low} to {high}"),
    };
    Some(CauseWords {
        function: plain(&short(&culprit.function)),
        full_name: plain(&culprit.function),
        renamed_from: culprit.renamed_from.as_deref().map(plain),
        change: change_words(culprit),
        details: details(culprit),
        others: members.first()?.explanation.culprits[1..]
            .iter()
            .take(OTHERS)
            .map(|one| BriefCause {
                function: plain(&short(&one.function)),
                change: change_words(one),
            })
            .collect(),
        sides: members.iter().map(side).collect(),
        extent,
    })
}

fn change_words(culprit: &Culprit) -> String {
    let share = (culprit.share * 100.0).round();
    format!("{} instructions/op, {share} % of the change", signed(culprit.change))
}

fn signed(change: f64) -> String {
    let sign = if change < 0.0 { "-" } else { "+" };
    format!("{sign}{}", exact(change.abs()))
}

/// A count, which is exact: without the zeros that would say how exact.
fn exact(value: f64) -> String {
    // A zero has no sign.
    let text = number(value + 0.0);
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

fn details(culprit: &Culprit) -> Vec<String> {
    let mut all = Vec::new();
    let [base, head] = culprit.own.map(exact);
    if base != head {
        all.push(format!("its own code: {base} → {head} instructions/op"));
    }
    let [base, head] = culprit.entries.map(exact);
    if base != head {
        all.push(format!("entered {base} → {head} times an operation"));
    }
    if !culprit.calls.is_empty() {
        all.push(format!("what it calls: {}", signed_list(&culprit.calls, short)));
    }
    if culprit.files.len() > 1 {
        all.push(format!("by source file: {}", signed_list(&culprit.files, str::to_owned)));
    }
    if !culprit.lines.is_empty() {
        all.push(format!("by source line: {}", signed_list(&culprit.lines, str::to_owned)));
    }
    all
}

fn signed_list(list: &[(String, f64)], name: impl Fn(&str) -> String) -> String {
    let one =
        |(text, change): &(String, f64)| format!("{} {}", plain(&name(text)), signed(*change));
    list.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
pub(crate) mod tests;
