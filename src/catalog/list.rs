//! Stacks and suites of the catalog.

use crate::project::ProjectRoot;
use anyhow::Result;
use serde::Serialize;
use shakedown_builder::{Builder, Catalog, CatalogStack, Release, default_cache};
use shakedown_schedule::Suite;
use std::{collections::BTreeSet, fmt::Write};

/// Stacks and suites, as `--json` prints them.
#[derive(Debug, Serialize)]
pub struct CatalogListing {
    stacks: Vec<StackLine>,
    suites: Vec<SuiteLine>,
}

#[derive(Debug, Serialize)]
struct StackLine {
    name: String,
    description: String,
    versions: Vec<String>,
    /// The package of a library that is measured as the system has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<String>,
    reference: Vec<String>,
    variants: Vec<VariantLine>,
}

#[derive(Debug, Serialize)]
struct VariantLine {
    name: String,
    description: String,
}

#[derive(Debug, Serialize)]
struct SuiteLine {
    name: String,
    description: String,
    scenarios: usize,
    sides: usize,
    blocks: u32,
}

/// Reads the catalog; with `registry` also which releases the registries have.
///
/// # Errors
/// An invalid catalog.
pub fn list(root: &ProjectRoot, registry: bool) -> Result<CatalogListing> {
    let catalog = Catalog::load(&root.catalog())?;
    let builder = registry.then(|| default_cache().map(|at| Builder::new(root.path(), at)));
    let builder = builder.transpose()?;
    let stacks = catalog.stacks().map(|stack| StackLine {
        name: stack.name.clone(),
        description: stack.title.clone(),
        versions: versions(stack, builder.as_ref()),
        package: stack.system.as_ref().map(|system| system.package.clone()),
        reference: stack.reference.clone(),
        variants: stack
            .variants
            .iter()
            .map(|variant| VariantLine {
                name: variant.name.clone(),
                description: variant.description.clone(),
            })
            .collect(),
    });
    let folder = root.catalog().join("suites");
    let mut suites = Vec::new();
    for name in Suite::names(&folder)? {
        let suite = Suite::load(&folder, &name)?;
        suites.push(SuiteLine {
            name,
            description: suite.description,
            scenarios: suite.scenarios.len(),
            sides: suite.scenarios.iter().map(|scenario| scenario.sides().len()).sum(),
            blocks: suite.blocks,
        });
    }
    Ok(CatalogListing { stacks: stacks.collect(), suites })
}

/// The releases of a stack, the oldest first if the registry is asked.
fn versions(stack: &CatalogStack, builder: Option<&Builder>) -> Vec<String> {
    let listed = stack.releases.iter().map(|release| release.version.clone());
    let Some(builder) = builder else {
        return listed.map(|version| version.to_string()).collect();
    };
    let there = builder.registry_releases(stack);
    let there = there.into_iter().map(|release| release.version);
    let all: BTreeSet<Release> = listed.chain(there).collect();
    all.iter().map(ToString::to_string).collect()
}

/// The listing as text.
///
/// # Errors
/// None in practice: formatting.
pub fn text(listing: &CatalogListing) -> Result<String> {
    let mut text = String::new();
    for stack in &listing.stacks {
        writeln!(text, "{}  {}", stack.name, stack.description)?;
        match &stack.package {
            Some(package) => writeln!(text, "  version   as installed ({package})")?,
            None => writeln!(text, "  versions  {}", stack.versions.join(" "))?,
        }
        if !stack.reference.is_empty() {
            writeln!(text, "  reference build  +{}", stack.reference.join("+"))?;
        }
        for variant in &stack.variants {
            writeln!(text, "  +{:<14} {}", variant.name, variant.description)?;
        }
        writeln!(text)?;
    }
    writeln!(text, "suites")?;
    for suite in &listing.suites {
        let SuiteLine { name, description, scenarios, sides, blocks } = suite;
        writeln!(
            text,
            "  {name:<10} {scenarios} scenarios, {sides} sides, {blocks} blocks: {description}"
        )?;
    }
    Ok(text)
}
