//! New releases of the stacks.

use crate::{output::replace_file, project::ProjectRoot};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use shakedown_builder::{
    BuildError, Builder, Catalog, CatalogStack, Release, UpstreamReleases, default_cache,
    with_releases,
};
use std::{fmt::Write, fs};

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub struct CatalogUpdate {
    stacks: Vec<StackUpdate>,
}

/// What is new of one stack.
#[derive(Debug, Serialize)]
struct StackUpdate {
    stack: String,
    /// URL of the repository, or the module of the toolchains.
    url: String,
    /// Whether that is a repository, with a `HEAD`.
    #[serde(skip)]
    repository: bool,
    /// Commit of the repository's `HEAD`.
    head: Option<String>,
    /// Subject of that commit.
    head_subject: Option<String>,
    new: Vec<MissingRelease>,
    /// Why the repository could not be read.
    error: Option<String>,
}

/// A release that the catalog lacks.
#[derive(Debug, Serialize)]
struct MissingRelease {
    version: String,
    tag: Option<String>,
    commit: Option<String>,
    subject: String,
    /// Whether nothing newer of its series (3.5 of 3.5.6) is new or in the catalog.
    latest: bool,
}

/// Asks for the releases of the stacks `names`, or of all that say where theirs appear, and with `write` adds new
/// ones to the catalog. Returns the first error of a stack beside the findings.
///
/// # Errors
/// An unknown stack; a catalog that can't be written.
pub fn update(
    root: &ProjectRoot,
    names: &[String],
    write: bool,
) -> Result<(CatalogUpdate, Option<BuildError>)> {
    let catalog = Catalog::load(&root.catalog())?;
    let builder = Builder::new(root.path(), default_cache()?);
    let mut stacks = Vec::new();
    let mut failed: Option<BuildError> = None;
    for stack in chosen(&catalog, names)? {
        let upstream = builder.upstream(stack);
        if let (Ok(upstream), true) = (&upstream, write) {
            write_releases(root, stack, upstream)?;
        }
        stacks.push(describe(stack, &upstream));
        failed = failed.or(upstream.err());
    }
    Ok((CatalogUpdate { stacks }, failed))
}

fn chosen<'a>(catalog: &'a Catalog, names: &[String]) -> Result<Vec<&'a CatalogStack>> {
    if names.is_empty() {
        return Ok(catalog.stacks().filter(|stack| stack.upstream().is_some()).collect());
    }
    let mut stacks = Vec::new();
    for name in names {
        let stack = catalog.stack(name).with_context(|| {
            let known: Vec<&str> = catalog.stacks().map(|stack| &*stack.name).collect();
            format!("there is no stack {name:?}; known are {}", known.join(", "))
        })?;
        if stack.upstream().is_none() {
            bail!("the catalog names no repository of {name}: add a [git] to its file");
        }
        stacks.push(stack);
    }
    Ok(stacks)
}

fn describe(stack: &CatalogStack, upstream: &Result<UpstreamReleases, BuildError>) -> StackUpdate {
    let head = upstream.as_ref().ok().and_then(|found| found.head.clone());
    let new = upstream.iter().flat_map(|found| &found.new).map(|new| MissingRelease {
        version: new.release.to_string(),
        tag: new.tag.clone(),
        commit: new.commit.clone(),
        subject: new.subject(&stack.name),
        latest: is_latest(&new.release, stack, upstream),
    });
    StackUpdate {
        stack: stack.name.clone(),
        url: stack.upstream().unwrap_or_default().to_owned(),
        repository: stack.git.is_some(),
        head_subject: head.as_ref().map(|head| format!("{}@git:{head}", stack.name)),
        head,
        new: new.collect(),
        error: upstream.as_ref().err().map(ToString::to_string),
    }
}

/// Whether nothing newer of the series of `release` is new or known.
fn is_latest(
    release: &Release,
    stack: &CatalogStack,
    upstream: &Result<UpstreamReleases, BuildError>,
) -> bool {
    let known = stack.releases.iter().map(|known| &known.version);
    let tagged = upstream.iter().flat_map(|found| found.new.iter().map(|new| &new.release));
    !known.chain(tagged).any(|other| other.is_of_series_of(release) && other > release)
}

/// Adds the releases to the stack's file, which is replaced in one step.
fn write_releases(
    root: &ProjectRoot,
    stack: &CatalogStack,
    upstream: &UpstreamReleases,
) -> Result<()> {
    if upstream.new.is_empty() {
        return Ok(());
    }
    let path = root.catalog().join("stacks").join(format!("{}.toml", stack.name));
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let text = with_releases(&text, &upstream.new)
        .map_err(|why| anyhow::anyhow!("can't add releases to {}: {why}", path.display()))?;
    replace_file(&path, text)
}

/// The findings as text.
///
/// # Errors
/// None in practice: formatting.
pub fn text(found: &CatalogUpdate) -> Result<String> {
    let mut text = String::new();
    for stack in &found.stacks {
        writeln!(text, "{}  {}", stack.stack, stack.url)?;
        match (&stack.error, &stack.head) {
            (Some(error), _) => writeln!(text, "  can't be read: {error}")?,
            (None, Some(head)) => writeln!(text, "  HEAD  {head}")?,
            (None, None) if stack.repository => {
                writeln!(text, "  HEAD  none: the repository is empty")?;
            }
            (None, None) => {}
        }
        for MissingRelease { version, tag, subject, .. } in &stack.new {
            let tag = tag.as_ref().map(|tag| format!("tag {tag}, ")).unwrap_or_default();
            writeln!(text, "  new   {version}  {tag}measure it as {subject}")?;
        }
        if stack.new.is_empty() && stack.error.is_none() {
            writeln!(text, "  no release that the catalog lacks")?;
        }
    }
    Ok(text)
}
