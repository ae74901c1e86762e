//! Profiles as graphs and sites.

use anyhow::{Context, Result};
use shakedown_culprits::{
    CallGraph, CallgrindProfile, SitePair, Sites, SitesExplanation, explain_session_memory,
    explain_sites,
};
use shakedown_protocol::{Scenario, ScenarioKind, Side, TlsScenario};
use shakedown_schedule::{ProfiledScenario, profile_heap, profile_instructions};

/// Each side's call graph, from one process.
///
/// # Errors
/// If the scenario can't be profiled.
pub fn profile_sides(what: ProfiledScenario<'_>) -> Result<Vec<(Side, CallGraph)>> {
    let dumps = profile_instructions(what)?;
    // In transfers the server sends.
    let sides: &[Side] = match what.scenario {
        Scenario::Primitive(_) | Scenario::Load(_) => &[Side::Local],
        tls if tls.is_bulk() => &[Side::Receive, Side::Send],
        _ => &[Side::Client, Side::Server],
    };
    let graph = |(&side, dump): (&Side, String)| {
        Ok((side, CallGraph::new(&CallgrindProfile::parse(&dump)?, what.plan.operations.into())))
    };
    sides.iter().zip(dumps).map(graph).collect()
}

/// Which places allocate more or less in head than in base.
///
/// # Errors
/// If the scenario can't be profiled.
pub fn heap_sites(both: [ProfiledScenario<'_>; 2]) -> Result<SitesExplanation> {
    let sites = |what: ProfiledScenario<'_>, operations: u32| -> Result<Sites> {
        Ok(Sites::parse(&profile_heap(what, operations)?)?)
    };
    // Without hardware counters the driver runs each operation once for each end.
    const PASSES: u64 = 2;
    let few = both[0].plan.operations.max(1);
    let operations = u64::from(few) * PASSES;
    let [base, head] = both;
    let base = [sites(base, few)?, sites(base, 2 * few)?];
    let head = [sites(head, few)?, sites(head, 2 * few)?];
    let [base, head] = [&base, &head].map(|[fewer, more]| SitePair { fewer, more, operations });
    Ok(explain_sites(base, head))
}

/// Which places hold more or less memory for one more session in head than in base.
///
/// # Errors
/// If the scenario can't be profiled.
pub fn session_sites(both: [ProfiledScenario<'_>; 2]) -> Result<SitesExplanation> {
    const SESSIONS: u32 = 40;
    let sites = |what: ProfiledScenario<'_>, sessions: u32| -> Result<Sites> {
        let kind = ScenarioKind::Memory { sessions };
        let tls = what.scenario.tls().context("without connections there are no sessions")?;
        let scenario = Scenario::Tls(TlsScenario { kind, ..*tls });
        let what = ProfiledScenario { scenario: &scenario, ..what };
        Ok(Sites::parse(&profile_heap(what, what.plan.operations)?)?)
    };
    let [base, head] = both;
    let base = [sites(base, SESSIONS)?, sites(base, 2 * SESSIONS)?];
    let head = [sites(head, SESSIONS)?, sites(head, 2 * SESSIONS)?];
    let operations = u64::from(SESSIONS);
    let [base, head] = [&base, &head].map(|[fewer, more]| SitePair { fewer, more, operations });
    Ok(explain_session_memory(base, head))
}
