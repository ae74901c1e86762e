//! Stacks and suites of the catalog.

use crate::project::ProjectRoot;
use anyhow::Result;
use serde::Serialize;
use shakedown_builder::Catalog;
use shakedown_schedule::Suite;
use std::fmt::Write;

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

/// Reads the catalog.
///
/// # Errors
/// An invalid catalog.
pub fn list(root: &ProjectRoot) -> Result<CatalogListing> {
    let catalog = Catalog::load(&root.catalog())?;
    let stacks = catalog.stacks().map(|stack| StackLine {
        name: stack.name.clone(),
        description: stack.title.clone(),
        versions: stack.releases.iter().map(|release| release.version.to_string()).collect(),
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

/// The listing as text.
///
/// # Errors
/// None in practice: formatting.
pub fn text(listing: &CatalogListing) -> Result<String> {
    let mut text = String::new();
    for stack in &listing.stacks {
        writeln!(text, "{}  {}", stack.name, stack.description)?;
        writeln!(text, "  versions  {}", stack.versions.join(" "))?;
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
