//! `shakedown host osnoise`.

use crate::{
    exit::Exit,
    host_lock::take,
    host_text::osnoise,
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_host::{Assignment, CpuSet, osnoise::trace_noise};
use std::time::Duration;

/// Trace what takes time from the benchmark CPUs: interrupts, other threads, firmware.
///
/// Uses the kernel's tracers `osnoise` and `hwlat`, which keep these CPUs busy while they run.
/// Needs root and a kernel that was built with the tracers.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::MachineArgs,
    /// How long each tracer runs, in seconds
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// CPUs to trace [default: the benchmark CPUs]
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Print JSON: {cpus, osnoise: {measured: [...]}, hwlat: {measured: {count, longest_us}}}, with
    /// "unavailable" or {failed: {why}} for a tracer without a result
    #[arg(long)]
    json: bool,
}

/// Traces, and prints the report.
///
/// # Errors
/// If the host's lock can't be used.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = args.machine.root();
    let cpus = args.cpus.clone().unwrap_or_else(|| Assignment::of(&root).measured());
    let _lock = if root.is_captured() { None } else { Some(take(true)?) };
    let report = trace_noise(&root, &cpus, Duration::from_secs(args.seconds));
    if args.json {
        print_json(&report)?;
    } else {
        print(&osnoise(&report))?;
    }
    Ok(Exit::Done)
}
