//! `shakedown host epoch`.

use crate::{
    exit::Exit,
    output::{print, print_json},
};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_protocol::{Epoch, RunRecord};
use std::{fmt::Write, fs, path::Path};

/// Shows the epoch id of this host, or what changed between two epochs.
///
/// Hardware, microcode, kernel, knobs and the system's toolchains determine the epoch. Results are
/// compared inside one epoch only.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::MachineArgs,
    /// Explain what changed from A to B: run records, files written with `--json`, or `now`
    #[arg(long, num_args = 2, value_names = ["A", "B"], value_hint = ValueHint::FilePath)]
    explain: Option<Vec<String>>,
    /// As JSON: {id, facts}, or with --explain a list of sentences
    #[arg(long)]
    json: bool,
}

/// Shows or explains.
///
/// # Errors
/// If a file is neither a run record nor an epoch.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let now = || -> Result<Epoch> { Ok(shakedown_host::facts(&args.machine.root())?.epoch) };
    let Some(names) = &args.explain else {
        let epoch = now()?;
        if args.json {
            print_json(&epoch)?;
        } else {
            print(&text(&epoch))?;
        }
        return Ok(Exit::Done);
    };
    let load = |name: &String| if name == "now" { now() } else { load(Path::new(name)) };
    let epochs = names.iter().map(load).collect::<Result<Vec<Epoch>>>()?;
    let [before, after] = &epochs[..] else { unreachable!("clap asks for two") };
    let changes = shakedown_host::changes(before, after);
    if args.json {
        print_json(&changes)?;
    } else if changes.is_empty() {
        print(&format!("the same epoch, {}\n", before.id))?;
    } else {
        let lines: String = changes.iter().map(|change| format!("  {change}\n")).collect();
        print(&format!("{} became {}:\n{lines}", before.id, after.id))?;
    }
    Ok(Exit::Done)
}

/// The epoch in a run record (or in the folder of one), or the one in a file of its own.
fn load(path: &Path) -> Result<Epoch> {
    let file = if path.is_dir() { path.join("record.json") } else { path.to_owned() };
    let text =
        fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
    if let Ok(epoch) = serde_json::from_str::<Epoch>(&text) {
        return Ok(epoch);
    }
    let record = RunRecord::from_json(&text)
        .with_context(|| format!("{} is neither an epoch nor a run record", file.display()))?;
    Ok(record.host.epoch)
}

fn text(epoch: &Epoch) -> String {
    let mut text = format!("{}\n", epoch.id);
    let width = epoch.facts.keys().map(String::len).max().unwrap_or(0);
    for (name, value) in &epoch.facts {
        let _ = writeln!(text, "  {name:<width$}  {value}");
    }
    text
}
