//! `shakedown history bisections` and `shakedown history bisected`.

use super::pool::PoolArgs;
use crate::{
    bisect::result,
    clock::now_ms,
    exit::Exit,
    history::{BisectArguments, HistoryArgs, describe, find_suspect},
    output::{print, print_json},
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_report::{bisection_text, columns, plain};
use shakedown_store::change;
use std::path::PathBuf;

/// Chooses the confirmed changes whose commit is searched tonight: one suspect of each cause that was not
/// bisected yet and whose revisions are different commits, as many as each host has time for. A suspect of
/// a count comes first.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pool: PoolArgs,
}

/// Chooses.
pub fn bisections(args: &Args) -> Result<Exit> {
    let causes = args.pool.causes()?;
    let plan = change::bisections(&causes, &args.pool.hosts(), args.pool.each(4.0, 120));
    if args.pool.json {
        print_json(&plan)?;
        return Ok(Exit::Done);
    }
    let row = |one: &change::PlannedConfirmation| {
        vec![one.cause.clone(), one.id.clone(), plain(&one.host)]
    };
    let rows: Vec<Vec<String>> = plan.iter().map(row).collect();
    print(&columns(&["cause", "suspect", "host"], 3, &rows))?;
    Ok(Exit::Done)
}

/// Keeps what `shakedown bisect` found for a confirmed suspect, with the arguments that `bisect-range
/// --arguments` prints: commits, authors, functions. The issue of the change then names them.
#[derive(Debug, clap::Args)]
pub struct BisectedArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Id of the suspect
    suspect: String,
    /// Folder of the bisection. Nothing in it is trusted
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    bisection: PathBuf,
    /// Keep nothing; print what would be kept
    #[arg(long)]
    show: bool,
}

/// Keeps it.
pub fn bisected(args: &BisectedArgs) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let suspect = describe(&index, find_suspect(&store, &args.suspect)?)?;
    let found = result(&args.bisection, &BisectArguments::new(&store, &suspect)?)?;
    print(&bisection_text(&found, suspect.repository.as_deref()))?;
    if !args.show {
        change::bisected(&store, &args.suspect, found, now_ms()?)?;
    }
    Ok(Exit::Done)
}
