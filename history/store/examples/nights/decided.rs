//! What was found in the nights, and what was decided about it.

use super::{BLOCKS, EPOCH, HEAD, Nights, rate, testing};
use serde_json::json;
use shakedown_protocol::{Scenario, Trial};
use shakedown_store::{
    Index, Store, StoreError,
    change::{self, Rule, Suspect, SuspectState},
};

/// Looks for change points after this night.
pub fn look(store: &Store, night: u64) -> Result<(), StoreError> {
    let (index, _) = Index::open(store)?;
    let rule = Rule::for_budget(1.0, 400);
    change::scan(store, &index, &[], &rule, testing::START + night * testing::DAY).map(|_| ())
}

/// Confirms the newest change of full handshakes by a run of both commits, one series of it; dismisses
/// what the nights found in TLS 1.2.
pub fn decide(store: &Store, nights: Nights, scenarios: &[Scenario]) -> Result<(), StoreError> {
    let all = change::suspects(store)?;
    let head = |suspect: &Suspect| suspect.series.subject == HEAD;
    for known in all.iter().filter(|known| head(&known.suspect)) {
        let suspect = &known.suspect;
        let series = &suspect.series;
        let night = (suspect.first_bad_ms as u64 - testing::START) / testing::DAY + 2;
        let at_ms = testing::START + night * testing::DAY + 7_200_000;
        let full = series.scenario == scenarios[0].to_string() && series.side == "server";
        let resumed = series.scenario.starts_with("handshake-ticket/tls1.3");
        if full || resumed {
            let place = usize::from(resumed) * 4;
            let run = confirmation(store, nights, suspect, night, place, scenarios[place])?;
            let (asked, trials) = ("first bad against last good", 4 * BLOCKS);
            let [change, low, high] = [suspect.found.factor, suspect.found.low, suspect.found.high]
                .map(|factor| format!("{:+.1}", (factor - 1.0) * 100.0));
            let verdict = if suspect.worse { "regressed" } else { "improved" };
            let evidence = format!(
                "run {run}: {asked} is {verdict} {change} % [{low} to {high}], {trials} + {trials} processes; \
                 the whole interval is beyond the margin"
            );
            change::decide(store, &suspect.id, SuspectState::Confirmed, &evidence, at_ms)?;
        } else if series.scenario.contains("/tls1.2/") && series.scenario.starts_with("handshake") {
            let evidence = "not reproduced: the host ran hotter in these nights";
            change::decide(store, &suspect.id, SuspectState::Dismissed, evidence, at_ms)?;
        }
    }
    Ok(())
}

/// Adds a run of the two commits next to each other. Returns its name.
fn confirmation(
    store: &Store,
    nights: Nights,
    suspect: &Suspect,
    night: u64,
    place: usize,
    scenario: Scenario,
) -> Result<String, StoreError> {
    let names =
        [&suspect.last_good, &suspect.first_bad].map(|commit| format!("rustls@git:{commit}"));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let block = |block: u32| {
        let factors = [1.0, suspect.found.factor];
        testing::record_of(night, EPOCH, &names, &[scenario], |subject, _| {
            let base = super::RELEASES.len() - 1;
            let rate = rate(nights, night, u64::from(block) + 50, base, place) * factors[subject];
            [rate, rate * 1.9]
        })
    };
    let mut record = block(0);
    for at in 1..4 * BLOCKS {
        record
            .trials
            .extend(block(at).trials.into_iter().map(|trial| Trial { block: at, ..trial }));
    }
    for (entry, commit) in record.subjects.iter_mut().zip([&suspect.last_good, &suspect.first_bad])
    {
        entry.artifact.source.revision = Some(commit.clone());
        entry.artifact.source.origin = "https://github.com/rustls/rustls".to_owned();
    }
    record.plan.blocks = 4 * BLOCKS;
    record.plan.suite = "standard".to_owned();
    record.host.name = nights.host().to_owned();
    record.started_ms += 3_600_000;
    let text = serde_json::to_string(&record).map_err(|e| StoreError::Question(e.to_string()))?;
    Ok(store.add(&text, testing::NOW)?.name.to_string())
}

/// Numbers of another tool whose names try to be markup, and to turn the text around them.
pub fn hostile_import() -> String {
    let series = json!({
        "subject": "evil\u{202e}gro.live <script>alert(1)</script>",
        "scenario": "<img src=x onerror=alert(1)>/\u{2066}\u{7}", "side": "client\"'",
        "metric": "javascript:alert(1)", "unit": "</script>", "better": "lower",
    });
    json!({
        "imported": 1, "from": "rustls-bench", "started_ms": testing::START, "host": "<svg onload=alert(1)>",
        "epoch": "../../evil", "revisions": { "evil\u{202e}gro.live <script>alert(1)</script>": "javascript:alert(1)" },
        "rows": [{ "series": series, "median": 2.0, "low": 1.0, "high": 3.0, "n": 5 }],
    })
    .to_string()
}
