//! What is not the same in two artifacts.

use crate::{Difference, plan::Plan};
use shakedown_protocol::Artifact;
use std::collections::{BTreeMap, BTreeSet};

/// Begins the name of a difference between two variants of a driver.
pub(crate) const ADAPTER: &str = "adapter: ";

/// Lists what differs between two plans and the artifacts made of them: the source first,
/// then the driver, flags, environment and compilers, then crates.
pub(crate) fn differences(base: (&Plan, &Artifact), head: (&Plan, &Artifact)) -> Vec<Difference> {
    let (one, two) = (base.1, head.1);
    let mut found = Vec::new();
    let mut compare = |name: &str, base: String, head: String| {
        if base != head {
            let some = |text: String| Some(text).filter(|text| !text.is_empty());
            found.push(Difference { name: name.to_owned(), base: some(base), head: some(head) });
        }
    };
    compare("source", source(one), source(two));
    compare("driver", one.driver.clone(), two.driver.clone());
    for surface in one.surfaces.keys().chain(two.surfaces.keys()).collect::<BTreeSet<_>>() {
        let variant = |artifact: &Artifact| artifact.surfaces.get(surface).cloned();
        let name = format!("{ADAPTER}{surface}");
        compare(&name, variant(one).unwrap_or_default(), variant(two).unwrap_or_default());
    }
    compare("flags", one.flags.join(" "), two.flags.join(" "));
    let words = |map: &BTreeMap<String, String>| {
        map.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    compare("environment", words(&one.environment), words(&two.environment));
    let names = |artifact: &Artifact| {
        artifact.compilers.iter().map(|c| c.comment.clone()).collect::<Vec<_>>().join(", ")
    };
    compare("compilers", names(one), names(two));
    compare("rustc", one.rustc.clone(), two.rustc.clone());
    let (ones, twos) = (base.0.measured_lock().versions(), head.0.measured_lock().versions());
    let mut all: Vec<&str> = ones.keys().chain(twos.keys()).copied().collect();
    all.sort_unstable();
    all.dedup();
    for name in all.into_iter().filter(|n| *n != base.0.package.name && *n != head.0.package.name) {
        let version = |map: &BTreeMap<&str, String>| map.get(name).cloned().unwrap_or_default();
        compare(name, version(&ones), version(&twos));
    }
    found
}

/// A source in a few words: what it is, and the beginning of its digest.
fn source(artifact: &Artifact) -> String {
    let source = &artifact.source;
    let revision = source.revision.as_ref().map(|r| format!(" {}", &r[..r.len().min(12)]));
    format!(
        "{} {}{} (SHA-256 {})",
        source.kind,
        source.origin,
        revision.unwrap_or_default(),
        &source.sha256[..source.sha256.len().min(12)]
    )
}
