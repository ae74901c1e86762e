//! The shape of a profile file.

use crate::ValueFormat;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ProfileFile {
    pub profile: String,
    pub about: String,
    /// As `/proc/cpuinfo` writes them; none: for all.
    #[serde(default)]
    pub vendors: Vec<String>,
    #[serde(default)]
    pub guest: bool,
    #[serde(rename = "knob")]
    pub knobs: Vec<KnobSpec>,
}

/// One knob.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KnobSpec {
    /// Stable name.
    pub name: String,
    /// Setting in the order of setting.
    pub order: u32,
    /// What it does to a measurement.
    pub about: String,
    /// Unit of what is found and wanted, where it is a number.
    #[serde(default)]
    pub measured_in: Option<String>,
    /// What a quiet host has; `None`: only recorded.
    #[serde(default)]
    pub wanted: Option<String>,
    /// Other values that do as well.
    #[serde(default)]
    pub also: Vec<String>,
    /// Whether `wanted` is a least number.
    #[serde(default)]
    pub at_least: bool,
    /// The files.
    #[serde(default)]
    pub files: Vec<KnobFile>,
    /// How found and wanted are compared.
    #[serde(default, rename = "match")]
    pub matching: MatchRule,
    /// Services and timers.
    #[serde(default)]
    pub units: Vec<String>,
    /// What takes more than reading a file.
    #[serde(default)]
    pub probe: Option<KnobProbe>,
    /// For [`KnobProbe::Running`].
    #[serde(default)]
    pub programs: Vec<String>,
    /// Whether `tune` sets it.
    #[serde(default = "yes")]
    pub set: bool,
    /// Whether some of the settings may refuse.
    #[serde(default)]
    pub refusable: bool,
    /// Boot parameter that does the same.
    #[serde(default)]
    pub boot: Option<String>,
    /// Whether a change of it starts a new epoch: settings do, readings of the moment don't.
    #[serde(default = "yes")]
    pub lasting: bool,
    /// How to verify the effect.
    pub verify: String,
    /// What it costs.
    pub cost: String,
    /// What to do about it by hand.
    pub fix: String,
    /// What to do when root is refused.
    #[serde(default)]
    pub bios: Option<String>,
    /// Where the claim comes from.
    pub source: String,
}

const fn yes() -> bool {
    true
}

/// Files that hold a knob.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KnobFile {
    /// Below `/`; one `*` matches a number.
    pub path: String,
    /// What the text is.
    #[serde(default)]
    pub format: ValueFormat,
    /// Words for what the file says.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    /// Values that mean: not on this hardware.
    #[serde(default)]
    pub absent: Vec<String>,
    /// What shows that it works.
    #[serde(default)]
    pub effect: Option<EffectCheck>,
    /// Where the base frequency stands; the first that is there.
    #[serde(default)]
    pub base: Vec<BaseFrequency>,
}

/// A file and what it says when the knob works.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectCheck {
    /// Below `/`.
    pub path: String,
    /// The text.
    pub is: String,
}

/// Where a base frequency stands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseFrequency {
    /// Below `/`; `{n}` is the number that the setting's `*` stood for.
    pub path: String,
    /// What makes it kHz.
    #[serde(default = "one")]
    pub times: u64,
}

const fn one() -> u64 {
    1
}

/// How found and wanted are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchRule {
    /// They are the same.
    #[default]
    Same,
    /// The CPUs found are among those wanted.
    Subset,
}

/// What takes more than reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnobProbe {
    /// Devices and files that are swapped to.
    Swap,
    /// CPUs that are kept free of other work.
    Isolated,
    /// What the kernel does about the processor's faults.
    Mitigations,
    /// Which of `programs` run.
    Running,
    /// Waiting for a CPU, in percent.
    Pressure,
    /// Throttle events since the boot.
    Throttles,
    /// Memory errors since the boot.
    MemoryErrors,
    /// Time taken by the hypervisor since the boot.
    Steal,
}

/// The wanted value, with the `@` words resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WantedValue<'a> {
    /// A value.
    Value(&'a str),
    /// The base frequency.
    BaseFrequency,
    /// The CPUs that do everything else.
    Housekeeping,
    /// The CPUs that are measured on.
    Benchmark,
}

impl<'a> WantedValue<'a> {
    /// Tells them apart.
    pub fn new(text: &'a str) -> Option<Self> {
        match text {
            "@base" => Some(Self::BaseFrequency),
            "@housekeeping" => Some(Self::Housekeeping),
            "@benchmark" => Some(Self::Benchmark),
            other => (!other.starts_with('@')).then_some(Self::Value(other)),
        }
    }
}
