//! The build variants in the name of a subject.

use super::{CatalogError, CatalogStack, Variant, error::near};
use std::env::consts::ARCH;

/// Checks that variants exist and are compatible with each other. Returns those that are not
/// defaults.
pub(super) fn chosen_variants(
    stack: &CatalogStack,
    names: &[String],
) -> Result<Vec<String>, CatalogError> {
    let mut chosen: Vec<&Variant> = Vec::new();
    for name in names {
        let variant = stack.variant(name).ok_or_else(|| CatalogError::Variant {
            stack: stack.name.clone(),
            found: name.clone(),
            near: near(name, stack.variants.iter().map(|v| v.name.as_str())),
            known: stack.variants.iter().map(|v| v.name.clone()).collect(),
        })?;
        let excludes = |other: &&&Variant| {
            (variant.group.is_some() && variant.group == other.group)
                || variant.conflicts.contains(&other.name)
                || other.conflicts.contains(&variant.name)
        };
        if let Some(other) = chosen.iter().find(excludes) {
            return Err(CatalogError::Conflict {
                stack: stack.name.clone(),
                one: other.name.clone(),
                two: variant.name.clone(),
            });
        }
        check_architecture(stack, variant)?;
        chosen.push(variant);
    }
    Ok(chosen.iter().filter(|v| !v.default).map(|v| v.name.clone()).collect())
}

/// Checks that this machine has a variant that some architectures have.
fn check_architecture(stack: &CatalogStack, variant: &Variant) -> Result<(), CatalogError> {
    if variant.run_environment.is_empty() || variant.run_environment.contains_key(ARCH) {
        return Ok(());
    }
    Err(CatalogError::VariantArchitecture {
        stack: stack.name.clone(),
        variant: variant.name.clone(),
        here: ARCH.to_owned(),
        known: variant.run_environment.keys().cloned().collect(),
    })
}
