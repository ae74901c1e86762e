//! `shakedown github issue`.

use super::args;
use crate::{
    exit::Exit,
    github::{
        causes::{self, WantedIssue},
        drivers,
    },
    history,
    output::print,
};
use anyhow::{Context, Result};
use clap::{Subcommand, ValueHint};
use shakedown_forge::{
    ContentKey, Forge, ForgeError, WriteOutcome,
    issue::{self, IssueContent},
};
use std::{fs, path::PathBuf};

/// Opens, updates and closes issues: one for each cause, found by a hidden marker and its author.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown github issue open --key unfit:bench-1 --title 'bench-1 is not fit' --body check.md
  shakedown github issue close --key unfit:bench-1 --comment 'fit again'
  shakedown github issue changes --history shakedown-history --label performance
  shakedown github issue drivers --history shakedown-history --label driver")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Open the issue of a cause, or update the open one
    Open(OpenArgs),
    /// Close the issue of a cause, if one is open
    Close(CloseArgs),
    /// Open an issue for every confirmed change of the history that persists, and close the others
    Changes(ChangeIssuesArgs),
    /// Open an issue for every subject that its driver does not fit, with surface, commit and first
    /// error, and close the others
    Drivers(DriverIssuesArgs),
}

#[derive(Debug, clap::Args)]
struct OpenArgs {
    /// Name of the cause; the same key means the same issue
    #[arg(long)]
    key: String,
    /// Title
    #[arg(long)]
    title: String,
    /// File with the Markdown text; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    body: PathBuf,
    #[command(flatten)]
    common: IssueArgs,
}

#[derive(Debug, clap::Args)]
struct CloseArgs {
    /// Name of the cause
    #[arg(long)]
    key: String,
    /// Comment to add when closing
    #[arg(long, value_name = "TEXT", default_value = "This no longer occurs.")]
    comment: String,
    #[command(flatten)]
    common: IssueArgs,
}

#[derive(Debug, clap::Args)]
struct ChangeIssuesArgs {
    #[command(flatten)]
    history: history::HistoryArgs,
    /// URL of the dashboard, for links
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    #[command(flatten)]
    common: IssueArgs,
}

#[derive(Debug, clap::Args)]
struct DriverIssuesArgs {
    #[command(flatten)]
    history: history::HistoryArgs,
    #[command(flatten)]
    common: IssueArgs,
}

#[derive(Debug, clap::Args)]
struct IssueArgs {
    /// Label of the issue; may be repeated
    #[arg(long)]
    label: Vec<String>,
    /// Login under which the issues are opened [default: the token's owner, or github-actions[bot]]
    #[arg(long, value_name = "LOGIN")]
    author: Option<String>,
    #[command(flatten)]
    forge: args::ForgeArgs,
}

/// Opens, updates or closes.
///
/// # Errors
/// Errors of the forge; bad input.
pub fn run(args: Args) -> Result<Exit> {
    match args.verb {
        Verb::Open(args) => open(args),
        Verb::Close(args) => close(args),
        Verb::Changes(args) => changes(args),
        Verb::Drivers(args) => drivers(args),
    }
}

impl IssueArgs {
    /// Runs `work` with a client, the author's login and the labels.
    fn with<T>(
        self,
        work: impl FnOnce(&Forge, String, Vec<String>) -> Result<T, ForgeError>,
    ) -> Result<T> {
        let Self { label, author, forge } = self;
        forge.with(|forge| {
            let author = match author {
                Some(author) => author,
                None => forge.author()?,
            };
            work(forge, author, label)
        })
    }
}

fn open(args: OpenArgs) -> Result<Exit> {
    let OpenArgs { key, title, body, common } = args;
    let key: ContentKey = key.parse()?;
    let text = if body.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin()).context("can't read standard input")?
    } else {
        fs::read_to_string(&body).with_context(|| format!("can't read {}", body.display()))?
    };
    let outcome = common.with(|forge, author, labels| {
        let (labels, author) = (&labels, &author);
        let content = IssueContent { key: &key, title: &title, text: &text, labels, author };
        issue::upsert(forge, &content)
    })?;
    print(&line(outcome))?;
    Ok(Exit::Done)
}

fn line(outcome: WriteOutcome) -> String {
    match outcome {
        WriteOutcome::Created(number) => format!("opened #{number}\n"),
        WriteOutcome::Updated(number) => format!("updated #{number}\n"),
        WriteOutcome::Unchanged(number) => format!("#{number} is up to date\n"),
        WriteOutcome::Superseded(number) => format!("a newer run has written #{number}\n"),
        WriteOutcome::DryRun => String::new(),
    }
}

fn close(args: CloseArgs) -> Result<Exit> {
    let CloseArgs { key, comment, common } = args;
    let key: ContentKey = key.parse()?;
    let closed = common.with(|forge, author, _| issue::close(forge, &key, &author, &comment))?;
    for number in closed {
        print(&format!("closed #{number}\n"))?;
    }
    Ok(Exit::Done)
}

fn changes(args: ChangeIssuesArgs) -> Result<Exit> {
    let ChangeIssuesArgs { history, site, common } = args;
    let wanted = causes::wanted(&history.folder, site.as_deref())?;
    keep_open(&wanted, (causes::PREFIX, causes::GONE), common)
}

fn drivers(args: DriverIssuesArgs) -> Result<Exit> {
    let DriverIssuesArgs { history, common } = args;
    let wanted = drivers::wanted(&history.folder)?;
    keep_open(&wanted, (drivers::PREFIX, drivers::GONE), common)
}

/// Opens or updates the wanted issues, and closes the others whose keys have the prefix.
fn keep_open(wanted: &[WantedIssue], others: (&str, &str), common: IssueArgs) -> Result<Exit> {
    let (written, closed) = common
        .with(|forge, author, labels| causes::update(forge, wanted, others, &author, &labels))?;
    let closed = closed.into_iter().map(|number| format!("closed #{number}\n"));
    print(&written.into_iter().map(line).chain(closed).collect::<String>())?;
    Ok(Exit::Done)
}
