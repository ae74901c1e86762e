//! From a picture to the bytes of a file.

mod axis;
mod bars;
mod curves;
mod quoting;

use super::Picture;
use anyhow::{Context, Result, bail};
use axis::{axis, longest, one_two_five};
use bars::words_width;
use curves::legend;
use quoting::{quote, xml};
use std::{
    fmt::Write as _,
    io::{ErrorKind, Write as _},
    process::{Command, Stdio},
};

/// Colours that readers with any kind of colour blindness tell apart (Paul Tol, "bright"; the
/// lighter ones last).
pub const COLOURS: [&str; 7] =
    ["#4477aa", "#ee6677", "#228833", "#aa3377", "#777777", "#66ccee", "#ccbb44"];
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

/// Room for words and some space, in pixels, between the least and the most.
fn width<'a>(words: impl Iterator<Item = &'a str>, least: u32, most: u32) -> u32 {
    let longest = words.map(|text| text.chars().count()).max().unwrap_or(0);
    ((longest as f64 * CHARACTER) as u32 + 30).clamp(least, most)
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
