//! How the two artifacts of a pair differ.

use shakedown_builder::BuiltPair;
use shakedown_protocol::Artifact;
use std::collections::BTreeSet;

/// Names of the fields that differ, and the crates with their versions. The driver's own package is
/// left out: its manifest names the library.
pub fn differences(pair: &BuiltPair) -> Vec<String> {
    let (base, head) = (&pair.base.artifact, &pair.head.artifact);
    let fields = [
        ("source", base.source != head.source),
        ("driver", base.driver != head.driver),
        ("surfaces", base.surfaces != head.surfaces),
        ("flags", base.flags != head.flags),
        ("environment", base.environment != head.environment),
        ("compilers", base.compilers != head.compilers),
        ("rustc", base.rustc != head.rustc),
    ];
    let differ = fields.into_iter().filter(|(_, differ)| *differ);
    let mut found: Vec<String> = differ.map(|(name, _)| name.to_owned()).collect();
    let version = |artifact: &Artifact, name: &str| {
        let text = artifact.crates.get(name).map_or("absent", String::as_str);
        text.split(' ').next().unwrap_or_default().to_owned()
    };
    let names: BTreeSet<&String> = base.crates.keys().chain(head.crates.keys()).collect();
    for name in names {
        let (old, new) = (version(base, name), version(head, name));
        if old != new {
            found.push(format!("crate {name}: {old} -> {new}"));
        }
    }
    found
}
