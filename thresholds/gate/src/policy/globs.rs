//! Globs of a policy's text: each must match something that exists.

use super::{
    select::{Select, any},
    source::{PolicyError, PolicyText},
};
use glob::Pattern;
use serde::Deserialize;
use toml::Spanned;

/// One name or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Names {
    One(String),
    Many(Vec<String>),
}

/// Globs from their texts; those over metrics and sides must match one.
pub(super) fn select(
    source: &PolicyText<'_>,
    scenario: Option<Spanned<Names>>,
    side: Option<Spanned<Names>>,
    metric: Option<Spanned<Names>>,
    stack: Option<Spanned<Names>>,
) -> Result<Select, PolicyError> {
    let sides: Vec<&str> = shakedown_protocol::Side::ALL.iter().map(|side| side.name()).collect();
    let metrics: Vec<&str> =
        shakedown_protocol::Metric::ALL.iter().map(|metric| metric.name()).collect();
    Ok(Select {
        scenario: globs(source, scenario, "scenario", None)?,
        side: globs(source, side, "side", Some(&sides))?,
        metric: globs(source, metric, "metric", Some(&metrics))?,
        stack: globs(source, stack, "stack", None)?,
    })
}

fn globs(
    source: &PolicyText<'_>,
    names: Option<Spanned<Names>>,
    what: &str,
    known: Option<&[&str]>,
) -> Result<Vec<Pattern>, PolicyError> {
    let Some(names) = names else { return Ok(Vec::new()) };
    let line = source.line(&names.span());
    let names = match names.into_inner() {
        Names::One(name) => vec![name],
        Names::Many(names) => names,
    };
    if names.is_empty() {
        return Err(source.error(line, format!("the list `{what}` is empty: it matches nothing")));
    }
    let one = |name: &String| {
        let glob = Pattern::new(name)
            .map_err(|error| source.error(line, format!("`{name}` is not a glob: {error}")))?;
        if let Some(known) = known {
            matches_one(source, line, what, &glob, known.iter().copied())?;
        }
        Ok(glob)
    };
    names.iter().map(one).collect()
}

/// A glob must match one of the known names.
pub(super) fn matches_one<'n>(
    source: &PolicyText<'_>,
    line: usize,
    what: &str,
    glob: &Pattern,
    known: impl Iterator<Item = &'n str>,
) -> Result<(), PolicyError> {
    let known: Vec<&str> = known.collect();
    let glob = std::slice::from_ref(glob);
    if known.iter().any(|name| any(glob, name)) {
        return Ok(());
    }
    let list =
        if known.len() <= 20 { format!(": one of {}", known.join(", ")) } else { String::new() };
    Err(source.error(line, format!("`{}` matches no {what}{list}", glob[0])))
}
