//! How results leave the command.

use anyhow::{Context, Result, bail};
use std::{
    fmt::Display,
    fs,
    io::{ErrorKind, IsTerminal, Write},
    path::{Path, PathBuf},
};

/// Prints a result to standard output. A reader that has closed the pipe (`| head`) is no error:
/// files are still written, and the exit code is still that of the verdict.
///
/// # Errors
/// When the disk behind it is full.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("can't write the result"),
    }
}

/// Prints a line to standard error, for a person. Whether anybody reads it must not matter to what
/// is being done, so that it can't fail as `eprintln!` can.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
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
/// When nobody reads it any more, or the disk behind it is full.
pub fn print_json_line(value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_string(value).context("can't write JSON")?;
    text.push('\n');
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("can't write the result")
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

/// Writes a file aside and moves it into its place, so that there is never half of one.
///
/// # Errors
/// If it can't be written.
pub fn replace_file(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".part");
    fs::write(&aside, content)
        .and_then(|()| fs::rename(&aside, path))
        .with_context(|| format!("can't write {}", path.display()))
}

/// An error and its causes on one line, each said once: many an error's own text has its cause's in it.
pub fn causes(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if said.is_empty() {
            said = cause;
        } else if !said.contains(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    said
}

/// Tells where everything is: the last thing that a run says.
pub fn name_files(files: &[PathBuf]) {
    files.iter().for_each(|file| say(file.display()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[derive(Debug, thiserror::Error)]
    #[error("can't read x: {source}")]
    struct Repeats {
        source: std::io::Error,
    }

    #[test]
    fn a_cause_is_said_once() {
        let source = std::io::Error::other("no such file");
        let error = anyhow!(Repeats { source }).context("the policy");
        assert_eq!(causes(&error), "the policy: can't read x: no such file");
        let plain = anyhow!("b").context("a");
        assert_eq!(causes(&plain), "a: b");
        let whole = anyhow!("x: no such file").context("x: no such file or so");
        assert_eq!(causes(&whole), "x: no such file or so");
    }
}
