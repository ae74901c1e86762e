//! `shakedown site`.

use crate::{
    exit::Exit,
    history::{HistoryArgs, write_reports},
    output::print,
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_store::site::{SiteLinks, build};
use std::path::PathBuf;

/// Builds the dashboard: static files for any web server, or to open from the disk. A folder
/// that was built before is brought up to date.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    history: HistoryArgs,
    /// URL of the history's folder on the web, for links to records, for example
    /// https://raw.githubusercontent.com/OWNER/REPOSITORY/history
    #[arg(long, value_name = "URL", value_parser = address)]
    records: Option<String>,
    /// A sentence above every page, for example that the history is invented
    #[arg(long, value_name = "TEXT")]
    notice: Option<String>,
    /// How many of the newest runs have their report in the dashboard; the runs that a decision about
    /// a change point rests on have theirs anyway
    #[arg(long, value_name = "COUNT", default_value_t = 14)]
    reports: usize,
    /// Folder to write
    #[arg(value_hint = ValueHint::DirPath)]
    build_dir: PathBuf,
}

fn address(text: &str) -> Result<String, String> {
    let web = text.starts_with("https://") || text.starts_with("http://");
    let plain = !text.chars().any(|c| c.is_whitespace() || c.is_control());
    if web && plain { Ok(text.to_owned()) } else { Err("write https://...".to_owned()) }
}

/// Builds.
///
/// # Errors
/// If the history can't be read, or the folder can't be written to.
pub fn run(args: Args) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let reports = write_reports(&store, &index, args.reports, &args.build_dir)?;
    let links = SiteLinks { records: args.records, notice: args.notice, reports };
    let built = build(&store, &index, &args.build_dir, &links)?;
    print(&format!(
        "{}: {} files written, {} unchanged\n",
        args.build_dir.join("index.html").display(),
        built.written,
        built.kept
    ))?;
    Ok(Exit::Done)
}
