//! Bars, with words at both ends.

use super::{COLOURS, quote, width};
use crate::plot::{Bar, Picture};
use std::fmt::Write as _;

impl Picture {
    pub(super) fn bars_into(&self, script: &mut String) {
        let (low, high) = self.x.range.unwrap_or((0.5, 2.0));
        script.push_str("unset ytics\nset border 1\nset style fill solid 0.85 noborder\n");
        let _ = writeln!(script, "set yrange [{}:-0.7]", self.bars.len() as f64 - 0.3);
        script.push_str(
            "set arrow from first 1, graph 0 to first 1, graph 1 nohead front linewidth 1.5 linecolor rgb '#1c2024'\n",
        );
        let grouped = self.bars.iter().any(|bar| bar.name.is_empty());
        for (row, bar) in self.bars.iter().enumerate() {
            if grouped && row > 0 && !bar.name.is_empty() {
                let place = row as f64 - 0.5;
                let _ = writeln!(
                    script,
                    "set arrow from screen 0.01, first {place} to screen 0.99, first {place} nohead back \
                     linewidth 1 linecolor rgb '#d5dae0'"
                );
            }
            let _ = writeln!(
                script,
                "set label {} at graph 0, first {row} right offset character -1,0 font ',10'\n\
                 set label {} at graph 1, first {row} left offset character 1,0 font ',10'",
                quote(&bar.name),
                quote(&bar.text)
            );
        }
        script.push_str("$bars << END\n");
        for (row, bar) in self.bars.iter().enumerate() {
            let end = bar.factor.clamp(low, high);
            let colour = u32::from_str_radix(&COLOURS[bar.colour % COLOURS.len()][1..], 16);
            let (from, to) = bar.interval.unwrap_or((f64::NAN, f64::NAN));
            let _ = writeln!(
                script,
                "{end} {row} {} {} {} {} {} {} {}",
                end.min(1.0),
                end.max(1.0),
                row as f64 - 0.32,
                row as f64 + 0.32,
                colour.unwrap_or(0),
                from.clamp(low, high),
                to.clamp(low, high)
            );
        }
        script.push_str("END\n");
        script.push_str(
            "plot $bars using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable notitle, \\\n  \
             $bars using 1:2:8:9 with xerrorbars pointtype -1 linecolor rgb '#1c2024' linewidth 1.5 notitle\n",
        );
    }
}

/// Room for the words on the left of bars, in pixels.
pub(super) fn words_width(bars: &[Bar]) -> u32 {
    width(bars.iter().map(|bar| bar.name.as_str()), 100, 570)
}
