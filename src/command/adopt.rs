//! `shakedown adopt`.

use crate::{
    adopt::{
        AdoptionRequest,
        check::{all_items, is_complete, text},
        files::{self, CHECKLIST},
    },
    exit::Exit,
    github::access::ForgeAccess,
    output::{print, print_json},
    project::ProjectRoot,
};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_forge::RepoName;
use std::path::PathBuf;

/// Writes what a repository needs to be measured: workflows, a policy, and a checklist of what is left to
/// do by hand. With --check, asks GitHub what of it is missing, and writes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown adopt rustls/rustls --into ../rustls --stack rustls+ring --shakedown me/shakedown
  GITHUB_TOKEN=$(gh auth token) shakedown adopt rustls/rustls --check --shakedown me/shakedown

--check exits with 2 where something is missing. It asks with GITHUB_TOKEN or --token-file; a token that may
read administration, variables and actions of the repository sees everything. What a token may not ask is
listed as unknown.")]
pub struct Args {
    /// The repository that is measured
    #[arg(value_name = "OWNER/NAME")]
    repo: RepoName,
    /// Say what is missing, and write nothing
    #[arg(long)]
    check: bool,
    /// Checkout of the repository to write the files into
    #[arg(long, value_name = "DIR", required_unless_present = "check", value_hint = ValueHint::DirPath)]
    into: Option<PathBuf>,
    /// Stack, with variants if any (rustls+ring) [default: the repository's name]
    #[arg(long)]
    stack: Option<String>,
    /// The repository with the tool that measures and judges
    #[arg(long, value_name = "OWNER/NAME")]
    shakedown: RepoName,
    /// Commit of it [default: that of this clone]
    #[arg(long, value_name = "SHA")]
    shakedown_ref: Option<String>,
    /// The repository has a merge queue
    #[arg(long)]
    merge_queue: bool,
    /// Replace files that differ
    #[arg(long, conflicts_with = "check")]
    force: bool,
    /// Print the items of --check as JSON: [{what, state, found, fix}]
    #[arg(long, requires = "check")]
    json: bool,
    #[command(flatten)]
    access: ForgeAccess,
}

/// Writes or checks.
///
/// # Errors
/// A stack that is not known; files that differ; errors of the forge.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let request = AdoptionRequest {
        repo: args.repo,
        stack: args.stack,
        tool: args.shakedown,
        commit: args.shakedown_ref,
        merge_queue: args.merge_queue,
    };
    if args.check {
        let items = all_items(&root, request, &args.access)?;
        if args.json {
            print_json(&items)?
        } else {
            print(&text(&items))?
        }
        return Ok(if is_complete(&items) { Exit::Done } else { Exit::Input });
    }
    let into = args.into.as_deref().context("name a checkout with --into")?;
    let adoption = request.resolve(&root, true)?;
    let written = files::write(into, &files::files(&root, &adoption)?, args.force)?;
    let mut text: String = written.iter().map(|path| format!("wrote {path}\n")).collect();
    text += &format!("{CHECKLIST} lists what is left to do\n");
    print(&text)?;
    Ok(Exit::Done)
}
