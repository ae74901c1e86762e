//! `shakedown fleet cross-check`.

use crate::{
    exit::Exit,
    fleet::agreement::text,
    output::{print, print_json},
    record::read,
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_summary::agreement;
use std::path::PathBuf;

/// Compare hosts that measured the same two subjects, and say which one is an outlier
///
/// Each host is compared with the median of the others with the same processor, in the speed of each subject
/// and in their ratio.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with 4 where a host is an outlier.")]
pub(super) struct Args {
    /// The record of each host, or its folder: two subjects, five blocks or more
    #[arg(required = true, value_name = "RECORD", value_hint = ValueHint::AnyPath)]
    records: Vec<PathBuf>,
    /// What a factor must exceed, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    margin: f64,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "write a number".to_owned())?;
    if (0.0..50.0).contains(&value) { Ok(value) } else { Err("0 to 50".to_owned()) }
}

/// Probability that all intervals of one class cover.
const COVERAGE: f64 = 0.95;

/// Compares.
///
/// # Errors
/// Records that can't be read, or that do not measure the same.
pub(super) fn run(args: Args) -> Result<Exit> {
    let records = args.records.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let found = agreement(&records, args.margin / 100.0, COVERAGE)?;
    if args.json {
        print_json(&found)?
    } else {
        print(&text(&found))?
    }
    Ok(if found.outliers().next().is_some() { Exit::Host } else { Exit::Done })
}
