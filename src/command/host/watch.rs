//! `shakedown host watch`.

use crate::{
    exit::Exit,
    host_text,
    output::{print, print_json_line},
};
use anyhow::Result;
use shakedown_host::{
    Assignment, CpuSet,
    watch::{CoolDown, Watch, cool_down},
};
use std::{thread, time::Duration};

/// Watch the host: throttling, effective frequency, CPU pressure, steal time, interrupts, memory
/// errors, SMIs, temperature and kernel messages.
///
/// Leaves out what only root can read.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::MachineArgs,
    /// Seconds between two lines
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    interval: f64,
    /// Number of lines to print [default: until interrupted]
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// CPUs to watch [default: the benchmark CPUs]
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Only wait until the hottest sensor is below this temperature in degrees Celsius; exits with
    /// 4 if it stays above
    #[arg(long, value_name = "DEGREES", conflicts_with_all = ["count", "cpus", "json"])]
    wait_below: Option<f64>,
    /// Maximum time to wait for --wait-below, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds)]
    patience: f64,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Reads a time that can be waited for.
fn seconds(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    let day = 86_400.0;
    if (0.0..=day).contains(&number) { Ok(number) } else { Err(format!("0 to {day} seconds")) }
}

/// Watches.
///
/// # Errors
/// When nobody reads the lines.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = args.machine.root();
    if let Some(degrees) = args.wait_below {
        return wait(&root, degrees, Duration::from_secs_f64(args.patience));
    }
    let cpus = args.cpus.clone().unwrap_or_else(|| Assignment::of(&root).measured());
    let mut watch = Watch::new(&root, cpus);
    for _ in 0..args.count.unwrap_or(u64::MAX) {
        thread::sleep(Duration::from_secs_f64(args.interval));
        let found = watch.delta();
        if args.json {
            print_json_line(&found)?;
        } else {
            print(&host_text::watch(&found))?;
        }
    }
    Ok(Exit::Done)
}

fn wait(root: &shakedown_host::HostRoot, degrees: f64, patience: Duration) -> Result<Exit> {
    let limit = (degrees * 1000.0) as i64;
    let mut last = None;
    let cooled = cool_down(root, limit, patience, |now| {
        // Every degree, not every second.
        if last != Some(now / 1000) {
            eprintln!("{:.1} °C, waiting for less than {degrees} °C", now as f64 / 1000.0);
            last = Some(now / 1000);
        }
    });
    match cooled {
        CoolDown::Yes => Ok(Exit::Done),
        CoolDown::Unknown => {
            eprintln!("this host has no temperature sensor: not waiting");
            Ok(Exit::Done)
        }
        CoolDown::No => {
            eprintln!("error: still above {degrees} °C: check the cooling");
            Ok(Exit::Host)
        }
    }
}
