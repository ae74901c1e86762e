//! From TOML to a policy.

use super::{
    check,
    globs::{Names, select},
    model::Policy,
    settings::{Action, Budget, Direction, InconclusiveAction, Override, Partial, Settings},
    share::Share,
    source::{PolicyError, PolicyText},
};
use serde::Deserialize;
use toml::Spanned;

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
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawDefaults {
    margin: Share,
    non_inferiority_margin: Share,
    direction: Direction,
    action: Action,
    inconclusive: InconclusiveAction,
    missing: Action,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDriver {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawOverride {
    scenario: Option<Spanned<Names>>,
    side: Option<Spanned<Names>>,
    metric: Option<Spanned<Names>>,
    stack: Option<Spanned<Names>>,
    margin: Option<Share>,
    non_inferiority_margin: Option<Share>,
    direction: Option<Direction>,
    action: Option<Action>,
    inconclusive: Option<InconclusiveAction>,
    missing: Option<Action>,
    reason: Spanned<String>,
}

impl Policy {
    /// The policy for pull requests that comes with the program: `thresholds/pr.toml`.
    ///
    /// # Errors
    /// Never, unless the shipped file is wrong, which a test excludes.
    pub fn shipped() -> Result<Self, PolicyError> {
        Self::parse(include_str!("../../../pr.toml"), "thresholds/pr.toml")
    }

    /// Reads and validates a policy; `file` is its name in errors.
    ///
    /// # Errors
    /// Unknown keys, values out of range, globs that match no metric or side, and
    /// contradictions, with file and line.
    pub fn parse(text: &str, file: &str) -> Result<Self, PolicyError> {
        let source = PolicyText { file, text };
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
                non_inferiority_margin: defaults.non_inferiority_margin.0,
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
fn own_driver(source: &PolicyText<'_>, raw: Spanned<RawDriver>) -> Result<String, PolicyError> {
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

fn one_override(
    source: &PolicyText<'_>,
    raw: Spanned<RawOverride>,
) -> Result<Override, PolicyError> {
    let line = source.line(&raw.span());
    let raw = raw.into_inner();
    if raw.reason.get_ref().trim().is_empty() {
        let line = source.line(&raw.reason.span());
        return Err(source.error(line, "`reason` is empty: say why this deserves an override"));
    }
    let select = select(source, raw.scenario, raw.side, raw.metric, raw.stack)?;
    let set = Partial {
        margin: raw.margin.map(|share| share.0),
        non_inferiority_margin: raw.non_inferiority_margin.map(|share| share.0),
        direction: raw.direction,
        action: raw.action,
        inconclusive: raw.inconclusive,
        missing: raw.missing,
    };
    Ok(Override { line, select, set })
}
