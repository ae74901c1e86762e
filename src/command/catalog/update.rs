//! `shakedown catalog update`.

use crate::{exit::Exit, project::ProjectRoot};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use shakedown_builder::{
    BuildError, Catalog, Release, Stack, Upstream, Workshop, default_cache, with_releases,
};
use std::{fmt::Write, fs};

/// Asks the repositories of the stacks for release tags that the catalog lacks, and for the
/// newest revision.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown catalog update                      what is new, of every stack with a repository
  shakedown catalog update openssl --write      add OpenSSL's new releases to the catalog
  shakedown catalog update --json | jq -r '.stacks[].new[].subject'

A new release can be measured at once by its subject, stack@git:TAG. One that --write added is
stack@VERSION, and stays the commit that the tag named then, whatever becomes of the tag.")]
pub(super) struct Args {
    /// Which stacks [default: all that have a repository]
    stacks: Vec<String>,
    /// Add what is new to bench/catalog/stacks/STACK.toml
    #[arg(long)]
    write: bool,
    /// As JSON: {stacks: [{stack, url, head, head_subject, new: [{version, tag, commit,
    /// subject, latest}], error}]}
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Found {
    stacks: Vec<StackFound>,
}

/// Of one stack.
#[derive(Serialize)]
struct StackFound {
    stack: String,
    url: String,
    /// Commit of the repository's `HEAD`.
    head: Option<String>,
    /// The subject that is this commit and stays it.
    head_subject: Option<String>,
    new: Vec<New>,
    /// Why the repository could not be asked.
    error: Option<String>,
}

/// A release that the catalog lacks.
#[derive(Serialize)]
struct New {
    version: String,
    tag: String,
    commit: String,
    subject: String,
    /// Whether nothing newer of its series (3.5 of 3.5.6) is tagged or in the catalog.
    latest: bool,
}

/// Asks, and writes if told to.
///
/// # Errors
/// A stack that is not known; after the others were told, the first repository that did not
/// answer; a catalog that can't be written to.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let catalog = Catalog::load(&root.catalog())?;
    let workshop = Workshop::new(root.path(), default_cache()?);
    let mut found = Vec::new();
    let mut failed: Option<BuildError> = None;
    for stack in chosen(&catalog, &args.stacks)? {
        let asked = workshop.upstream(stack);
        if let (Ok(upstream), true) = (&asked, args.write) {
            write(&root, stack, upstream)?;
        }
        found.push(describe(stack, &asked));
        failed = failed.or(asked.err());
    }
    let found = Found { stacks: found };
    if args.json {
        crate::output::print_json(&found)?;
    } else {
        crate::output::print(&text(&found)?)?;
    }
    failed.map_or(Ok(Exit::Done), |error| Err(error.into()))
}

fn chosen<'a>(catalog: &'a Catalog, names: &[String]) -> Result<Vec<&'a Stack>> {
    if names.is_empty() {
        return Ok(catalog.stacks().filter(|stack| stack.git.is_some()).collect());
    }
    let mut stacks = Vec::new();
    for name in names {
        let stack = catalog.stack(name).with_context(|| {
            let known: Vec<&str> = catalog.stacks().map(|stack| &*stack.name).collect();
            format!("there is no stack {name:?}; known are {}", known.join(", "))
        })?;
        if stack.git.is_none() {
            bail!("the catalog names no repository of {name}: add a [git] to its file");
        }
        stacks.push(stack);
    }
    Ok(stacks)
}

fn describe(stack: &Stack, asked: &Result<Upstream, BuildError>) -> StackFound {
    let head = asked.as_ref().ok().and_then(|upstream| upstream.head.clone());
    let new = asked.iter().flat_map(|upstream| &upstream.new).map(|new| New {
        version: new.release.to_string(),
        tag: new.tag.clone(),
        commit: new.commit.clone(),
        subject: format!("{}@git:{}", stack.name, new.tag),
        latest: is_latest(&new.release, stack, asked),
    });
    StackFound {
        stack: stack.name.clone(),
        url: stack.git.as_ref().map(|git| git.url.clone()).unwrap_or_default(),
        head_subject: head.as_ref().map(|head| format!("{}@git:{head}", stack.name)),
        head,
        new: new.collect(),
        error: asked.as_ref().err().map(ToString::to_string),
    }
}

/// Whether nothing newer of the series of `release` is tagged or known.
fn is_latest(release: &Release, stack: &Stack, asked: &Result<Upstream, BuildError>) -> bool {
    let series = |release: &Release| -> Vec<String> {
        release.to_string().split('.').take(2).map(str::to_owned).collect()
    };
    let mine = series(release);
    let known = stack.releases.iter().map(|known| &known.version);
    let tagged = asked.iter().flat_map(|upstream| upstream.new.iter().map(|new| &new.release));
    !known.chain(tagged).any(|other| series(other) == mine && other > release)
}

/// Adds the releases to the stack's file, which is replaced in one step.
fn write(root: &ProjectRoot, stack: &Stack, upstream: &Upstream) -> Result<()> {
    if upstream.new.is_empty() {
        return Ok(());
    }
    let path = root.catalog().join("stacks").join(format!("{}.toml", stack.name));
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let text = with_releases(&text, &upstream.new)
        .map_err(|why| anyhow::anyhow!("can't add releases to {}: {why}", path.display()))?;
    let aside = path.with_extension("toml.new");
    fs::write(&aside, text)
        .and_then(|()| fs::rename(&aside, &path))
        .with_context(|| format!("can't write {}", path.display()))
}

fn text(found: &Found) -> Result<String> {
    let mut text = String::new();
    for stack in &found.stacks {
        writeln!(text, "{}  {}", stack.stack, stack.url)?;
        match (&stack.error, &stack.head) {
            (Some(error), _) => writeln!(text, "  not asked: {error}")?,
            (None, Some(head)) => writeln!(text, "  HEAD  {head}")?,
            (None, None) => writeln!(text, "  HEAD  none: the repository is empty")?,
        }
        for New { version, tag, subject, .. } in &stack.new {
            writeln!(text, "  new   {version}  tag {tag}, measure it as {subject}")?;
        }
        if stack.new.is_empty() && stack.error.is_none() {
            writeln!(text, "  no release that the catalog lacks")?;
        }
    }
    Ok(text)
}
