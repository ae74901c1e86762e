//! The results as pictures, by gnuplot.

use crate::{study::Results, tables::powers, world::CONDITIONS};
use std::{error::Error, fmt::Write as _, fs, path::Path, process::Command};

/// Rules in the pictures, with the colours of a palette that colour-blind people can tell
/// apart.
const SHOWN: [(&str, &str); 7] = [
    ("shakedown", "#000000"),
    ("shakedown, uncalibrated", "#999999"),
    ("github-action-benchmark 105 %", "#E69F00"),
    ("Bencher t-test 0.99", "#56B4E9"),
    ("benchstat Mann-Whitney 0.01", "#009E73"),
    ("criterion", "#D55E00"),
    ("rustls-bench-app IQR", "#CC79A7"),
];

/// Writes the pictures of every source that has results, as SVG and PNG.
pub fn write(out: &Path, results: &Results) -> Result<(), Box<dyn Error>> {
    for source in ["synthetic", "recorded"] {
        if results.power.iter().any(|p| p.source == source) {
            draw(out, &format!("power-{source}"), &power(results, source)?, (1500, 860))?;
            draw(out, &format!("false-alarms-{source}"), &alarms(results, source)?, (1200, 560))?;
        }
    }
    Ok(())
}

/// Runs one script for each format.
fn draw(
    out: &Path,
    name: &str,
    script: &str,
    (width, height): (u32, u32),
) -> Result<(), Box<dyn Error>> {
    for (terminal, ending) in [("svg", "svg"), ("pngcairo", "png")] {
        let file = out.join(format!("{name}.{ending}"));
        let full = format!(
            "set terminal {terminal} size {width},{height} font 'sans,12' background '#ffffff'\nset output '{}'\n{script}",
            file.display()
        );
        let path = std::env::temp_dir().join(format!("shakedown-evidence-{name}.gp"));
        fs::write(&path, full)?;
        let status = Command::new("gnuplot").arg(&path).status();
        fs::remove_file(&path)?;
        if !status
            .map_err(|error| format!("gnuplot (apt-get install gnuplot-nox): {error}"))?
            .success()
        {
            return Err(format!("gnuplot could not draw {name}").into());
        }
    }
    Ok(())
}

/// A picture for each condition: share found over the slowdown.
fn power(results: &Results, source: &str) -> Result<String, Box<dyn Error>> {
    let mut data = String::new();
    let mut plots = String::new();
    for (place, condition) in CONDITIONS.iter().enumerate() {
        let mut lines = Vec::new();
        for (index, (rule, colour)) in SHOWN.iter().enumerate() {
            let name = format!("$p{place}_{index}");
            writeln!(data, "{name} << EOD")?;
            for p in powers(results, source, condition.name, rule) {
                writeln!(data, "{} {}", p.slowdown * 100.0, p.found * 100.0)?;
            }
            writeln!(data, "EOD")?;
            let width = if index == 0 { 3 } else { 2 };
            let title = if place == 0 { format!("title '{rule}'") } else { "notitle".to_owned() };
            lines.push(format!(
                "{name} using 1:2 with linespoints lw {width} pt 7 ps 0.6 lc rgb '{colour}' {title}"
            ));
        }
        // One key for all six, beside them.
        let key = if place == 0 {
            "set key at screen 0.995,0.90 top right vertical"
        } else {
            "unset key"
        };
        writeln!(plots, "{key}\nset title '{}'\nplot {}", condition.name, lines.join(", "))?;
    }
    Ok(format!(
        "{data}\nset multiplot layout 2,3 margins 0.045,0.765,0.07,0.90 spacing 0.05,0.13 title 'Slowdowns found, {source} noise (most other rules also alarm on unchanged code: see the other picture)'\n\
         set xlabel 'slowdown (%)'\nset ylabel 'found (%)' offset 1\nset xrange [0.8:10.5]\nset yrange [-2:103]\n\
         set logscale x\nset xtics (1,2,3,4,5,10)\nset grid lc rgb '#dddddd'\n{plots}unset multiplot\n"
    ))
}

/// Bars: share of unchanged pull requests that fail.
fn alarms(results: &Results, source: &str) -> Result<String, Box<dyn Error>> {
    let mut data = "$alarms << EOD\n".to_owned();
    for condition in &CONDITIONS {
        write!(data, "\"{}\"", condition.name)?;
        for (rule, _) in SHOWN {
            let found = results
                .alarms
                .iter()
                .find(|a| a.source == source && a.condition == condition.name && a.rule == rule);
            // Zero has no place on a logarithmic axis: its bar ends below the picture.
            write!(data, " {}", found.map_or(0.0, |a| (a.share * 100.0).max(0.01)))?;
        }
        writeln!(data)?;
    }
    data.push_str("EOD\n");
    let bars: Vec<String> = SHOWN
        .iter()
        .enumerate()
        .map(|(index, (rule, colour))| {
            let labels = if index == 0 { ":xtic(1)" } else { "" };
            format!("$alarms using {}{labels} title '{rule}' lc rgb '{colour}'", index + 2)
        })
        .collect();
    Ok(format!(
        "{data}set title 'Unchanged pull requests that fail, {source} noise'\nset style data histogram\n\
         set style histogram clustered gap 1\nset style fill solid\nset boxwidth 0.9\nset logscale y\n\
         set yrange [0.02:150]\nset ytics ('0.1' 0.1, '1' 1, '10' 10, '100' 100)\nset ylabel '%'\n\
         set key outside right top\nset grid y lc rgb '#dddddd'\n\
         set arrow from graph 0, first 1 to graph 1, first 1 nohead lw 2 dt 2 lc rgb '#cc0000'\n\
         set label 'at most 1 %' at graph 1.01, first 1 tc rgb '#cc0000'\n\
         set label 'no bar: none failed' at graph 1.01, graph 0.03\nplot {}\n",
        bars.join(", ")
    ))
}
