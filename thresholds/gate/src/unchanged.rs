//! What is the same code, and what else differs between two artifacts.

use serde::{Deserialize, Serialize};
use shakedown_protocol::{Artifact, RunRecord};
use std::collections::BTreeSet;

/// Whether a record is an A/A comparison: two builds of the same code.
pub fn is_unchanged(record: &RunRecord) -> bool {
    match record.subjects.as_slice() {
        [base, head] => same_code(&base.artifact, &head.artifact),
        _ => false,
    }
}

/// Whether two artifacts are of the same source, built with the same flags.
pub(crate) fn same_code(a: &Artifact, b: &Artifact) -> bool {
    a.source.sha256 == b.source.sha256 && a.flags == b.flags
}

/// A part of an artifact's provenance besides the source of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "kebab-case")]
pub enum Provenance {
    /// Name of the driver.
    Driver,
    /// Digest of the driver's source.
    DriverSource,
    /// Compiler flags.
    Flags,
    /// Version of rustc.
    Rustc,
    /// Compilers found in the objects.
    Compilers,
    /// An environment variable of the build.
    Environment(String),
    /// The form of a part of the library's API that the driver uses.
    Api(String),
    /// Digest of a crate.
    Crate(String),
}

/// A difference between base and head besides the source of the library: it may be the cause of a
/// change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What differs.
    pub what: Provenance,
    /// In base; `None` where it is absent.
    pub base: Option<String>,
    /// In head.
    pub head: Option<String>,
}

/// Every difference between two artifacts besides the library's own source.
pub fn differences(base: &Artifact, head: &Artifact) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut add = |what: Provenance, [base, head]: [Option<String>; 2]| {
        if base != head {
            found.push(Difference { what, base, head });
        }
    };
    let both = |value: &dyn Fn(&Artifact) -> String| [Some(value(base)), Some(value(head))];
    add(Provenance::Driver, both(&|artifact| artifact.driver.clone()));
    add(Provenance::DriverSource, both(&|artifact| short(&artifact.driver_sha256)));
    add(Provenance::Flags, both(&|artifact| artifact.flags.join(" ")));
    add(Provenance::Rustc, both(&|artifact| artifact.rustc.clone()));
    add(Provenance::Compilers, both(&compilers));
    let names: BTreeSet<&String> = base.environment.keys().chain(head.environment.keys()).collect();
    for name in names {
        let values = [base, head].map(|artifact| artifact.environment.get(name).cloned());
        add(Provenance::Environment(name.clone()), values);
    }
    let names: BTreeSet<&String> = base.surfaces.keys().chain(head.surfaces.keys()).collect();
    for name in names {
        let values = [base, head].map(|artifact| artifact.surfaces.get(name).cloned());
        add(Provenance::Api(name.clone()), values);
    }
    let names: BTreeSet<&String> = base.crates.keys().chain(head.crates.keys()).collect();
    for name in names {
        let values = [base, head].map(|artifact| artifact.crates.get(name).map(|sum| short(sum)));
        add(Provenance::Crate(name.clone()), values);
    }
    found
}

fn compilers(artifact: &Artifact) -> String {
    let all: Vec<&str> = artifact.compilers.iter().map(|c| c.comment.as_str()).collect();
    all.join(", ")
}

fn short(digest: &str) -> String {
    digest.chars().take(20).collect()
}
