//! `shakedown adopt`.

use crate::{
    adopt::{
        Adoption, LABEL, POLICY, QUEUE, WORKFLOWS,
        files::{self, CHECKLIST},
        inspect::{SetupItem, SetupState, inspect},
        workflow_path,
    },
    clock::now_ms,
    exit::{CommandError, Exit},
    github::{
        refused,
        runner_releases::{RUNNER, published},
    },
    output::{print, print_json},
    project::ProjectRoot,
};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_forge::{Forge, ForgeOptions, RepoName, RetrySleep, Token};
use shakedown_host::SeenRunners;
use std::{path::PathBuf, process::Command};

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
    /// Replace files that have another text
    #[arg(long, conflicts_with = "check")]
    force: bool,
    /// Print the items of --check as JSON: [{what, state, found, fix}]
    #[arg(long, requires = "check")]
    json: bool,
    /// Base URL of the API
    #[arg(
        long,
        value_name = "URL",
        env = "GITHUB_API_URL",
        default_value = "https://api.github.com"
    )]
    api_url: String,
    /// API that knows the releases of the runner
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    releases_api: String,
    /// File with the token [default: the variable GITHUB_TOKEN]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    token_file: Option<PathBuf>,
}

/// Writes or checks.
///
/// # Errors
/// A stack that is not known; files with another text; errors of the forge.
pub fn run(args: Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let adoption = args.adoption(&root)?;
    if args.check {
        return check(&args, &root, &adoption);
    }
    let into = args.into.as_deref().context("name a checkout with --into")?;
    let written = files::write(into, &files::files(&root, &adoption)?, args.force)?;
    let mut text: String = written.iter().map(|path| format!("wrote {path}\n")).collect();
    text += &format!("what is left to do stands in {CHECKLIST}\n");
    print(&text)?;
    Ok(Exit::Done)
}

impl Args {
    fn adoption(&self, root: &ProjectRoot) -> Result<Adoption> {
        let stack = match &self.stack {
            Some(stack) => stack.clone(),
            None => self.repo.to_string().rsplit('/').next().unwrap_or_default().to_owned(),
        };
        let name = stack.split(['+', '@']).next().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || "+-_.@".contains(c);
        let known = root.catalog().join("stacks").join(format!("{name}.toml"));
        // To look at a repository, nothing of its stack has to be known.
        let needed = !self.check || self.stack.is_some();
        if needed && !(stack.chars().all(plain) && known.is_file()) {
            let reason =
                format!("there is no stack `{}`: name one with --stack", stack.escape_default());
            return Err(CommandError::new(Exit::Input, reason).into());
        }
        let commit = match &self.shakedown_ref {
            Some(commit) => commit.clone(),
            None => head(root)?,
        };
        if !shakedown_protocol::is_commit(&commit) {
            let reason = format!("`{}` is not a whole commit", commit.escape_default());
            return Err(CommandError::new(Exit::Input, reason).into());
        }
        Ok(Adoption {
            repo: self.repo.clone(),
            stack,
            tool: self.shakedown.clone(),
            commit,
            merge_queue: self.merge_queue,
        })
    }
}

/// The commit of this clone.
fn head(root: &ProjectRoot) -> Result<String> {
    let git = Command::new("git").arg("-C").arg(root.path()).args(["rev-parse", "HEAD"]).output();
    let output = git.context("can't call git: give --shakedown-ref")?;
    if !output.status.success() {
        let reason = "this is no clone of shakedown: give --shakedown-ref".to_owned();
        return Err(CommandError::new(Exit::Input, reason).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn check(args: &Args, root: &ProjectRoot, adoption: &Adoption) -> Result<Exit> {
    let token = match &args.token_file {
        Some(path) => Some(
            std::fs::read_to_string(path)
                .with_context(|| format!("can't read the token in {}", path.display()))?,
        ),
        None => std::env::var("GITHUB_TOKEN").ok().filter(|token| !token.trim().is_empty()),
    };
    let options = |api_url: &str, repo: &RepoName, token: Option<&String>| ForgeOptions {
        api_url: api_url.to_owned(),
        repo: repo.clone(),
        token: token.map(|token| Token::new(token)),
        tries: 4,
        dry_run: false,
        retry_sleep: RetrySleep::Sleep,
    };
    let forge =
        Forge::new(options(&args.api_url, &adoption.repo, token.as_ref())).map_err(refused)?;
    let mut paths: Vec<String> =
        WORKFLOWS.iter().chain([&QUEUE]).map(|name| workflow_path(name)).collect();
    paths.push(POLICY.to_owned());
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let settings = forge.settings(&paths, &[LABEL]).map_err(refused)?;
    let now_ms = now_ms()?;
    let runner = RUNNER.parse().map_err(refused)?;
    let releases = Forge::anonymous(options(&args.releases_api, &runner, None)).map_err(refused)?;
    let releases = releases.releases().map_err(refused)?;
    let releases = published(&releases).into_iter().map(|(release, _)| release).collect();
    let seen = SeenRunners { checked_ms: now_ms, releases };
    let all = Adoption { merge_queue: true, ..adoption.clone() };
    let items = inspect(adoption, &settings, &files::files(root, &all)?, &seen, now_ms);
    if args.json {
        print_json(&items)?
    } else {
        print(&text(&items))?
    }
    let missing = items.iter().any(|item| item.state == SetupState::Missing);
    Ok(if missing { Exit::Input } else { Exit::Done })
}

/// What is not as it should be comes with what to do.
fn text(items: &[SetupItem]) -> String {
    let mut text = String::new();
    for item in items {
        let SetupItem { what, found, fix, state } = item;
        let found = shakedown_report::plain(found);
        let word = match state {
            SetupState::Ok => "ok",
            SetupState::Advice => "advice",
            SetupState::Missing => "MISSING",
            SetupState::Unknown => "unknown",
        };
        text += &format!("{word:8} {what}: {found}\n");
        if !fix.is_empty() {
            text += &format!("         {fix}\n");
        }
    }
    let count = |state| items.iter().filter(|item| item.state == state).count();
    let (missing, unknown) = (count(SetupState::Missing), count(SetupState::Unknown));
    text + &format!("{missing} missing, {unknown} unknown, {} items\n", items.len())
}
