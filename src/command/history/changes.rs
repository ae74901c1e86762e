//! Changes over the nights.

use crate::{
    clock::now_ms,
    exit::Exit,
    history::{
        BisectArguments, HistoryArgs,
        changes::{self, BisectRange, cause_table, suspect_table},
        describe, find_suspect,
    },
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_store::change::{self, SuspectState, SuspectSummary};

#[derive(Debug, clap::Args)]
pub struct ChangesArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// List known suspects without looking for new ones
    #[arg(long)]
    no_scan: bool,
    /// Expected number of false suspects per year, over the whole history
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    budget: f64,
    /// Also list confirmed and dismissed changes
    #[arg(long)]
    all: bool,
    /// Exit with 1 if this call found a regression
    #[arg(long)]
    fail: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Looks for changes and lists the suspects.
pub fn changes(args: ChangesArgs) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let worse = !args.no_scan && changes::scan(&store, &index, args.budget)?;
    let suspects = changes::suspects(&store, &index, args.all)?;
    if args.json {
        print_json(&suspects)?
    } else {
        print(&suspect_table(&suspects))?
    }
    Ok(if args.fail && worse { Exit::Regressed } else { Exit::Done })
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A cause is one family of scenarios that changed between the same two revisions, in any variant,
metric or host. Its id is the same on every host and never changes, so the issue of a cause can
always be found again.")]
pub struct CausesArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Also list causes whose suspects were all dismissed
    #[arg(long)]
    all: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Groups the known suspects by cause.
pub fn causes(args: CausesArgs) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let causes = changes::causes(&store, &index, args.all)?;
    if args.json {
        print_json(&causes)?
    } else {
        print(&cause_table(&causes))?
    }
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct DecideArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Id of the suspect
    suspect: String,
    /// The decision
    #[arg(value_enum)]
    state: DecisionArg,
    /// Evidence for it: the run that measured the suspect again, or a reason
    #[arg(long)]
    evidence: String,
    /// Print the suspect as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum DecisionArg {
    /// The change is real
    Confirmed,
    /// There is no change
    Dismissed,
}

/// Stores a decision.
pub fn decide(args: DecideArgs) -> Result<Exit> {
    let state = match args.state {
        DecisionArg::Confirmed => SuspectState::Confirmed,
        DecisionArg::Dismissed => SuspectState::Dismissed,
    };
    let store = args.history.store()?;
    let known = change::decide(&store, &args.suspect, state, &args.evidence, now_ms()?)?;
    let summary = SuspectSummary::new(known, None);
    if args.json {
        print_json(&summary)?
    } else {
        print(&suspect_table(&[summary]))?
    }
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct BisectArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Id of the suspect; see `shakedown history changes`
    suspect: String,
    /// Print the arguments, one a line, with which `shakedown bisect` searches the range where there is no
    /// history, as in a sandbox
    #[arg(long, conflicts_with = "json")]
    arguments: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the last good and the first bad revision of a change.
pub fn bisect_range(args: BisectArgs) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let suspect = describe(&index, find_suspect(&store, &args.suspect)?)?;
    if args.arguments {
        let lines = BisectArguments::new(&store, &suspect)?.lines();
        print(&(lines.join("\n") + "\n"))?;
        return Ok(Exit::Done);
    }
    let range = BisectRange::new(&suspect);
    if args.json {
        print_json(&range)?
    } else {
        print(&range.text())?
    }
    Ok(Exit::Done)
}
