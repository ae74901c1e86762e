//! `shakedown host osnoise`.

use crate::{
    command::{print, print_json},
    exit::Exit,
};
use anyhow::Result;
use shakedown_host::{
    Assignment, Cpus, HostRoot,
    osnoise::{Asked, CpuNoise, Report, ask},
};
use shakedown_report as report;
use std::{fmt::Write, time::Duration};

/// Asks the kernel's tracers `osnoise` and `hwlat` what takes time from the benchmark CPUs:
/// interrupts, other threads, firmware.
///
/// Keeps these CPUs busy meanwhile. Needs root, and a kernel that has the tracers; says so where
/// it has not.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::Machine,
    /// Seconds for each of the two
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// CPUs to ask about [default: those for benchmarks]
    #[arg(long, value_name = "LIST")]
    cpus: Option<Cpus>,
    /// As JSON: {cpus, osnoise: {found: [...]}, hwlat: {found: {count, longest_us}}}, or
    /// "absent", or {refused: {why}}
    #[arg(long)]
    json: bool,
}

/// Asks.
///
/// # Errors
/// If the host's lock can't be used.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = args.machine.root();
    let cpus = args.cpus.clone().unwrap_or_else(|| of_benchmarks(&root));
    let _lock = if root.is_captured() { None } else { Some(super::hold::take(true)?) };
    let report = ask(&root, &cpus, Duration::from_secs(args.seconds));
    if args.json {
        print_json(&report)?;
    } else {
        print(&text(&report))?;
    }
    Ok(Exit::Done)
}

/// The CPUs that are measured on, or all where there are none of their own.
pub(super) fn of_benchmarks(root: &HostRoot) -> Cpus {
    let Assignment { benchmark, housekeeping } = Assignment::of(root);
    if benchmark.is_empty() { housekeeping } else { benchmark }
}

/// What people read.
pub(super) fn text(report: &Report) -> String {
    let mut text = format!("what the kernel sees on CPUs {}\n", report.cpus);
    match &report.osnoise {
        Asked::Found(cpus) => text.push_str(&table(cpus)),
        Asked::Absent => text.push_str("osnoise: not on this kernel\n"),
        Asked::Refused { why } => _ = writeln!(text, "osnoise: {why}"),
    }
    match &report.hwlat {
        Asked::Found(gaps) if gaps.count == 0 => {
            text.push_str("hwlat: the firmware took no time away\n");
        }
        Asked::Found(gaps) => {
            let (count, longest) = (gaps.count, gaps.longest_us);
            _ = writeln!(text, "hwlat: time was taken away {count} times, {longest} µs at most");
        }
        Asked::Absent => text.push_str("hwlat: not on this kernel\n"),
        Asked::Refused { why } => _ = writeln!(text, "hwlat: {why}"),
    }
    text
}

fn table(cpus: &[CpuNoise]) -> String {
    if cpus.is_empty() {
        return "osnoise: it ran too briefly to tell\n".to_owned();
    }
    let mut table = report::grid();
    let head = ["cpu", "noise", "longest", "hardware", "NMIs", "IRQs", "softirqs", "threads"];
    table.set_header(head);
    for one in cpus {
        let share = one.noise_us as f64 / one.span_us.max(1) as f64;
        table.add_row([
            one.cpu.to_string(),
            format!("{:.4} %", share * 100.0),
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
