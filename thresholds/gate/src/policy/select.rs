//! Which scenarios, sides, metrics and stacks an entry is about.

use glob::{MatchOptions, Pattern};
use shakedown_protocol::{Metric, Side};

/// `*` stays within one part of an id, `**` spans any number of them.
const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// Globs over what a finding is about; an empty list matches everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Select {
    pub(crate) scenario: Vec<Pattern>,
    pub(crate) side: Vec<Pattern>,
    pub(crate) metric: Vec<Pattern>,
    pub(crate) stack: Vec<Pattern>,
}

/// Whether any of the globs matches.
pub(crate) fn any(globs: &[Pattern], name: &str) -> bool {
    globs.is_empty() || globs.iter().any(|glob| glob.matches_with(name, OPTIONS))
}

impl Select {
    /// Whether it is about this.
    pub fn matches(&self, scenario: &str, side: Side, metric: Metric, stack: &str) -> bool {
        any(&self.metric, metric.name())
            && any(&self.side, side.name())
            && any(&self.stack, stack)
            && any(&self.scenario, scenario)
    }
}
