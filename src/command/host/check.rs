//! `shakedown host check`.

use crate::exit::Exit;
use anyhow::Result;
use comfy_table::{ContentArrangement, Table, presets};
use protocol::{HostFacts, Knob};
use serde::Serialize;
use std::io::IsTerminal;

/// Compares every knob with what a quiet host has; exits with 4 when the host is not fit.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::Machine,
    /// As JSON: {fit, epoch, knobs: [{name, found, wanted, state, fix}]}
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Check<'a> {
    fit: bool,
    epoch: &'a str,
    knobs: &'a [Knob],
}

/// Checks.
///
/// # Errors
/// If `/proc` can't be read.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let facts = host::observe(&args.machine.root())?;
    if args.json {
        let check = Check { fit: facts.fit, epoch: &facts.epoch.id, knobs: &facts.knobs };
        crate::command::print_json(&check)?;
    } else {
        crate::command::print(&text(&facts))?;
    }
    Ok(if facts.fit { Exit::Done } else { Exit::Host })
}

fn text(facts: &HostFacts) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if !std::io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
    table.set_header(["knob", "state", "found", "wanted", "fix"]);
    for knob in &facts.knobs {
        let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        table.add_row([
            knob.name.clone(),
            knob.state.to_string(),
            shown(&knob.found),
            shown(&knob.wanted),
            knob.fix.clone(),
        ]);
    }
    let verdict = match (facts.fit, facts.virtualization.as_str()) {
        (true, _) => "fit: this host is set as a quiet one".to_owned(),
        (false, "none") => "not fit: see the knobs that differ".to_owned(),
        (false, guest) => {
            format!("not fit: a virtual machine ({guest}) shares its host with others")
        }
    };
    format!("{table}\n\n{verdict}\nepoch {}\n", facts.epoch.id)
}
