//! Explanations and profiles for a terminal of 80 columns.

use super::Why;
use crate::format::{number, plain, signed_percent};
use shakedown_culprits::{CallGraph, short};
use shakedown_protocol::{Scenario, Side};
use std::fmt::Write as _;

const WIDTH: usize = 80;

/// Everything that an explanation says.
pub fn explanation_text(why: &Why) -> String {
    let mut text = String::new();
    let mut paragraph = |indent: usize, line: &str| {
        let (first, further) = (" ".repeat(indent), " ".repeat(indent.max(3)));
        let options = textwrap::Options::new(WIDTH)
            .initial_indent(&first)
            .subsequent_indent(&further)
            .word_separator(textwrap::WordSeparator::AsciiSpace);
        for line in textwrap::wrap(line, options) {
            let _ = writeln!(text, "{line}");
        }
    };
    if let Some(sentence) = why.nothing {
        paragraph(0, sentence);
    }
    for (number, cause) in why.causes.iter().enumerate() {
        paragraph(0, &format!("{}. {}: {}", number + 1, cause.function, cause.change));
        paragraph(3, &format!("in {}", cause.extent));
        if cause.full_name != cause.function {
            paragraph(3, &cause.full_name);
        }
        if let Some(former) = &cause.renamed_from {
            paragraph(3, &format!("called {former} in base"));
        }
        for detail in &cause.details {
            paragraph(3, detail);
        }
        for other in &cause.others {
            paragraph(3, &format!("also {}: {}", other.function, other.change));
        }
        for [scenario, side, change] in &cause.sides {
            paragraph(3, &format!("{change}  {scenario} {side}"));
        }
    }
    for one in &why.places {
        paragraph(0, &format!("{}: {}", one.title, one.totals));
        for site in &one.sites {
            let callers = site.callers.iter().map(|caller| format!(" ← {caller}"));
            let callers: String = callers.collect();
            paragraph(3, &format!("{}{callers}: {}", site.function, site.change));
        }
        if let Some(note) = one.note {
            paragraph(3, note);
        }
    }
    for sentence in &why.outside {
        paragraph(0, sentence);
    }
    for line in &why.missing {
        paragraph(0, &format!("Not explained: {line}"));
    }
    text
}

/// The functions of each side of one profiled subject, those with most instructions first.
pub fn profile_text(
    subject: &str,
    scenario: &Scenario,
    sides: &[(Side, CallGraph)],
    most: usize,
) -> String {
    let mut text = format!("{} {scenario}\n", plain(subject));
    for (side, graph) in sides {
        let total = graph.total.first().copied().unwrap_or(0.0);
        let _ = writeln!(text, "\n{side}: {} instructions/op\n", number(total));
        let _ = writeln!(
            text,
            "{:>10} {:>6} {:>10} {:>8}  function",
            "own", "share", "with calls", "entered"
        );
        let mut nodes: Vec<_> = graph.nodes.iter().collect();
        nodes.sort_by(|a, b| b.1.own[0].total_cmp(&a.1.own[0]));
        for (name, node) in nodes.into_iter().take(most) {
            let share = signed_percent(node.own[0] / total);
            let name: String = plain(&short(name)).chars().take(WIDTH - 40).collect();
            let _ = writeln!(
                text,
                "{:>10} {:>6} {:>10} {:>8}  {name}",
                number(node.own[0]),
                share.trim_start_matches('+'),
                number(node.inclusive),
                number(node.entries),
            );
        }
    }
    text
}
