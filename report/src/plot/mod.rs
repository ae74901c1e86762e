//! Pictures of runs and of the history, drawn by gnuplot: one style, colours that colour-blind
//! readers tell apart, a unit on every axis, and what it was measured on in the caption.
//!
//! A picture is a [`Picture`]: numbers and words, no gnuplot. [`gnuplot`] turns it into a script;
//! no text of a record reaches that script but as a quoted label.

mod factors;
mod gnuplot;
mod latency;
mod lines;
mod run;
#[cfg(feature = "history")]
mod time;

pub use gnuplot::ImageFormat;
pub use run::PlotKind;
#[cfg(feature = "history")]
pub use time::{releases, trend};

use crate::utc::utc;
use shakedown_protocol::RunRecord;

/// Something to draw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// What it shows.
    pub title: String,
    /// What it rests on, a line each: n, interval, host, run.
    pub caption: Vec<String>,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves, each with an entry in the legend.
    pub curves: Vec<Curve>,
    /// Bars that lie on top of each other, with words at both ends.
    pub bars: Vec<Bar>,
    /// Vertical lines.
    pub marks: Vec<Mark>,
    /// Height in pixels.
    pub height: u32,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What is on it, with its unit.
    pub label: String,
    /// Logarithmic.
    pub log: bool,
    /// Seconds since 1970, shown as days.
    pub time: bool,
    /// Starts at zero.
    pub from_zero: bool,
    /// Places with words, instead of numbers.
    pub words: Vec<(f64, String)>,
    /// Ends, where they are not the data's.
    pub range: Option<(f64, f64)>,
}

/// A curve with its spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it is, for the legend.
    pub name: String,
    /// Colour, by its place among the colours.
    pub colour: usize,
    /// Dashed.
    pub dashed: bool,
    /// How its points are joined.
    pub joined: Joined,
    /// Points.
    pub points: Vec<PlotPoint>,
}

/// How points are joined, and their spread shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined {
    /// By a line; the spread is a bar at each point.
    Line,
    /// By a line without points, with the spread as a band; a gap where there is no number.
    Band,
    /// By steps; the spread is a bar at each point.
    Steps,
}

/// A point with its spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlotPoint {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Place on the vertical axis.
    pub y: f64,
    /// Lower end of the spread.
    pub low: f64,
    /// Upper end of the spread.
    pub high: f64,
}

/// A bar from 1 to a factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Words on the left: what it is about; empty where it is that of the bar above.
    pub name: String,
    /// Factor, and its interval where there is one.
    pub factor: f64,
    /// Interval of the factor.
    pub interval: Option<(f64, f64)>,
    /// Words on the right.
    pub text: String,
    /// Colour, by its place among the colours.
    pub colour: usize,
}

/// A vertical line.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where.
    pub x: f64,
    /// What it says.
    pub text: String,
    /// Whether it is something that got worse, rather than a break that only divides.
    pub strong: bool,
}

/// What a picture of a run rests on, in one line.
fn origin(record: &RunRecord) -> String {
    let host = &record.host;
    let kind = match host.virtualization.as_str() {
        "none" => "bare metal".to_owned(),
        other => format!("virtual machine ({other})"),
    };
    let fit = if host.fit { "" } else { ", not tuned" };
    let model = match host.cpu.model.as_str() {
        "" => "unknown processor",
        known => known,
    };
    format!(
        "{model}, {kind}, Linux {}{fit}; {}, run {}",
        host.kernel,
        utc(record.started_ms),
        record.id
    )
}

/// Numbers in words: `6`, or `4 to 6`.
fn span(values: impl Iterator<Item = usize>) -> String {
    let (mut least, mut most) = (usize::MAX, 0);
    for value in values {
        (least, most) = (least.min(value), most.max(value));
    }
    if least >= most { most.to_string() } else { format!("{least} to {most}") }
}

/// How sure intervals are, in percent: `95 %`, or `88 to 97 %`.
fn coverage(values: impl Iterator<Item = Option<f64>>) -> String {
    format!("{} %", span(values.flatten().map(|share| (share * 100.0).round() as usize)))
}

/// The name of a subject, a full commit cut to its first twelve digits, cut to this many
/// characters long.
fn subject(name: &str, most: usize) -> String {
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let part = |part: &str| -> String {
        let commit = part.len() >= 40 && part.chars().all(hex);
        part.chars().take(if commit { 12 } else { usize::MAX }).collect()
    };
    let mut out = String::new();
    for piece in name.split_inclusive([':', '#', '+', '@']) {
        let (text, end) = match piece.char_indices().last() {
            Some((at, ':' | '#' | '+' | '@')) => (&piece[..at], &piece[at..]),
            _ => (piece, ""),
        };
        out += &part(text);
        out += end;
    }
    short(&out, most)
}

/// The text, cut to this many characters.
fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_where_nobody_reads_on() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(
            subject(&format!("rustls@git:{commit}+ring#2"), 60),
            "rustls@git:0123456789ab+ring#2"
        );
        assert_eq!(subject("openssl@3.5.5", 60), "openssl@3.5.5");
        assert_eq!(subject("rustls@git:HEAD", 9), "rustls@g…");
        assert_eq!(span([4, 6, 5].into_iter()), "4 to 6");
        assert_eq!(coverage([Some(0.969), Some(0.969), None].into_iter()), "97 %");
    }
}
