//! `shakedown github issue`.

use super::args;
use crate::{
    exit::Exit,
    github::causes::{self, Issue},
    history,
    output::print,
};
use anyhow::{Context, Result};
use clap::{Subcommand, ValueHint};
use shakedown_forge::{
    Forge, ForgeError, Key,
    issue::{self, Put},
};
use std::{fs, path::PathBuf};

/// Opens, updates and closes issues: one a cause, found by a hidden marker and by its author.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown github issue open --key unfit:bench-1 --title 'bench-1 is not fit' --body check.md
  shakedown github issue close --key unfit:bench-1 --comment 'fit again'
  shakedown github issue changes --history shakedown-history --label performance")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Open the issue of a cause, or update the one that is open
    Open(OpenArgs),
    /// Close the issue of a cause, if one is open
    Close(CloseArgs),
    /// One issue for every confirmed change of the history that is still there; the others are
    /// closed
    Changes(ChangesArgs),
}

#[derive(Debug, clap::Args)]
struct OpenArgs {
    /// What the cause is called; the same key is the same issue
    #[arg(long)]
    key: String,
    /// Title
    #[arg(long)]
    title: String,
    /// File with the text, in Markdown, taken as it is; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    body: PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct CloseArgs {
    /// What the cause is called
    #[arg(long)]
    key: String,
    /// What to say when closing
    #[arg(long, value_name = "TEXT", default_value = "This is gone.")]
    comment: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct ChangesArgs {
    #[command(flatten)]
    history: history::Place,
    /// Where the dashboard is, for links
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct Common {
    /// Label of the issue; may be repeated
    #[arg(long)]
    label: Vec<String>,
    /// Who opens the issues [default: whose the token is, or github-actions[bot]]
    #[arg(long, value_name = "LOGIN")]
    author: Option<String>,
    #[command(flatten)]
    forge: args::Forge,
}

/// Opens, updates or closes.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(args: Args) -> Result<Exit> {
    match args.verb {
        Verb::Open(args) => open(args),
        Verb::Close(args) => close(args),
        Verb::Changes(args) => changes(args),
    }
}

impl Common {
    /// Talks to the forge, as whoever opens the issues.
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
    let key: Key = key.parse()?;
    let text = if body.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin()).context("can't read standard input")?
    } else {
        fs::read_to_string(&body).with_context(|| format!("can't read {}", body.display()))?
    };
    let put = common.with(|forge, author, labels| {
        let (labels, author) = (&labels, &author);
        let wanted = issue::Wanted { key: &key, title: &title, text: &text, labels, author };
        issue::put(forge, &wanted)
    })?;
    print(&told(put))?;
    Ok(Exit::Done)
}

fn told(put: Put) -> String {
    match put {
        Put::Opened(number) => format!("opened #{number}\n"),
        Put::Updated(number) => format!("updated #{number}\n"),
        Put::Unchanged(number) => format!("#{number} says so already\n"),
        Put::Planned => String::new(),
    }
}

fn close(args: CloseArgs) -> Result<Exit> {
    let CloseArgs { key, comment, common } = args;
    let key: Key = key.parse()?;
    let closed = common.with(|forge, author, _| issue::close(forge, &key, &author, &comment))?;
    for number in closed {
        print(&format!("closed #{number}\n"))?;
    }
    Ok(Exit::Done)
}

fn changes(args: ChangesArgs) -> Result<Exit> {
    let ChangesArgs { history, site, common } = args;
    let wanted = causes::wanted(&history.folder, site.as_deref())?;
    let lines = common.with(|forge, author, labels| {
        let mut lines = Vec::new();
        for one in &wanted {
            let Issue { key, says } = one;
            let (labels, author) = (&labels, &author);
            let put = issue::Wanted { key, title: &says.title, text: &says.text, labels, author };
            lines.push(told(issue::put(forge, &put)?));
        }
        for open in issue::open(forge, &author)? {
            let ours = open.key.to_string().starts_with(causes::PREFIX);
            if ours && !wanted.iter().any(|one| one.key == open.key) {
                let why = "The numbers have come back, or the change was dismissed.";
                issue::close(forge, &open.key, &author, why)?;
                lines.push(format!("closed #{}\n", open.number));
            }
        }
        Ok(lines)
    })?;
    print(&lines.concat())?;
    Ok(Exit::Done)
}
