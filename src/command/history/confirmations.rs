//! `shakedown history confirmations`.

use super::pool::PoolArgs;
use crate::{
    exit::Exit,
    history::changes::confirmation_table,
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_store::change;

/// Chooses the suspects to measure again tonight: one of each cause, those for the worse and the largest
/// first, as many as each host has time for. Lists the causes that have to wait, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A cause that nothing was decided about comes before one of which a suspect was dismissed. One with a
confirmed suspect needs no other one. There are never more than 256, the jobs that GitHub makes of one
matrix.")]
pub struct Args {
    #[command(flatten)]
    pool: PoolArgs,
}

/// Chooses.
pub fn confirmations(args: &Args) -> Result<Exit> {
    let causes = args.pool.causes()?;
    let plan = change::tonight(&causes, &args.pool.hosts(), args.pool.each(6.0, 90));
    if args.pool.json {
        print_json(&plan)?
    } else {
        print(&confirmation_table(&plan))?
    }
    Ok(Exit::Done)
}
