//! From a picture to the bytes of a file.

use super::{Axis, Bar, Curve, Joined, Picture};
use anyhow::{Context, Result, bail};
use std::{
    fmt::Write as _,
    io::{ErrorKind, Write as _},
    process::{Command, Stdio},
};

/// Colours that readers with any kind of colour blindness tell apart (Paul Tol, "bright"; the
/// lighter ones last).
pub const COLOURS: [&str; 7] =
    ["#4477aa", "#ee6677", "#228833", "#aa3377", "#777777", "#66ccee", "#ccbb44"];
/// Shapes of points, so that nothing depends on colour alone.
const SHAPES: [u32; 7] = [7, 5, 9, 13, 11, 6, 4];
/// Width of every picture, in pixels.
const WIDTH: u32 = 1100;
/// Width of a character of the labels, about, in pixels.
const CHARACTER: f64 = 7.2;

/// What kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ImageFormat {
    /// Lines and letters, sharp at any size
    Svg,
    /// Pixels, for where an SVG can't go
    Png,
}

impl Picture {
    /// Draws it.
    ///
    /// # Errors
    /// If gnuplot is not installed, or refuses.
    pub fn draw(&self, format: ImageFormat) -> Result<Vec<u8>> {
        let drawn = gnuplot(&self.script(format))?;
        if format == ImageFormat::Png {
            return Ok(drawn);
        }
        let text = String::from_utf8(drawn).context("gnuplot wrote no text")?;
        let title = format!("<title>{}</title>", xml(&self.title));
        Ok(text.replacen("<title>Gnuplot</title>", &title, 1).into_bytes())
    }

    /// The script that draws it.
    pub fn script(&self, format: ImageFormat) -> String {
        let mut script = terminal(format, self.height);
        self.frame(&mut script);
        axis(&mut script, "x", &self.x);
        if self.bars.is_empty() {
            axis(&mut script, "y", &self.y);
            if self.y.log {
                one_two_five(&mut script, &self.curves);
            }
            legend(&mut script, self.curves.len(), self.right());
            self.curves_into(&mut script);
        } else {
            self.bars_into(&mut script);
        }
        script
    }

    /// Room on the right, in pixels: of the words behind bars, or of the legend.
    fn right(&self) -> u32 {
        match (self.bars.is_empty(), self.curves.as_slice()) {
            (false, _) => width(self.bars.iter().map(|bar| bar.text.as_str()), 190, 420),
            (true, [_, _, ..]) => 60 + width(self.curves.iter().map(|c| c.name.as_str()), 120, 360),
            (true, _) => 45,
        }
    }

    /// Title, caption and margins.
    fn frame(&self, script: &mut String) {
        let bottom = 18 * self.caption.len() as u32 + if longest(&self.x) > 7 { 112 } else { 66 };
        let left = if self.bars.is_empty() { 90 } else { words_width(&self.bars) };
        let right = self.right();
        let part = |pixels: u32, of: u32| f64::from(pixels) / f64::from(of);
        let _ = writeln!(
            script,
            "set lmargin at screen {:.4}\nset rmargin at screen {:.4}\n\
             set bmargin at screen {:.4}\nset tmargin at screen {:.4}",
            part(left, WIDTH),
            1.0 - part(right, WIDTH),
            part(bottom, self.height),
            1.0 - part(44, self.height),
        );
        let _ = writeln!(
            script,
            "set label {} at screen 0.5, screen {:.4} center font ',13'",
            quote(&self.title),
            1.0 - part(20, self.height)
        );
        for (line, text) in self.caption.iter().rev().enumerate() {
            let _ = writeln!(
                script,
                "set label {} at screen 0.02, screen {:.4} left font ',9' textcolor rgb '#555555'",
                quote(text),
                part(14 + 18 * line as u32, self.height)
            );
        }
        for mark in &self.marks {
            let (dash, colour) = if mark.strong { (2, "#a3341c") } else { (3, "#777777") };
            let _ = writeln!(
                script,
                "set arrow from first {0}, graph 0 to first {0}, graph 1 nohead back dashtype {dash} \
                 linewidth 1.5 linecolor rgb '{colour}'\n\
                 set label {1} at first {0}, graph 0.03 left offset character 1,0 rotate by 90 \
                 font ',9' textcolor rgb '{colour}'",
                mark.x,
                quote(&mark.text)
            );
        }
    }

    fn curves_into(&self, script: &mut String) {
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

    fn bars_into(&self, script: &mut String) {
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

fn terminal(format: ImageFormat, height: u32) -> String {
    // Twice as many pixels: a picture is looked at on dense screens too.
    let (kind, scale, more) = match format {
        ImageFormat::Svg => ("svg", 1, ""),
        ImageFormat::Png => ("pngcairo", 2, " fontscale 2 linewidth 2 pointscale 2"),
    };
    format!(
        "set encoding utf8\n\
         set terminal {kind} noenhanced size {},{} font 'DejaVu Sans,11' background rgb '#ffffff'{more}\n\
         set border 3 linecolor rgb '#777777'\n\
         set grid linecolor rgb '#d5dae0' linewidth 1 dashtype 1\n\
         set tics nomirror textcolor rgb '#1c2024' scale 0.6\n",
        WIDTH * scale,
        height * scale
    )
}

fn axis(script: &mut String, name: &str, axis: &Axis) {
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
fn longest(axis: &Axis) -> usize {
    axis.words.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0)
}

/// Places 1, 2 and 5 times the powers of ten that the values of a logarithmic axis reach.
fn one_two_five(script: &mut String, curves: &[Curve]) {
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

/// The legend stands beside the picture, where it hides nothing.
fn legend(script: &mut String, curves: usize, right: u32) {
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

/// Room for words and some space, in pixels, between the least and the most.
fn width<'a>(words: impl Iterator<Item = &'a str>, least: u32, most: u32) -> u32 {
    let longest = words.map(|text| text.chars().count()).max().unwrap_or(0);
    ((longest as f64 * CHARACTER) as u32 + 30).clamp(least, most)
}

/// Room for the words on the left of bars, in pixels.
fn words_width(bars: &[Bar]) -> u32 {
    width(bars.iter().map(|bar| bar.name.as_str()), 100, 570)
}

/// A text as gnuplot's string. Whatever could mean something to gnuplot is written as the
/// number of its character; what would end the line becomes a space. (Single quotes would be
/// simpler, but gnuplot 5.4 stumbles over a doubled one at the beginning.)
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    // gnuplot reads as many digits as there are: a digit behind a number is written as one too.
    let mut after_number = false;
    for c in text.chars() {
        let number = matches!(c, '"' | '\\' | '`') || (after_number && c.is_ascii_digit());
        match c {
            c if number => {
                let _ = write!(out, "\\{:03o}", u32::from(c));
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        after_number = number;
    }
    out + "\""
}

fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn gnuplot(script: &str) -> Result<Vec<u8>> {
    let started = Command::new("gnuplot")
        // Without the settings that the user has for other pictures.
        .args(["--default-settings", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "gnuplot draws the pictures and is not installed: apt-get install gnuplot-nox fonts-dejavu-core"
        ),
        Err(error) => return Err(error).context("can't start gnuplot"),
    };
    let mut input = child.stdin.take().context("gnuplot has no input")?;
    let script = script.to_owned();
    // Beside the reading of what it draws: a full pipe would stop both.
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().context("gnuplot was lost")?;
    let written = writer.join().unwrap_or(Ok(()));
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || output.stdout.is_empty() {
        bail!("gnuplot failed: {}", said.trim().escape_debug());
    }
    written.context("gnuplot did not read its script")?;
    Ok(output.stdout)
}

#[cfg(test)]
mod tests;
