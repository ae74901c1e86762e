//! The knobs as data; see `runner-setup/profiles/README.md` for the keys.

mod check;
mod file;

pub(crate) use file::WantedValue;
pub use file::{BaseFrequency, EffectCheck, KnobFile, KnobProbe, KnobSpec, MatchRule};

use crate::{
    HostRoot, cpu,
    error::{HostError, ProfileError},
    system,
};
use std::collections::BTreeMap;

/// The files, part of the program so that a host needs nothing else.
const FILES: [(&str, &str); 5] = [
    ("common.toml", include_str!("../../../profiles/common.toml")),
    ("intel.toml", include_str!("../../../profiles/intel.toml")),
    ("amd.toml", include_str!("../../../profiles/amd.toml")),
    ("arm.toml", include_str!("../../../profiles/arm.toml")),
    ("vm.toml", include_str!("../../../profiles/vm.toml")),
];

/// The knobs of one kind of machine, in the order in which they are set.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The files that it is made of, for example `common`, `amd`, `vm`.
    pub parts: Vec<String>,
    /// The knobs.
    pub knobs: Vec<KnobSpec>,
}

impl Profile {
    /// The profile of a machine.
    ///
    /// # Errors
    /// If `/proc` does not identify the machine, or a profile is invalid.
    pub fn of(root: &HostRoot) -> Result<Self, HostError> {
        let vendor = cpu::cpu(root)?.vendor;
        let guest = system::virtualization(root) != "none";
        Ok(Self::combine(&vendor, guest)?)
    }

    /// The common knobs, those of a vendor, and those of guests; a later one takes the setting
    /// of an earlier one with its name.
    ///
    /// # Errors
    /// If a profile has a mistake.
    pub fn combine(vendor: &str, guest: bool) -> Result<Self, ProfileError> {
        let mut parts = Vec::new();
        let mut knobs = BTreeMap::new();
        for (name, text) in FILES {
            let file = parse(name, text)?;
            let common = file.vendors.is_empty() && !file.guest;
            if common || file.vendors.iter().any(|v| v == vendor) || file.guest && guest {
                parts.push(file.profile);
                knobs.extend(file.knobs.into_iter().map(|knob| (knob.name.clone(), knob)));
            }
        }
        let mut knobs: Vec<KnobSpec> = knobs.into_values().collect();
        knobs.sort_by_key(|knob| knob.order);
        Ok(Self { parts, knobs })
    }

    /// A knob by its name.
    pub fn knob(&self, name: &str) -> Option<&KnobSpec> {
        self.knobs.iter().find(|knob| knob.name == name)
    }
}

/// Reads one file.
fn parse(name: &str, text: &str) -> Result<file::ProfileFile, ProfileError> {
    let wrong = |at: usize, message: String| ProfileError {
        file: name.to_owned(),
        line: text[..at.min(text.len())].matches('\n').count() + 1,
        message,
    };
    let file: file::ProfileFile = toml::from_str(text).map_err(|error| {
        wrong(error.span().map_or(0, |span| span.start), error.message().to_owned())
    })?;
    match check::mistake(name, &file) {
        None => Ok(file),
        Some((word, message)) => {
            // Where the word stands as a value: good enough for a person to find it.
            Err(wrong(text.find(&format!("\"{word}\"")).unwrap_or(0), message))
        }
    }
}

#[cfg(test)]
mod tests;
