//! Which crate and which part of the command may know which: dependencies point one way.

use crate::source::{imports, root, sources};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The crates, from the bottom. A crate knows those of lower levels only.
pub const CRATES: [(&str, u8, &str); 14] = [
    ("shakedown-protocol", 0, "bench/protocol"),
    ("shakedown-bisect", 0, "thresholds/bisect"),
    ("shakedown-culprits", 1, "thresholds/culprits"),
    ("shakedown-driver", 1, "bench/driver"),
    ("shakedown-summary", 1, "thresholds/summary"),
    ("shakedown-gate", 2, "thresholds/gate"),
    ("shakedown-store", 2, "history/store"),
    ("shakedown-study", 2, "thresholds/study"),
    ("shakedown-builder", 3, "bench/builder"),
    ("shakedown-forge", 3, "forge"),
    ("shakedown-host", 3, "runner-setup/host"),
    ("shakedown-report", 3, "report"),
    ("shakedown-schedule", 3, "bench/schedule"),
    ("shakedown", 4, ""),
];

/// The parts of the command, from the bottom.
const PARTS: [(&str, u8); 25] = [
    ("clock", 0),
    ("exit", 0),
    ("project", 0),
    ("host_lock", 1),
    ("host_options", 1),
    ("host_text", 1),
    ("output", 0),
    ("progress", 1),
    ("held_host", 1),
    ("record", 1),
    ("catalog", 2),
    ("history", 2),
    ("policies", 2),
    ("verdict", 2),
    ("session", 3),
    ("backfill", 4),
    ("bisect", 4),
    ("confirm", 4),
    ("explain", 4),
    ("github", 4),
    ("signoff", 4),
    ("study", 4),
    ("adopt", 5),
    ("fleet", 5),
    ("runner_update", 5),
];

/// What crates without I/O do not touch.
const IO: [&str; 6] =
    ["std::fs", "std::net", "std::process", "std::env", "SystemTime", "Instant::now"];

fn manifest(folder: &Path) -> toml::Table {
    let path = folder.join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap()
}

/// Names of our crates in the sections of a manifest that end up in the program.
fn ours(manifest: &toml::Table) -> BTreeSet<String> {
    let sections = ["dependencies", "build-dependencies"];
    let found = sections.iter().filter_map(|name| manifest.get(*name)?.as_table());
    let names = found.flat_map(|section| section.keys().cloned());
    names.filter(|name| name.starts_with("shakedown")).collect()
}

#[test]
fn crates_know_only_those_below_them() {
    let levels: BTreeMap<&str, u8> =
        CRATES.iter().map(|(name, level, _)| (*name, *level)).collect();
    let workspace = manifest(root());
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let members: BTreeSet<&str> = members.iter().map(|member| member.as_str().unwrap()).collect();
    let known: BTreeSet<&str> =
        CRATES.iter().map(|(_, _, f)| *f).filter(|f| !f.is_empty()).collect();
    assert_eq!(members, known, "each crate of the workspace has a level here");
    for (name, level, folder) in CRATES {
        let manifest = manifest(&root().join(folder));
        assert_eq!(manifest["package"]["name"].as_str(), Some(name));
        for other in ours(&manifest) {
            assert!(levels[other.as_str()] < level, "{name} must not know {other}");
        }
    }
}

#[test]
fn a_driver_knows_the_driver_crate_and_the_protocol_only() {
    let folders = ["bench/drivers", "bench/servers"];
    let folders = folders.map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let mut seen = 0;
    for folder in folders.into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if !folder.join("Cargo.toml").is_file() {
            continue;
        }
        seen += 1;
        for other in ours(&manifest(&folder)) {
            let may = ["shakedown-driver", "shakedown-protocol", "shakedown-heap"];
            let shared = other.starts_with("shakedown-driver-");
            assert!(shared || may.contains(&&*other), "{} must not know {other}", folder.display());
        }
    }
    assert!(seen >= 3, "{seen}");
}

#[test]
fn protocol_summary_gate_and_bisect_do_no_io() {
    let folders = [
        "bench/protocol",
        "thresholds/summary",
        "thresholds/gate",
        "thresholds/bisect",
        "thresholds/study",
    ];
    for folder in folders.map(|folder| format!("{folder}/src")) {
        for path in sources(&root().join(folder)) {
            let text = fs::read_to_string(&path).unwrap();
            for word in IO {
                assert!(!text.contains(word), "{} does I/O: {word}", path.display());
            }
        }
    }
}

#[test]
fn the_parts_of_the_command_know_only_those_below_them() {
    let levels: BTreeMap<&str, u8> = PARTS.into_iter().collect();
    let src = root().join("src");
    let mut seen = BTreeSet::new();
    for path in sources(&src) {
        let inside = path.strip_prefix(&src).unwrap().with_extension("");
        let part = inside.components().next().unwrap().as_os_str().to_str().unwrap().to_owned();
        if part == "main" || part == "command" {
            continue;
        }
        let level = *levels.get(part.as_str()).unwrap_or_else(|| panic!("`{part}` has no level"));
        for other in imports(&fs::read_to_string(&path).unwrap(), "crate") {
            assert_ne!(other, "command", "{} imports from the commands", path.display());
            let below = levels.get(other.as_str()).is_some_and(|other| *other < level);
            assert!(below || other == part, "{} must not know {other}", path.display());
        }
        seen.insert(part);
    }
    assert_eq!(seen.len(), PARTS.len(), "{seen:?}");
}

#[test]
fn a_command_imports_from_no_other_command() {
    for path in sources(&root().join("src/command")) {
        let text = fs::read_to_string(&path).unwrap();
        assert!(!imports(&text, "crate").contains("command"), "{}", path.display());
        // In a folder of verbs, `super` is what the verbs of one command share.
        if path.parent().unwrap().ends_with("src/command") {
            let sibling = text.lines().find(|line| {
                let outside = line.contains("super::");
                outside && !line.contains("super::*") && !line.contains("super::Command")
            });
            assert_eq!(sibling, None, "{}", path.display());
        }
    }
}
