//! What `shakedown host check` prints.

use shakedown_host::Profile;
use shakedown_protocol::{HostFacts, KnobState};
use shakedown_report as report;
use std::fmt::Write;

/// The knobs, how to set those that differ, and the verdict.
pub fn check(facts: &HostFacts, profile: &Profile) -> String {
    let mut table = report::grid();
    table.set_header(["knob", "found", "wanted", "state", "cost"]);
    for knob in &facts.knobs {
        // What has several parts, as the mitigations of a processor, has a line for each.
        let shown = |text: &Option<String>| text.as_deref().unwrap_or("-").replace("; ", "\n");
        let known = profile.knob(&knob.name);
        let unit = known.and_then(|known| known.measured_in.as_deref());
        let cost = known.map_or("", |known| &known.cost);
        table.add_row([
            unit.map_or_else(|| knob.name.clone(), |unit| format!("{} ({unit})", knob.name)),
            shown(&knob.found),
            shown(&knob.wanted),
            state(knob.state).to_owned(),
            if cost.is_empty() { "-".to_owned() } else { cost.to_owned() },
        ]);
    }
    let differ = facts.knobs.iter().filter(|knob| knob.state == KnobState::Differs).count();
    let verdict = match (facts.fit, differ, facts.virtualization.as_str()) {
        (true, ..) => "fit: this host is set as a quiet one".to_owned(),
        (false, 0, guest) => {
            format!(
                "not fit: a virtual machine ({guest}) shares its host with others, though every knob is as wanted"
            )
        }
        (false, _, "none") => {
            "not fit: see the knobs that differ; `shakedown host tune` sets what can be set"
                .to_owned()
        }
        (false, _, guest) => {
            format!(
                "not fit: a virtual machine ({guest}) shares its host with others, and knobs differ"
            )
        }
    };
    let trimmed: Vec<String> =
        table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    format!(
        "{}\n{}\nprofile {}\n{verdict}\nepoch {}\n",
        trimmed.join("\n"),
        fixes(facts),
        profile.parts.join(" + "),
        facts.epoch.id
    )
}

/// What to do about each knob that differs, unbroken, so that it can be copied.
fn fixes(facts: &HostFacts) -> String {
    let differing = facts.knobs.iter().filter(|knob| knob.state == KnobState::Differs);
    let lines: Vec<(&str, &str)> =
        differing.map(|knob| (knob.name.as_str(), knob.fix.as_str())).collect();
    let widest = lines.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (index, (name, fix)) in lines.iter().enumerate() {
        text.push_str(if index == 0 { "\nhow to set what differs:\n" } else { "" });
        let _ = writeln!(text, "  {name:widest$}  {fix}");
    }
    text
}

/// A state in words.
const fn state(state: KnobState) -> &'static str {
    match state {
        KnobState::Ok => "ok",
        KnobState::Differs => "differs",
        KnobState::Absent => "not on this hardware",
        KnobState::Unreadable => "can't be read",
        KnobState::Recorded => "recorded",
    }
}
