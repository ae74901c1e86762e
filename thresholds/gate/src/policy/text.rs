//! From TOML to a policy: the shape of the text, and errors that name their line.

use super::{
    Action, Budget, Direction, Doubt, Override, Partial, Policy, Select, Settings, Share, check,
};
use glob::Pattern;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// Something in a policy that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct PolicyError {
    /// Name of the file.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

/// A text with its name, for errors.
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

impl Source<'_> {
    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        before.matches('\n').count() + 1
    }

    pub(super) fn error(&self, line: usize, message: impl Into<String>) -> PolicyError {
        PolicyError { file: self.file.to_owned(), line, message: message.into() }
    }

    /// Reads the text as `T`.
    pub(super) fn read<T: for<'de> Deserialize<'de>>(&self) -> Result<T, PolicyError> {
        toml::from_str(self.text).map_err(|error| {
            let line = error.span().map_or(1, |span| self.line(&span));
            self.error(line, error.message())
        })
    }
}

/// One name or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Names {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    budget: Spanned<RawBudget>,
    joint: Joint,
    defaults: Spanned<RawDefaults>,
    driver: Option<Spanned<RawDriver>>,
    #[serde(default, rename = "override")]
    overrides: Vec<Spanned<RawOverride>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawBudget {
    blocks: u32,
    pairs: u32,
    count_runs: u32,
    minutes: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Joint {
    false_alarms: Spanned<Share>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDefaults {
    margin: Share,
    bound: Share,
    direction: Direction,
    action: Action,
    inconclusive: Doubt,
    missing: Action,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDriver {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOverride {
    scenario: Option<Spanned<Names>>,
    side: Option<Spanned<Names>>,
    metric: Option<Spanned<Names>>,
    stack: Option<Spanned<Names>>,
    margin: Option<Share>,
    bound: Option<Share>,
    direction: Option<Direction>,
    action: Option<Action>,
    inconclusive: Option<Doubt>,
    missing: Option<Action>,
    reason: Spanned<String>,
}

impl Policy {
    /// Reads and validates a policy; `file` is its name in errors.
    ///
    /// # Errors
    /// Unknown keys, values out of range, globs that match no metric or side, and
    /// contradictions, with file and line.
    pub fn parse(text: &str, file: &str) -> Result<Self, PolicyError> {
        let source = Source { file, text };
        let raw: File = source.read()?;
        let line = source.line(&raw.defaults.span());
        let defaults = raw.defaults.into_inner();
        let alarms = raw.joint.false_alarms;
        let alarms_line = source.line(&alarms.span());
        let budget_line = source.line(&raw.budget.span());
        let policy = Self {
            file: file.to_owned(),
            budget: budget(raw.budget.into_inner()),
            false_alarms: alarms.into_inner().0,
            defaults: Settings {
                margin: defaults.margin.0,
                bound: defaults.bound.0,
                direction: defaults.direction,
                action: defaults.action,
                inconclusive: defaults.inconclusive,
                missing: defaults.missing,
                lines: vec![line],
            },
            overrides: raw
                .overrides
                .into_iter()
                .map(|each| one_override(&source, each))
                .collect::<Result<_, _>>()?,
            accepted: Vec::new(),
            own_driver: raw.driver.map(|driver| own_driver(&source, driver)).transpose()?,
        };
        check::numbers(&source, &policy, budget_line, alarms_line)?;
        check::contradictions(&source, &policy)?;
        Ok(policy)
    }
}

/// The folder of a driver in the trees of the compared revisions.
fn own_driver(source: &Source<'_>, raw: Spanned<RawDriver>) -> Result<String, PolicyError> {
    let line = source.line(&raw.span());
    let path = raw.into_inner().path;
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(char::is_control);
    if path.split('/').all(plain) {
        return Ok(path);
    }
    Err(source.error(line, "`path` must name a folder inside the repository, such as bench/driver"))
}

const fn budget(raw: RawBudget) -> Budget {
    Budget {
        blocks: raw.blocks,
        pairs: raw.pairs,
        count_runs: raw.count_runs,
        minutes: raw.minutes,
    }
}

fn one_override(source: &Source<'_>, raw: Spanned<RawOverride>) -> Result<Override, PolicyError> {
    let line = source.line(&raw.span());
    let raw = raw.into_inner();
    if raw.reason.get_ref().trim().is_empty() {
        let line = source.line(&raw.reason.span());
        return Err(source.error(line, "`reason` is empty: say why this deserves an override"));
    }
    let select = select(source, raw.scenario, raw.side, raw.metric, raw.stack)?;
    let set = Partial {
        margin: raw.margin.map(|share| share.0),
        bound: raw.bound.map(|share| share.0),
        direction: raw.direction,
        action: raw.action,
        inconclusive: raw.inconclusive,
        missing: raw.missing,
    };
    Ok(Override { line, select, set })
}

/// Globs from their texts; those over metrics and sides must match one.
pub(super) fn select(
    source: &Source<'_>,
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
    source: &Source<'_>,
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
            check::matches_one(source, line, what, &glob, known.iter().copied())?;
        }
        Ok(glob)
    };
    names.iter().map(one).collect()
}
