//! Plots of the history.

use crate::{
    exit::Exit,
    history::{HistoryArgs, SeriesArgs, TrendSelection},
    output::put,
};
use anyhow::{Result, bail};
use clap::{Subcommand, ValueHint};
use shakedown_report::plot;
use shakedown_store::{change, query::Trend};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown history plot trend bulk/tls1.3/aes256-gcm/x25519/rsa-2048/write-16KiB \\
      --subject rustls@git:HEAD --side send --metric throughput --out trend.svg
  shakedown history plot releases handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256 \\
      --stack openssl --side server --metric handshakes --format png --out releases.png")]
pub struct PlotArgs {
    #[command(subcommand)]
    verb: PlotVerb,
}

#[derive(Debug, Subcommand)]
enum PlotVerb {
    /// Plot a series over time, with its changes
    Trend(PlotTrendArgs),
    /// Plot the newest value of each release of a stack
    Releases(ReleasesArgs),
}

#[derive(Debug, clap::Args)]
struct OutputArgs {
    /// File format
    #[arg(long, short, value_enum, default_value = "svg")]
    format: plot::ImageFormat,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct PlotTrendArgs {
    #[command(flatten)]
    selection: TrendSelection,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, clap::Args)]
struct ReleasesArgs {
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    series: SeriesArgs,
    /// Stack whose releases to plot
    #[arg(long)]
    stack: String,
    /// Build variant of the releases; may be repeated [default: releases without variants]
    #[arg(long)]
    variant: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Draws a plot.
pub fn plot(args: PlotArgs) -> Result<Exit> {
    match args.verb {
        PlotVerb::Trend(args) => trend(args),
        PlotVerb::Releases(args) => releases(args),
    }
}

fn trend(args: PlotTrendArgs) -> Result<Exit> {
    let (store, index, trends) = args.selection.trends()?;
    let [trend] = trends.as_slice() else {
        bail!("a plot shows one series; choose one: {}", several(&trends));
    };
    if trend.points.is_empty() {
        bail!("no run since then has this series");
    }
    let runs = index.runs(i64::MIN, usize::MAX)?;
    let picture = plot::trend(trend, &change::suspects(&store)?, &runs);
    put(&picture.draw(args.output.format)?, args.output.out.as_deref())?;
    Ok(Exit::Done)
}

fn releases(mut args: ReleasesArgs) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let trends = index.latest(&args.series.filter(), 1)?;
    let one = |trend: &Trend| (trend.series.side.clone(), trend.series.metric.clone());
    let Some(first) = trends.first() else {
        bail!("the history has no such numbers: see `shakedown history best`");
    };
    if trends.iter().any(|trend| one(trend) != one(first)) {
        bail!(
            "a plot shows one side and metric; choose them with --side and --metric: {}",
            several(&trends)
        );
    }
    args.variant.sort();
    let order = |number: &str| number.parse::<shakedown_builder::Release>().ok();
    let runs = index.runs(i64::MIN, usize::MAX)?;
    let picture = plot::releases(order, &args.stack, &args.variant, &trends, &runs)?;
    put(&picture.draw(args.output.format)?, args.output.out.as_deref())?;
    Ok(Exit::Done)
}

/// The series to choose from.
fn several(trends: &[Trend]) -> String {
    let words = trends.iter().take(60).map(|trend| {
        let s = &trend.series;
        format!("\n  --subject {} --side {} --metric {}", s.subject, s.side, s.metric)
    });
    words.collect()
}
