//! Axes: ranges, tics, and words in place of numbers.

use super::quote;
use crate::plot::{Axis, Curve};
use std::fmt::Write as _;

pub(super) fn axis(script: &mut String, name: &str, axis: &Axis) {
    let _ = writeln!(script, "set {name}label {} textcolor rgb '#1c2024'", quote(&axis.label));
    if axis.log {
        let _ = writeln!(script, "set logscale {name}");
    }
    if axis.time {
        let _ =
            writeln!(script, "set {name}data time\nset timefmt '%s'\nset format {name} '%Y-%m-%d'");
    } else if axis.words.is_empty() {
        let _ = writeln!(script, "set format {name} '%.10g'");
    } else {
        words(script, name, axis);
    }
    if let Some((low, high)) = axis.range {
        let _ = writeln!(script, "set {name}range [{low}:{high}]");
    } else if axis.from_zero {
        let _ = writeln!(script, "set {name}range [0:*]");
    }
}

/// Words at places of an axis. As labels: gnuplot takes the words of a tic for a format.
fn words(script: &mut String, name: &str, axis: &Axis) {
    let _ = write!(script, "set {name}tics (");
    let places: Vec<String> = axis.words.iter().map(|(place, _)| format!("'' {place}")).collect();
    let _ = writeln!(script, "{})", places.join(", "));
    let turned = longest(axis) > 7;
    let turn = if turned { "right rotate by 35" } else { "center" };
    for (place, text) in &axis.words {
        let _ = writeln!(
            script,
            "set label {} at first {place}, graph 0 {turn} offset character 0,-0.9 font ',10'",
            quote(text)
        );
    }
    let down = if turned { -3.4 } else { 0.0 };
    let _ = writeln!(script, "set {name}label offset character 0,{down}");
}

/// Length of the longest word of an axis; long ones are turned.
pub(super) fn longest(axis: &Axis) -> usize {
    axis.words.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0)
}

/// Places 1, 2 and 5 times the powers of ten that the values of a logarithmic axis reach.
pub(super) fn one_two_five(script: &mut String, curves: &[Curve]) {
    let ends = curves.iter().flat_map(|curve| &curve.points).filter(|point| point.y.is_finite());
    let (low, high) = ends
        .fold((f64::MAX, 0.0_f64), |(low, high), point| (low.min(point.low), high.max(point.high)));
    if !(low > 0.0 && low < high) {
        return;
    }
    let (low, high) = (low / 1.1, high * 1.1);
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let places = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|step| step * 10_f64.powi(decade)));
    let places: Vec<String> = places
        .filter(|place| (low..=high).contains(place))
        .map(|place| format!("{place}"))
        .collect();
    let _ = writeln!(script, "set yrange [{low}:{high}]\nset ytics ({})", places.join(", "));
}
