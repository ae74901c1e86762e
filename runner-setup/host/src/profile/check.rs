//! What the shape of a profile does not rule out.

use super::file::{KnobFile, KnobSpec, MatchRule, ProfileFile, WantedValue};
use crate::ValueFormat;
use std::collections::BTreeSet;

/// The first mistake: a word near which it stands, and what is wrong.
pub(super) fn mistake(name: &str, file: &ProfileFile) -> Option<(String, String)> {
    let at = |word: &str, message: String| Some((word.to_owned(), message));
    if Some(file.profile.as_str()) != name.strip_suffix(".toml") {
        return at(&file.profile, format!("profile `{}` stands in {name}", file.profile));
    }
    if file.about.is_empty() {
        return at(&file.profile, "`about` says which machines this is for".to_owned());
    }
    let mut names = BTreeSet::new();
    for knob in &file.knobs {
        let twice = (!names.insert(&knob.name)).then(|| "stands here twice".to_owned());
        if let Some(message) = twice.or_else(|| of_knob(knob)) {
            return at(&knob.name, format!("knob `{}` {message}", knob.name));
        }
    }
    None
}

fn of_knob(knob: &KnobSpec) -> Option<String> {
    let says = |text: &str| Some(text.to_owned());
    let ways = [!knob.files.is_empty(), !knob.units.is_empty(), knob.probe.is_some()];
    if ways.iter().filter(|has| **has).count() != 1 {
        return says("needs one of `files`, `units` and `probe`");
    }
    if !knob.source.starts_with("https://") {
        return says("needs a `source` that can be looked up");
    }
    if knob.about.is_empty() || knob.verify.is_empty() {
        return says("must say what it does (`about`) and how that is told (`verify`)");
    }
    if let Some(wanted) = &knob.wanted {
        if knob.fix.is_empty() || knob.cost.is_empty() {
            return says("wants something: it must say what that costs and how to `fix` it");
        }
        let Some(wanted) = WantedValue::new(wanted) else {
            return Some(format!("wants `{wanted}`: there are @base, @housekeeping, @benchmark"));
        };
        if let Some(message) = knob.files.iter().find_map(|setting| of_place(knob, setting, wanted))
        {
            return Some(message);
        }
    }
    let subset_of_text = |setting: &KnobFile| {
        !matches!(setting.format, ValueFormat::List | ValueFormat::Mask) && is_subset(knob)
    };
    knob.files.iter().any(subset_of_text).then(|| "has `match`, which is for CPUs".to_owned())
}

fn is_subset(knob: &KnobSpec) -> bool {
    knob.matching == MatchRule::Subset
}

fn of_place(knob: &KnobSpec, setting: &KnobFile, wanted: WantedValue<'_>) -> Option<String> {
    let path = &setting.path;
    let kernels = ["sys/", "proc/"].iter().any(|top| path.starts_with(top));
    if !kernels || path.split('/').any(|part| part == "..") {
        return Some(format!("has `{path}`: files are below sys/ or proc/"));
    }
    if path.matches('*').count() > 1 {
        return Some(format!("has `{path}`: one `*` at most"));
    }
    if wanted == WantedValue::BaseFrequency
        && (setting.base.is_empty() || setting.format != ValueFormat::Number)
    {
        return Some("wants @base: its files are numbers with `base`".to_owned());
    }
    let cpus = matches!(setting.format, ValueFormat::List | ValueFormat::Mask);
    if matches!(wanted, WantedValue::Housekeeping | WantedValue::Benchmark) && !cpus {
        return Some("wants CPUs: its files are lists or masks".to_owned());
    }
    if let (WantedValue::Value(word), false) = (wanted, setting.words.is_empty())
        && !setting.words.contains_key(word)
    {
        return Some(format!("wants `{word}`, which is none of its `words`"));
    }
    (knob.at_least && setting.format != ValueFormat::Number)
        .then(|| "has `at-least`, which is for numbers".to_owned())
}
