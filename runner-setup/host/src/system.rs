//! Kernel, distribution and what kind of machine it is.

use crate::{HostError, HostRoot, cpu::field};

/// Kernel release.
///
/// # Errors
/// If `/proc` does not tell.
pub fn kernel(root: &HostRoot) -> Result<String, HostError> {
    root.need("proc/sys/kernel/osrelease")
}

/// Name of the distribution.
pub fn distribution(root: &HostRoot) -> String {
    let release = root.read("etc/os-release").or_else(|| root.read("usr/lib/os-release"));
    let name = release.as_deref().and_then(|text| {
        text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).map(|v| v.trim_matches('"'))
    });
    name.unwrap_or("unknown system").to_owned()
}

/// Physical memory, in KiB.
///
/// # Errors
/// If `/proc` does not tell.
pub fn memory_kib(root: &HostRoot) -> Result<u64, HostError> {
    let info = root.need("proc/meminfo")?;
    let total = field(&info, "MemTotal").and_then(|text| text.split_whitespace().next());
    Ok(total.and_then(|number| number.parse().ok()).unwrap_or(0))
}

/// `none` on bare metal, otherwise the hypervisor.
pub fn virtualization(root: &HostRoot) -> String {
    if let Some(kind) = root.read("sys/hypervisor/type") {
        return kind;
    }
    let dmi = |name: &str| root.read(&format!("sys/class/dmi/id/{name}")).unwrap_or_default();
    let names = format!("{} {} {}", dmi("sys_vendor"), dmi("product_name"), dmi("bios_vendor"));
    for (mark, name) in [
        ("QEMU", "qemu"),
        ("KVM", "kvm"),
        ("Amazon EC2", "amazon"),
        ("Google", "google"),
        ("VMware", "vmware"),
        ("innotek", "oracle"),
        ("Xen", "xen"),
        ("Microsoft Corporation Virtual", "microsoft"),
    ] {
        if names.contains(mark) && is_guest(root) {
            return name.to_owned();
        }
    }
    if is_guest(root) { "unknown hypervisor" } else { "none" }.to_owned()
}

/// Whether the processor says that a hypervisor is below it (x86), or the firmware is one that
/// only guests have (Arm).
fn is_guest(root: &HostRoot) -> bool {
    let info = root.read("proc/cpuinfo").unwrap_or_default();
    let flag =
        field(&info, "flags").is_some_and(|f| f.split_whitespace().any(|f| f == "hypervisor"));
    let arm = field(&info, "CPU implementer").is_some();
    flag || arm && root.read("sys/class/dmi/id/sys_vendor").is_some_and(|v| v.contains("QEMU"))
}
