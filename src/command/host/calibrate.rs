//! `shakedown host calibrate`.

use crate::{
    exit::Exit,
    history,
    host_options::HostOptions,
    output::{print, print_json},
    policies::Policies,
    session::calibrate::{CalibrationCondition, CalibrationOptions, calibrate, calibration_table},
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_protocol::Subject;
use std::path::PathBuf;

/// Compares a subject with itself and reports how much the results differ: with relinked builds, and if
/// asked for with one binary, with counts beside the times, and with all other CPUs busy.
///
/// Adds the relinked run to the history. `shakedown compare` reads the noise of this host there. Each
/// block runs three links of each side. Two blocks are a first calibration: the gate
/// needs five links of a scenario. Thirty give a good estimate; each night adds some.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Subject to compare with itself
    #[arg(default_value = "rustls")]
    subject: Subject,
    /// Suite to calibrate for, by name or as a TOML file
    #[arg(long, short, default_value = "pr")]
    suite: String,
    /// Measure only scenarios whose ids match (`*` matches anything); may be repeated
    #[arg(long, value_name = "GLOB")]
    only: Vec<String>,
    /// Blocks per condition
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=60))]
    blocks: u32,
    /// Conditions to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [CalibrationCondition::Relinked])]
    conditions: Vec<CalibrationCondition>,
    /// Maximum spread of relinked builds on a fit host, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    limit: f64,
    #[command(flatten)]
    policies: Policies,
    /// Folder for the records and noise.json; must not contain a run [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    history: history::HistoryArgs,
    /// Duration of each kernel tracer in seconds; the tracers show what takes time from the benchmark
    /// CPUs; 0 skips them
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=3600))]
    osnoise: u64,
    #[command(flatten)]
    host_options: HostOptions,
    /// Print the noise as JSON
    #[arg(long)]
    json: bool,
}

/// Calibrates; exits with 4 if the spread exceeds the limit.
///
/// # Errors
/// Bad input, failed builds, a host that was disturbed throughout.
pub fn run(args: Args) -> Result<Exit> {
    let json = args.json;
    let (calibrated, path) = calibrate(&args.into())?;
    if json {
        print_json(&calibrated)?;
    } else {
        print(&calibration_table(&calibrated))?;
    }
    eprintln!("{}", path.display());
    Ok(if calibrated.fit == Some(false) { Exit::Host } else { Exit::Done })
}

impl From<Args> for CalibrationOptions {
    fn from(args: Args) -> Self {
        Self {
            subject: args.subject,
            suite: args.suite,
            only: args.only,
            blocks: args.blocks,
            conditions: args.conditions,
            limit: args.limit,
            policies: args.policies,
            out: args.out,
            history: args.history.folder,
            osnoise: args.osnoise,
            host_options: args.host_options,
        }
    }
}
