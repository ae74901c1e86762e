//! `shakedown confirm`.

use crate::{
    confirm::{ConfirmOptions, ConfirmResult, arguments, confirm},
    exit::Exit,
    history::HistoryArgs,
    host_options::HostOptions,
    output::{print, print_json},
    policies::Policies,
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_protocol::Subject;
use shakedown_report::plain;
use shakedown_store::change::{SuspectState, SuspectSummary};
use std::path::PathBuf;

/// Compares the last good revision of a suspect with its first bad one, by the rule of the gate, and
/// records the decision: confirmed, dismissed, or still a suspect.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The run becomes part of the history, as the evidence. Exit code 1: the suspect is confirmed and
for the worse; 5: inconclusive, it stays a suspect; 0: dismissed, or confirmed and for the better.
A suspect that was decided before is not measured again.

A folder's old state is measured from the build cache. Where it is not there any more, name it:
  shakedown confirm 4f1d2c3b4a59 --last-good rustls@path:../good --first-bad rustls@path:../bad")]
pub struct Args {
    #[command(flatten)]
    history: HistoryArgs,
    /// Id of the suspect; see `shakedown history changes`
    suspect: String,
    /// The last good revision as a subject, if its recorded source is gone
    #[arg(long, value_name = "SUBJECT")]
    last_good: Option<Subject>,
    /// The first bad revision as a subject, if its recorded source is gone
    #[arg(long, value_name = "SUBJECT")]
    first_bad: Option<Subject>,
    /// Suite whose budgets apply, by name or as a TOML file [default: the suite of the nightly run]
    #[arg(long, short)]
    suite: Option<String>,
    #[command(flatten)]
    policies: Policies,
    /// Folder for the record and the reports; must not contain a record [default: runs/<id>]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    host_options: HostOptions,
    /// Measure nothing; print the arguments, one a line, with which `shakedown compare` measures it where
    /// there is no history, as in a sandbox
    #[arg(long, conflicts_with_all = ["json", "out", "record"])]
    arguments: bool,
    /// Measure nothing; decide by the record of such a comparison, a record.json or its folder
    #[arg(long, value_name = "RECORD", value_hint = ValueHint::AnyPath, conflicts_with = "out")]
    record: Option<PathBuf>,
    /// Print the decision as JSON
    #[arg(long)]
    json: bool,
}

/// Confirms, dismisses, or leaves undecided.
///
/// # Errors
/// An unknown suspect, revisions that no longer build, and the errors of `compare`.
pub fn run(args: Args) -> Result<Exit> {
    let Args { history, suspect, last_good, first_bad, suite, policies, out, host_options, .. } =
        args;
    let json = args.json;
    let wanted = ConfirmOptions {
        history,
        suspect,
        last_good,
        first_bad,
        suite,
        policies,
        out,
        host_options,
        record: args.record,
    };
    if args.arguments {
        print(&(arguments(&wanted)?.join("\n") + "\n"))?;
        return Ok(Exit::Done);
    }
    let decided = confirm(&wanted)?;
    if json {
        print_json(&decided)?;
    } else {
        print(&text(&decided))?;
    }
    Ok(match (decided.state, decided.suspect.worse) {
        (SuspectState::Suspect, _) => Exit::Inconclusive,
        (SuspectState::Confirmed, true) => Exit::Regressed,
        _ => Exit::Done,
    })
}

fn text(decided: &ConfirmResult) -> String {
    let SuspectSummary { series, last_good, first_bad, .. } = &decided.suspect;
    let line = |name: &str, text: &str| format!("{name:<11} {}\n", plain(text));
    let what = format!("{} {} {}", series.scenario, series.side, series.metric);
    let mut text = line("suspect", &format!("{} of {}", decided.suspect.id, series.subject));
    text += &line("series", &what);
    text += &line("last good", &last_good.revision);
    text += &line("first bad", &first_bad.revision);
    let newest = decided.suspect.decisions.last();
    text += &line("evidence", newest.map_or("", |decision| &decision.evidence));
    text += &line(
        "decision",
        match decided.state {
            SuspectState::Confirmed => "confirmed",
            SuspectState::Dismissed => "dismissed",
            SuspectState::Suspect => "none: it stays a suspect",
        },
    );
    for difference in &decided.between_nights {
        text += &line("also new", &shakedown_report::words::difference(difference));
    }
    text
}
