//! Every knob as it is found.

use crate::{
    Assignment, HostRoot, KnobSpec, MatchRule, Profile, ValueFormat,
    journal::Refusals,
    probes,
    setting::Setting,
    state::{self, SettingState},
};
use shakedown_protocol::{Knob, KnobState};
use std::io;

/// What is found of a knob, what is wanted, and whether that will do.
struct KnobReading {
    found: String,
    wanted: Option<String>,
    good: bool,
    /// Some setting that differs refused to be set.
    refused: Option<String>,
}

/// Reads every knob of a profile.
pub(crate) fn knobs(root: &HostRoot, profile: &Profile) -> Vec<Knob> {
    let cpus = Assignment::of(root);
    let refusals = Refusals::of(root);
    profile.knobs.iter().map(|spec| knob(root, spec, &cpus, &refusals)).collect()
}

fn knob(root: &HostRoot, spec: &KnobSpec, cpus: &Assignment, refusals: &Refusals) -> Knob {
    let (found, wanted, state, fix) = match reading(root, spec, cpus, refusals) {
        Err(error) => {
            (None, wish(spec, cpus), KnobState::Unreadable, format!("can't be read: {error}"))
        }
        Ok(None) => (None, wish(spec, cpus), KnobState::Absent, String::new()),
        Ok(Some(reading)) => {
            let state = match (&spec.wanted, reading.good) {
                (None, _) => KnobState::Recorded,
                (Some(_), true) => KnobState::Ok,
                (Some(_), false) => KnobState::Differs,
            };
            let fix = if state == KnobState::Differs { fix(spec, &reading) } else { String::new() };
            (Some(reading.found), reading.wanted, state, fix)
        }
    };
    Knob { name: spec.name.clone(), found, wanted, state, fix }
}

/// What to do, in one line: the BIOS where root was refused.
fn fix(spec: &KnobSpec, reading: &KnobReading) -> String {
    match (&reading.refused, &spec.bios) {
        (Some(error), Some(bios)) => format!("{bios} (refused: {error})"),
        (Some(error), None) => format!("{} (refused: {error})", spec.fix),
        (None, _) => spec.fix.clone(),
    }
}

/// What is wanted where nothing is found.
fn wish(spec: &KnobSpec, cpus: &Assignment) -> Option<String> {
    spec.wanted.as_deref().map(|text| match text {
        "@base" => "the base frequency".to_owned(),
        "@housekeeping" => cpus.housekeeping.to_string(),
        "@benchmark" => "at least one CPU".to_owned(),
        text => text.to_owned(),
    })
}

fn reading(
    root: &HostRoot,
    spec: &KnobSpec,
    cpus: &Assignment,
    refusals: &Refusals,
) -> io::Result<Option<KnobReading>> {
    if let Some(probe) = spec.probe {
        let found = probes::read(root, probe, &spec.programs)?;
        return Ok(found.map(|found| KnobReading {
            good: probes::holds(probe, &found),
            wanted: wish(spec, cpus),
            refused: refusals
                .get(&Setting::Partition)
                .filter(|_| probe == crate::KnobProbe::Isolated),
            found,
        }));
    }
    let states = state::states(root, spec, cpus)?;
    if states.is_empty() || cpus.benchmark.is_empty() && needs_cpus(spec) {
        return Ok(None);
    }
    let bad: Vec<&SettingState> = states.iter().filter(|state| !state.good).collect();
    let refused = bad.iter().find_map(|state| refusals.get(&state.setting));
    let stubborn = |state: &SettingState| spec.refusable && refusals.get(&state.setting).is_some();
    let good = bad.iter().all(|state| stubborn(state));
    let (found, wanted) = if !spec.units.is_empty() {
        (units(&bad), "none at work".to_owned())
    } else if spec.matching == MatchRule::Subset && states.len() > 1 {
        let refuse = bad.iter().filter(|state| stubborn(state)).count();
        (reaching(&bad, states.len(), refuse), format!("none on CPUs {}", cpus.benchmark))
    } else {
        (state::joined(states.iter().map(|state| state.shown.as_str())), wanted(spec, &states))
    };
    let wanted = spec.wanted.as_ref().map(|_| wanted);
    Ok(Some(KnobReading { found, wanted, good, refused }))
}

fn needs_cpus(spec: &KnobSpec) -> bool {
    spec.wanted.as_deref() == Some("@housekeeping")
}

fn units(bad: &[&SettingState]) -> String {
    if bad.is_empty() {
        return "none".to_owned();
    }
    let name = |state: &&SettingState| match &state.setting {
        Setting::Unit(name) => name.clone(),
        other => other.to_string(),
    };
    bad.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn reaching(bad: &[&SettingState], all: usize, refuse: usize) -> String {
    match (bad.len(), refuse) {
        (0, _) => format!("none of {all} reach the benchmark CPUs"),
        (bad, 0) => format!("{bad} of {all} reach the benchmark CPUs"),
        (bad, refuse) => {
            format!("{bad} of {all} reach the benchmark CPUs, {refuse} refuse to move")
        }
    }
}

/// What is wanted, in the knob's words.
fn wanted(spec: &KnobSpec, states: &[SettingState]) -> String {
    match spec.wanted.as_deref() {
        Some(text) if !text.starts_with('@') && spec.at_least => format!("{text} or more"),
        Some(text) if !text.starts_with('@') => text.to_owned(),
        _ => {
            let shown = |state: &SettingState| {
                let format = match &state.setting {
                    Setting::File { format, .. } => *format,
                    _ => ValueFormat::Text,
                };
                state::display(format, state.wanted.as_deref().unwrap_or("-"))
            };
            let shown: Vec<String> = states.iter().map(shown).collect();
            state::joined(shown.iter().map(String::as_str))
        }
    }
}
