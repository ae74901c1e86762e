//! Where a knob of a profile stands on a machine, and what each setting should say there.

use crate::{
    Assignment, CpuSet, HostRoot, KnobFile, KnobProbe, KnobSpec, MatchRule, ValueFormat, assign,
    partition, profile::WantedValue, setting::Setting, swap, units,
};
use std::{collections::BTreeMap, io};

/// One setting of a knob.
#[derive(Debug, Clone)]
pub(crate) struct SettingState {
    pub setting: Setting,
    /// What it says.
    pub found: String,
    /// What it should say; `None`: nothing is wanted, or it can't be told.
    pub wanted: Option<String>,
    /// Whether what it says will do.
    pub good: bool,
    /// What it says, in the knob's words.
    pub shown: String,
}

/// The settings of a knob that this machine has.
///
/// # Errors
/// When one is there and can't be read.
pub(crate) fn states(
    root: &HostRoot,
    knob: &KnobSpec,
    cpus: &Assignment,
) -> io::Result<Vec<SettingState>> {
    let mut states = Vec::new();
    for spec in &knob.files {
        for (path, number) in root.matching(&spec.path) {
            states.extend(file(root, knob, spec, cpus, path, number)?);
        }
    }
    if !knob.units.is_empty() {
        let names: Vec<&str> = knob.units.iter().map(String::as_str).collect();
        for (name, state) in units::states(root, &names)? {
            let good = matches!(state.as_str(), "masked" | "inactive");
            states.push(SettingState {
                shown: format!("{name} is {state}"),
                setting: Setting::Unit(name),
                wanted: Some("masked".to_owned()),
                good,
                found: state,
            });
        }
    }
    match knob.probe {
        Some(KnobProbe::Swap) => states.extend(swaps(root)?),
        Some(KnobProbe::Isolated) => states.extend(isolation(root, cpus)?),
        _ => {}
    }
    Ok(states)
}

fn file(
    root: &HostRoot,
    knob: &KnobSpec,
    spec: &KnobFile,
    cpus: &Assignment,
    path: String,
    number: Option<u32>,
) -> io::Result<Option<SettingState>> {
    let setting = Setting::File { path, format: spec.format };
    let Some(found) = setting.read(root)?.filter(|text| !text.is_empty()) else { return Ok(None) };
    if spec.absent.contains(&found) {
        return Ok(None);
    }
    let wanted = knob.wanted.as_deref().and_then(|text| wanted(root, spec, cpus, text, number));
    let works = spec.effect.as_ref().map(|e| root.read(&e.path).as_deref() == Some(e.is.as_str()));
    let raw = |word: &String| spec.words.get(word).unwrap_or(word).clone();
    let good = match (works, &wanted) {
        // What counts is the effect: SMT that is `on` without a second thread is off.
        (Some(works), _) => works,
        (None, None) => true,
        (None, Some(wanted)) => {
            let number = |text: &str| text.parse::<i64>().ok();
            found == *wanted
                || knob.also.iter().any(|word| raw(word) == found)
                || knob.at_least && number(&found) >= number(wanted) && number(&found).is_some()
                || knob.matching == MatchRule::Subset && within(spec.format, &found, wanted)
        }
    };
    let word = spec.words.iter().find(|(_, raw)| **raw == found).map(|(word, _)| word.clone());
    let shown = match (works, &knob.wanted) {
        (Some(true), Some(word)) => word.clone(),
        (Some(false), Some(word)) if *word == found => format!("{found}, without effect"),
        _ => word.unwrap_or_else(|| display(spec.format, &found)),
    };
    Ok(Some(SettingState { setting, found, wanted, good, shown }))
}

/// What a setting should say, as the file writes it.
fn wanted(
    root: &HostRoot,
    spec: &KnobFile,
    cpus: &Assignment,
    text: &str,
    number: Option<u32>,
) -> Option<String> {
    let list = |cpus: &CpuSet| match spec.format {
        _ if cpus.is_empty() => None,
        ValueFormat::Mask => Some(cpus.to_mask()),
        _ => Some(cpus.to_string()),
    };
    match WantedValue::new(text)? {
        WantedValue::Value(word) => {
            Some(spec.format.normalize(spec.words.get(word).map_or(word, String::as_str)))
        }
        // With nothing to measure on, there is nothing to move away from.
        WantedValue::Housekeeping if cpus.benchmark.is_empty() => None,
        WantedValue::Housekeeping => list(&cpus.housekeeping),
        WantedValue::Benchmark => list(&cpus.benchmark),
        WantedValue::BaseFrequency => base(root, spec, number),
    }
}

fn base(root: &HostRoot, spec: &KnobFile, number: Option<u32>) -> Option<String> {
    spec.base.iter().find_map(|base| {
        let path = base.path.replace("{n}", &number.unwrap_or(0).to_string());
        let value: u64 = root.read(&path)?.parse().ok()?;
        (value > 0).then(|| (value * base.times).to_string())
    })
}

fn within(format: ValueFormat, found: &str, wanted: &str) -> bool {
    let read = |text: &str| match format {
        ValueFormat::Mask => CpuSet::from_mask(text),
        _ => Some(CpuSet::parse_lossy(text)),
    };
    read(found).zip(read(wanted)).is_some_and(|(found, wanted)| found.within(&wanted))
}

/// A mask is shown as the list that people read.
pub(crate) fn display(format: ValueFormat, text: &str) -> String {
    match format {
        ValueFormat::Mask => {
            CpuSet::from_mask(text).map_or_else(|| text.to_owned(), |c| c.to_string())
        }
        _ => text.to_owned(),
    }
}

fn swaps(root: &HostRoot) -> io::Result<Vec<SettingState>> {
    let devices = swap::devices(root)?.unwrap_or_default();
    let state = |device: String| {
        let found = swap::state(root, &device)?;
        let shown = device.clone();
        let setting = Setting::Swap(device);
        Ok(SettingState { setting, found, wanted: Some("off".to_owned()), good: false, shown })
    };
    devices.into_iter().map(state).collect()
}

/// The controller and the group; nothing where others isolated CPUs already, or where there is
/// nothing to isolate with.
fn isolation(root: &HostRoot, cpus: &Assignment) -> io::Result<Vec<SettingState>> {
    let by_others = partition::cpus(root).is_none() && assign::isolated(root).is_some();
    let Some(wanted) = partition::wanted(root, &cpus.benchmark) else { return Ok(vec![]) };
    if cpus.benchmark.is_empty() || by_others {
        return Ok(vec![]);
    }
    let mut states = Vec::new();
    let mut add = |setting: Setting, wanted: String| -> io::Result<()> {
        if let Some(found) = setting.read(root)? {
            let (good, shown) = (found == wanted, found.clone());
            states.push(SettingState { setting, found, wanted: Some(wanted), good, shown });
        }
        Ok(())
    };
    if partition::isolation_method(root) == partition::IsolationMethod::Partition {
        add(Setting::Controller, partition::controller_wanted(root).to_owned())?;
    }
    add(Setting::Partition, wanted)?;
    Ok(states)
}

/// The different values of several settings, joined.
pub(crate) fn joined<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let mut seen = BTreeMap::new();
    for value in values {
        let number = value.parse::<i64>().unwrap_or(i64::MAX);
        seen.entry((number, value)).or_insert(());
    }
    seen.into_keys().map(|(_, value)| value).collect::<Vec<_>>().join(", ")
}
