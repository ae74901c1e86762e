//! A host in one fixed state, as one id.

use crate::{HostError, HostRoot, Profile, system, toolchains::toolchains};
use sha2::{Digest, Sha256};
use shakedown_protocol::{CpuInfo, Epoch, Knob};
use std::{collections::BTreeMap, fmt::Write};

/// Boot parameters that name a disk or a console move no measurement.
const IGNORED: [&str; 6] = ["BOOT_IMAGE=", "root=", "rootflags=", "initrd=", "console=", "ro"];

/// The epoch of a machine: a digest over what moves measurements and does not change by
/// itself.
pub(crate) fn epoch(
    root: &HostRoot,
    cpu: &CpuInfo,
    knobs: &[Knob],
    profile: &Profile,
) -> Result<Epoch, HostError> {
    let kernel = system::kernel(root)?;
    let memory_kib = system::memory_kib(root)?;
    let boot = root.read("proc/cmdline").unwrap_or_default();
    let is_lasting = |name: &str| profile.knob(name).is_some_and(|knob| knob.lasting);
    let mut facts = BTreeMap::from([
        ("cpu".to_owned(), format!("{} {} {}", cpu.vendor, cpu.model, cpu.signature)),
        ("microcode".to_owned(), cpu.microcode.clone().unwrap_or_else(|| "unknown".to_owned())),
        ("features".to_owned(), cpu.features.join(" ")),
        (
            "cpus".to_owned(),
            format!("{} online, {} threads a core", cpu.online, cpu.threads_per_core),
        ),
        ("kernel".to_owned(), kernel),
        // The kernel's own share moves a little from boot to boot.
        ("memory".to_owned(), format!("{} GiB", (memory_kib + (1 << 19)) >> 20)),
        ("boot".to_owned(), parameters(&boot)),
    ]);
    for knob in knobs.iter().filter(|knob| is_lasting(&knob.name)) {
        let found = knob.found.clone().unwrap_or_else(|| knob.state.to_string());
        facts.insert(format!("knob {}", knob.name), found);
    }
    for (name, version) in toolchains(root) {
        facts.insert(format!("toolchain {name}"), version);
    }
    Ok(Epoch { id: id(&facts), facts })
}

/// The first 16 hexadecimal digits of the SHA-256 over names and values, each ended by a
/// zero byte.
fn id(facts: &BTreeMap<String, String>) -> String {
    let mut digest = Sha256::new();
    for (name, value) in facts {
        for text in [name, value] {
            digest.update(text.as_bytes());
            digest.update([0]);
        }
    }
    digest.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn parameters(boot: &str) -> String {
    let matter = |word: &&str| {
        !IGNORED.iter().any(|ignored| match ignored.strip_suffix('=') {
            Some(_) => word.starts_with(ignored),
            None => word == ignored,
        })
    };
    boot.split_whitespace().filter(matter).collect::<Vec<_>>().join(" ")
}

/// What changed from one epoch to another, in words; empty when they are the same.
pub fn changes(before: &Epoch, after: &Epoch) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> =
        before.facts.keys().chain(after.facts.keys()).collect();
    let value = |epoch: &Epoch, name: &String| {
        epoch.facts.get(name).cloned().unwrap_or_else(|| "not known".to_owned())
    };
    names
        .into_iter()
        .map(|name| (name, value(before, name), value(after, name)))
        .filter(|(_, old, new)| old != new)
        .map(|(name, old, new)| format!("{name}: {old} became {new}"))
        .collect()
}
