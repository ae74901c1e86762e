//! `shakedown history confirmations`.

use crate::{
    exit::Exit,
    history::{
        HistoryArgs,
        changes::{self, confirmation_table},
    },
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_store::change;
use std::collections::BTreeMap;

/// Chooses the suspects to measure again tonight: one of each cause, those for the worse and the largest
/// first, as many as each host has time for. Lists the causes that have to wait, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A cause that nothing was decided about comes before one of which a suspect was dismissed. One with a
confirmed suspect needs no other one. There are never more than 256, the jobs that GitHub makes of one
matrix.")]
pub struct Args {
    #[command(flatten)]
    history: HistoryArgs,
    /// A host of the pool and its epoch; may be repeated
    #[arg(long, value_name = "EPOCH=HOST", required = true, value_parser = host)]
    host: Vec<(String, String)>,
    /// Hours that each host has for confirmations
    #[arg(long, value_name = "N", default_value_t = 6.0)]
    hours: f64,
    /// Minutes after which a confirmation is given up: each one counts as so many
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..))]
    minutes: u32,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

fn host(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((epoch, host)) if !epoch.is_empty() && !host.is_empty() => {
            Ok((epoch.to_owned(), host.to_owned()))
        }
        _ => Err("write EPOCH=HOST".to_owned()),
    }
}

/// Chooses.
pub fn confirmations(args: &Args) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let causes = changes::causes(&store, &index, false)?;
    let hosts: BTreeMap<String, String> = args.host.iter().cloned().collect();
    // A number that is none has no time.
    let each = (args.hours * 60.0 / f64::from(args.minutes)) as usize;
    let plan = change::tonight(&causes, &hosts, each);
    if args.json {
        print_json(&plan)?
    } else {
        print(&confirmation_table(&plan))?
    }
    Ok(Exit::Done)
}
