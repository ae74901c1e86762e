//! A differential flame graph.

use inferno::flamegraph::{self, Options, TextTruncateDirection};
use shakedown_culprits::ComparisonExplanation;
use thiserror::Error;

/// Why there is no flame graph.
#[derive(Debug, Error)]
#[error("the flame graph can't be drawn: {0}")]
pub struct FlameError(String);

/// The instructions per operation of head as a flame graph, an SVG: red frames cost more than in base,
/// blue ones less. `None` if nothing was profiled.
///
/// # Errors
/// If the stacks can't be drawn.
pub fn flame_graph(found: &ComparisonExplanation) -> Result<Option<Vec<u8>>, FlameError> {
    if found.stacks.is_empty() {
        return Ok(None);
    }
    let line = |(stack, [base, head]): (&String, &[f64; 2])| {
        format!("{stack} {} {}", base.round(), head.round())
    };
    let lines: Vec<String> = found.stacks.iter().map(line).collect();
    let mut options = Options::default();
    options.title = format!("{} against {}", found.head, found.base);
    options.subtitle = Some("red: more instructions than in base; blue: fewer".to_owned());
    options.count_name = "instructions/op".to_owned();
    options.font_type = "system-ui, sans-serif".to_owned();
    options.text_truncate_direction = TextTruncateDirection::Right;
    // As in the report, which is white.
    options.bgcolors = "#ffffff".parse().ok();
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut svg)
        .map_err(|error| FlameError(error.to_string()))?;
    Ok(Some(svg))
}
