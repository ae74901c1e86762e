//! Curves with their spread, and the legend.

use super::{COLOURS, WIDTH, quote};
use crate::plot::{Curve, Joined, Picture};
use std::fmt::Write as _;

/// Shapes of points, so that nothing depends on colour alone.
const SHAPES: [u32; 7] = [7, 5, 9, 13, 11, 6, 4];

impl Picture {
    pub(super) fn curves_into(&self, script: &mut String) {
        let mut parts = Vec::new();
        for (at, curve) in self.curves.iter().enumerate() {
            let _ = writeln!(script, "$curve{at} << END");
            for point in &curve.points {
                let _ = match point.y.is_finite() {
                    true => {
                        writeln!(script, "{} {} {} {}", point.x, point.y, point.low, point.high)
                    }
                    // An empty line is a gap.
                    false => writeln!(script),
                };
            }
            script.push_str("END\n");
            if curve.joined == Joined::Steps {
                steps(script, at, curve);
            }
            parts.extend(curve_parts(at, curve));
        }
        let _ = writeln!(script, "plot {}", parts.join(", \\\n  "));
    }
}

/// The legend stands beside the picture, where it hides nothing.
pub(super) fn legend(script: &mut String, curves: usize, right: u32) {
    let start = 1.0 - f64::from(right.saturating_sub(12)) / f64::from(WIDTH);
    let _ = match curves {
        0 | 1 => writeln!(script, "set key off"),
        _ => writeln!(
            script,
            "set key at screen {start:.4}, graph 1 left top reverse Left samplen 2 spacing 1.2 font ',10'"
        ),
    };
}

/// The corners of steps one wide. Gnuplot's own draw the sides of the first and the last down to
/// the axis, as if it had been zero before.
fn steps(script: &mut String, at: usize, curve: &Curve) {
    let _ = writeln!(script, "$steps{at} << END");
    for point in curve.points.iter().filter(|point| point.y.is_finite()) {
        let _ = writeln!(script, "{} {1}\n{2} {1}", point.x - 0.5, point.y, point.x + 0.5);
    }
    script.push_str("END\n");
}

fn curve_parts(at: usize, curve: &Curve) -> Vec<String> {
    let colour = COLOURS[curve.colour % COLOURS.len()];
    let shape = SHAPES[curve.colour % SHAPES.len()];
    let dash = if curve.dashed { 2 } else { 1 };
    let title = quote(&curve.name);
    let line = format!("linecolor rgb '{colour}' linewidth 2 dashtype {dash}");
    let spread = format!(
        "$curve{at} using 1:2:3:4 with yerrorbars pointtype -1 linecolor rgb '{colour}' linewidth 1 notitle"
    );
    match curve.joined {
        Joined::Band => vec![
            format!(
                "$curve{at} using 1:3:4 with filledcurves fillcolor rgb '{colour}' fillstyle transparent solid 0.25 noborder notitle"
            ),
            format!("$curve{at} using 1:2 with lines {line} title {title}"),
        ],
        Joined::Line => vec![
            spread,
            format!(
                "$curve{at} using 1:2 with linespoints pointtype {shape} pointsize 0.9 {line} title {title}"
            ),
        ],
        Joined::Steps => vec![
            format!("$steps{at} using 1:2 with lines {line} notitle"),
            spread,
            format!(
                "$curve{at} using 1:2 with points pointtype {shape} pointsize 0.9 linecolor rgb '{colour}' title {title}"
            ),
        ],
    }
}
