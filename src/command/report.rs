//! `shakedown report`.

use crate::{
    exit::Exit,
    output::put,
    record::{explanation_beside, judgement_beside, page_beside, read},
};
use anyhow::Result;
use clap::ValueHint;
use globset::Glob;
use shakedown_protocol::Scenario;
use shakedown_report as report;
use shakedown_report::PageFormat;
use shakedown_report::{Verdicts, plot};
use std::path::{Path, PathBuf};

/// Renders a run record: as a table for a terminal, as Markdown, as HTML or as a plot. A
/// judgement.json beside the record comes first in it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A record.json, or its folder
    #[arg(value_hint = ValueHint::AnyPath)]
    record: PathBuf,
    /// Format of the report [default: by the ending of --out, or else a table]
    #[arg(long, short, value_enum)]
    format: Option<As>,
    /// What an SVG or PNG shows
    #[arg(long, value_enum, default_value = "factors")]
    plot: plot::PlotKind,
    /// In an SVG or PNG, only scenarios whose ids match (`*` matches anything)
    #[arg(long, value_name = "GLOB")]
    only: Option<Glob>,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum As {
    /// The table that `run` prints
    Table,
    /// Markdown
    Md,
    /// One HTML page without any other file
    Html,
    /// The summary as JSON
    Json,
    /// A plot as vector graphics
    Svg,
    /// A plot as pixels
    Png,
}

impl As {
    /// The format that the ending of a file's name stands for.
    fn of_ending(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "md" => Self::Md,
            "html" | "htm" => Self::Html,
            "json" => Self::Json,
            "svg" => Self::Svg,
            "png" => Self::Png,
            "txt" => Self::Table,
            _ => return None,
        })
    }
}

/// Makes the report.
///
/// # Errors
/// A record that can't be read, or a place that can't be written to.
pub fn run(args: Args) -> Result<Exit> {
    let record = read(&args.record)?;
    let summary = shakedown_summary::summarize(&record);
    let report = report::Report::new(&record, &summary);
    let judgement = judgement_beside(&args.record, &record);
    let verdicts = judgement.map(|judgement| Verdicts::new(&judgement, &record, None));
    let report = match verdicts {
        Some(verdicts) => report.with_verdict(verdicts),
        None => report,
    };
    let report = match explanation_beside(&args.record) {
        Some(explanation) => report.with_explanation(&explanation),
        None => report,
    };
    let by_ending = || args.out.as_deref().and_then(As::of_ending);
    let format = args.format.or_else(by_ending).unwrap_or(As::Table);
    let text = match format {
        As::Table => {
            let to_file = args.out.is_some();
            let screen =
                if to_file { report::Screen::new(None, false) } else { report::Screen::stdout() };
            report.text(screen, &page_beside(&args.record))
        }
        As::Md => report.render(PageFormat::Markdown)?,
        As::Html => report.render(PageFormat::Html)?,
        As::Json => serde_json::to_string_pretty(&summary.rows)? + "\n",
        As::Svg | As::Png => {
            let wanted = |scenario: &Scenario| {
                args.only
                    .as_ref()
                    .is_none_or(|only| only.compile_matcher().is_match(scenario.to_string()))
            };
            let picture = args.plot.picture(&record, &summary, &wanted)?;
            let svg = format == As::Svg;
            let format = if svg { plot::ImageFormat::Svg } else { plot::ImageFormat::Png };
            put(&picture.draw(format)?, args.out.as_deref())?;
            return Ok(Exit::Done);
        }
    };
    put(text.as_bytes(), args.out.as_deref())?;
    Ok(Exit::Done)
}
