//! What the kernel's tracers saw, for people.

use shakedown_host::osnoise::{CpuNoise, OsnoiseReport, TracerResult};
use shakedown_report as report;
use std::fmt::Write;

/// What people read.
pub fn osnoise(report: &OsnoiseReport) -> String {
    let mut text = format!("interference on CPUs {}\n", report.cpus);
    match &report.osnoise {
        TracerResult::Measured(cpus) => text.push_str(&table(cpus)),
        TracerResult::Unavailable => text.push_str("osnoise: this kernel was built without it\n"),
        TracerResult::Failed { why } => _ = writeln!(text, "osnoise: {why}"),
    }
    match &report.hwlat {
        TracerResult::Measured(hardware_latency) if hardware_latency.count == 0 => {
            text.push_str("hwlat: no hardware latency\n");
        }
        TracerResult::Measured(hardware_latency) => {
            let (count, longest) = (hardware_latency.count, hardware_latency.longest_us);
            _ = writeln!(text, "hwlat: hardware latency {count} times, at most {longest} µs");
        }
        TracerResult::Unavailable => text.push_str("hwlat: this kernel was built without it\n"),
        TracerResult::Failed { why } => _ = writeln!(text, "hwlat: {why}"),
    }
    text
}

fn table(cpus: &[CpuNoise]) -> String {
    if cpus.is_empty() {
        return "osnoise: no data, because it ran for less than a second\n".to_owned();
    }
    let mut table = report::grid();
    let head = ["cpu", "noise", "longest", "hardware", "NMIs", "IRQs", "softirqs", "threads"];
    table.set_header(head);
    for one in cpus {
        let share = one.noise_us as f64 / one.span_us.max(1) as f64;
        table.add_row([
            one.cpu.to_string(),
            report::decimal_percent(share, 4),
            format!("{} µs", one.longest_us),
            one.hardware.to_string(),
            one.nmis.to_string(),
            one.irqs.to_string(),
            one.softirqs.to_string(),
            one.threads.to_string(),
        ]);
    }
    format!("{table}\n")
}
