//! How results leave the command.

use anyhow::{Context, Result, bail};
use std::{
    fs,
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
};

/// Prints a result to standard output.
///
/// # Errors
/// When nobody reads it, or the disk behind it is full.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("can't write the result")
}

/// Prints a result as JSON, for programs.
///
/// # Errors
/// Those of [`print`].
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value).context("can't write JSON")?;
    text.push('\n');
    print(&text)
}

/// Prints a result as one line of JSON, for programs that read as it goes.
///
/// # Errors
/// Those of [`print`].
pub fn print_json_line(value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_string(value).context("can't write JSON")?;
    text.push('\n');
    print(&text)
}

/// Writes a result to a file, or to standard output.
///
/// # Errors
/// If it can't be written; pixels are not written to a terminal.
pub fn put(bytes: &[u8], out: Option<&Path>) -> Result<()> {
    let mut standard = std::io::stdout().lock();
    match out {
        Some(path) => {
            fs::write(path, bytes).with_context(|| format!("can't write {}", path.display()))?;
        }
        None if bytes.starts_with(b"\x89PNG") && standard.is_terminal() => {
            bail!("a terminal shows no pixels: name a file with --out")
        }
        None => standard.write_all(bytes).context("can't write the result")?,
    }
    Ok(())
}

/// Tells where everything is: the last thing that a run says.
pub fn name_files(files: &[PathBuf]) {
    files.iter().for_each(|file| eprintln!("{}", file.display()));
}
