//! `shakedown site`.

use super::history::Place;
use crate::exit::Exit;
use anyhow::Result;
use clap::ValueHint;
use std::path::PathBuf;

/// Builds the dashboard: static files for any web server, or to open from the disk. A folder
/// that was built before is brought up to date.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    place: Place,
    /// Folder to build it in
    #[arg(value_hint = ValueHint::DirPath)]
    build_dir: PathBuf,
}

/// Builds.
///
/// # Errors
/// If the history can't be read, or the folder can't be written to.
pub fn run(args: Args) -> Result<Exit> {
    let (store, index) = args.place.index()?;
    let built = store::site::build(&store, &index, &args.build_dir)?;
    super::print(&format!(
        "{}: {} files written, {} unchanged\n",
        args.build_dir.join("index.html").display(),
        built.written,
        built.kept
    ))?;
    Ok(Exit::Done)
}
