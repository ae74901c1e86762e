//! The processor.

use crate::{CpuSet, HostError, HostRoot, root::is_numbered};
use shakedown_protocol::CpuInfo;
use std::collections::BTreeSet;

/// Flags of `/proc/cpuinfo` that TLS libraries choose their code by.
const FEATURES: [&str; 24] = [
    "aes",
    "pclmulqdq",
    "sha_ni",
    "ssse3",
    "avx",
    "avx2",
    "bmi1",
    "bmi2",
    "adx",
    "vaes",
    "vpclmulqdq",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512ifma",
    "gfni",
    "rdrand",
    "rdseed",
    "asimd",
    "pmull",
    "sha1",
    "sha2",
    "sha3",
    "sve",
];

/// Reads the processor.
///
/// # Errors
/// If there is no `/proc/cpuinfo`.
pub fn cpu(root: &HostRoot) -> Result<CpuInfo, HostError> {
    let info = root.need("proc/cpuinfo")?;
    let field = |name: &str| field(&info, name).unwrap_or_default().to_owned();
    let flags = format!("{} {}", field("flags"), field("Features"));
    let flags: BTreeSet<&str> = flags.split_whitespace().collect();
    let arm = !field("CPU implementer").is_empty();
    let signature = if arm {
        ["CPU implementer", "CPU part", "CPU variant", "CPU revision"].map(field).join("-")
    } else {
        ["cpu family", "model", "stepping"].map(field).join("-")
    };
    Ok(CpuInfo {
        architecture: architecture(root, arm),
        vendor: if arm { "Arm".to_owned() } else { field("vendor_id") },
        model: if arm { model_of_arm(root) } else { field("model name") },
        signature,
        microcode: Some(field("microcode")).filter(|text| !text.is_empty()),
        features: FEATURES
            .iter()
            .filter(|f| flags.contains(**f))
            .map(|f| (*f).to_owned())
            .collect(),
        online: online(root, &info),
        threads_per_core: threads_per_core(root),
    })
}

/// The value of the first line `name : value`.
pub(crate) fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

fn architecture(root: &HostRoot, arm: bool) -> String {
    // Not `uname`: a captured tree must say what it was captured on.
    let from_kernel = root.read("proc/sys/kernel/arch");
    from_kernel.unwrap_or_else(|| if arm { "aarch64" } else { "x86_64" }.to_owned())
}

fn model_of_arm(root: &HostRoot) -> String {
    root.read("sys/firmware/devicetree/base/model")
        .or_else(|| root.read("sys/class/dmi/id/product_name"))
        .map_or_else(|| "Arm".to_owned(), |model| model.trim_end_matches('\0').to_owned())
}

fn online(root: &HostRoot, info: &str) -> u32 {
    let listed =
        root.read("sys/devices/system/cpu/online").map(|list| CpuSet::parse_lossy(&list).len());
    let counted = || info.lines().filter(|line| line.starts_with("processor")).count();
    u32::try_from(listed.unwrap_or_else(counted)).unwrap_or(u32::MAX)
}

fn threads_per_core(root: &HostRoot) -> u32 {
    let folder = "sys/devices/system/cpu";
    let most =
        root.names(folder).into_iter().filter(|name| is_numbered(name, "cpu")).filter_map(|name| {
            let siblings = root.read(&format!("{folder}/{name}/topology/thread_siblings_list"))?;
            u32::try_from(CpuSet::parse_lossy(&siblings).len()).ok()
        });
    most.max().unwrap_or(1)
}
