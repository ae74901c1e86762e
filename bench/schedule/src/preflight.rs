//! Checks that a plan, its subjects and a record to resume belong together.

use crate::{BuiltSubject, ScheduleError, Session};
use sha2::{Digest, Sha256};
use shakedown_protocol::{RunPlan, RunRecord, SubjectEntry};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Checks a session before any driver starts.
pub(crate) fn check(session: &Session) -> Result<(), ScheduleError> {
    let unfit = |text: &str| Err(ScheduleError::Unfit(text.to_owned()));
    if session.subjects.is_empty() {
        return unfit("there is nothing to measure: name at least one subject");
    }
    if session.plan.scenarios.is_empty() || session.plan.blocks == 0 {
        return unfit("the plan has no scenarios or no blocks");
    }
    let distinct: BTreeSet<_> = session.plan.scenarios.iter().collect();
    if distinct.len() != session.plan.scenarios.len() {
        return unfit("the plan has a scenario twice");
    }
    let mut names = BTreeSet::new();
    for subject in &session.subjects {
        let BuiltSubject { entry, binaries } = subject;
        if !names.insert(&entry.name) {
            let text = format!("two subjects are named `{}`: name one of them apart", entry.name);
            return Err(ScheduleError::Unfit(text));
        }
        if binaries.is_empty() || binaries.len() != entry.artifact.links.len() {
            let (files, links) = (binaries.len(), entry.artifact.links.len());
            let text = format!("`{}` has {files} binaries for {links} links", entry.name);
            return Err(ScheduleError::Unfit(text));
        }
        check_binaries(subject, 0)?;
    }
    Ok(())
}

/// Checks that a subject's binaries, from this one on, are the ones that the record names.
pub(crate) fn check_binaries(subject: &BuiltSubject, first: usize) -> Result<(), ScheduleError> {
    let all = subject.binaries.iter().zip(&subject.entry.artifact.links);
    all.skip(first).try_for_each(|(binary, link)| same_digest(binary, link))
}

/// The binary must be the one that the record names.
fn same_digest(path: &Path, expected: &str) -> Result<(), ScheduleError> {
    let found = digest(path).unwrap_or_else(|error| format!("unreadable ({error})"));
    if found == expected {
        return Ok(());
    }
    Err(ScheduleError::Binary { path: path.to_owned(), expected: expected.to_owned(), found })
}

pub(crate) fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = [0; 32 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => hasher.update(&buffer[..count]),
        }
    }
    let mut text = String::with_capacity(64);
    for byte in hasher.finalize() {
        write!(text, "{byte:02x}").map_err(io::Error::other)?;
    }
    Ok(text)
}

/// Why this session cannot resume the run of `record`; empty if it can.
pub(crate) fn differences(record: &RunRecord, session: &Session) -> Vec<String> {
    let mut found = plan_differences(&record.plan, &session.plan);
    let (then, now) = (&record.host.epoch, &session.host.epoch);
    if then.id != now.id {
        found.push(format!("host epoch: was {}, is {}", then.id, now.id));
        found.extend(map_differences("host", &then.facts, &now.facts));
    }
    let then: Vec<&str> = record.subjects.iter().map(|entry| entry.name.as_str()).collect();
    let now: Vec<&str> = session.subjects.iter().map(|c| c.entry.name.as_str()).collect();
    if then != now {
        found.push(format!("subjects: were [{}], are [{}]", then.join(", "), now.join(", ")));
        return found;
    }
    for (then, now) in record.subjects.iter().zip(&session.subjects) {
        found.extend(subject_differences(then, &now.entry));
    }
    found
}

fn subject_differences(then: &SubjectEntry, now: &SubjectEntry) -> Option<String> {
    let name = &then.name;
    let (was, is) = (&then.artifact, &now.artifact);
    if was.links != is.links {
        let short = |links: &[String]| {
            let heads = links.iter().map(|link| link.get(..12).unwrap_or(link));
            heads.collect::<Vec<_>>().join(" ")
        };
        let (was, is) = (short(&was.links), short(&is.links));
        return Some(format!("`{name}`: its binaries were {was}, are {is}"));
    }
    (was.id != is.id).then(|| format!("`{name}`: its artifact was {}, is {}", was.id, is.id))
}

fn plan_differences(then: &RunPlan, now: &RunPlan) -> Vec<String> {
    let fields = |plan: &RunPlan| -> BTreeMap<String, String> {
        let value = serde_json::to_value(plan).unwrap_or_default();
        let fields = value.as_object().into_iter().flatten();
        fields.map(|(name, value)| (name.clone(), value.to_string())).collect()
    };
    map_differences("plan", &fields(then), &fields(now))
}

fn map_differences(
    what: &str,
    then: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Vec<String> {
    let names: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let show = |map: &BTreeMap<String, String>, name: &String| {
        map.get(name).map_or_else(|| "nothing".to_owned(), |text| shortened(text))
    };
    let differs = names.into_iter().filter(|name| then.get(*name) != now.get(*name));
    differs
        .map(|name| format!("{what}: {name} was {}, is {}", show(then, name), show(now, name)))
        .collect()
}

fn shortened(text: &str) -> String {
    const MOST: usize = 120;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain("…".chars()).collect()
}
