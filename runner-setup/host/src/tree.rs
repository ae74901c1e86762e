//! Captured trees of a machine as one text, so that a fixture is a file that people can read.
//!
//! A line `path = text` is a file; lines that begin with `| ` after `path =` are a file of
//! several lines; `{0-3,8}` in a path stands for each of these numbers, and `{}` in its text
//! for the number. Lines that begin with `#` and empty ones mean nothing.

use crate::CpuSet;
use std::{fs, io, path::Path};

/// Why a text is no tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A malformed line.
    #[error("line {line}: {reason}")]
    Line {
        /// Line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A file that can't be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The files of a tree: path and text, in order.
///
/// # Errors
/// [`TreeError::Line`].
pub fn parse(text: &str) -> Result<Vec<(String, String)>, TreeError> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut open: Option<(usize, String, Vec<String>)> = None;
    for (index, line) in text.lines().enumerate() {
        if let Some(more) = line.strip_prefix("| ").or((line == "|").then_some("")) {
            let Some((_, _, lines)) = &mut open else {
                return Err(wrong(index, "a line of a file, but of which?"));
            };
            lines.push(more.to_owned());
            continue;
        }
        close(&mut open, &mut files)?;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (path, text) = line
            .split_once(" = ")
            .or_else(|| Some((line.strip_suffix(" =")?, "")))
            .ok_or_else(|| wrong(index, "write `path = text`"))?;
        if path.starts_with('/') || path.split('/').any(|part| part == ".." || part.is_empty()) {
            return Err(wrong(index, "a path goes down from the root, without the leading slash"));
        }
        let lines = if text.is_empty() { vec![] } else { vec![text.to_owned()] };
        open = Some((index, path.to_owned(), lines));
    }
    close(&mut open, &mut files)?;
    Ok(files)
}

fn wrong(index: usize, reason: &str) -> TreeError {
    TreeError::Line { line: index + 1, reason: reason.to_owned() }
}

fn close(
    open: &mut Option<(usize, String, Vec<String>)>,
    files: &mut Vec<(String, String)>,
) -> Result<(), TreeError> {
    let Some((index, path, lines)) = open.take() else { return Ok(()) };
    let text = lines.join("\n");
    let Some((before, rest)) = path.split_once('{') else {
        files.push((path, text));
        return Ok(());
    };
    let (list, after) = rest.split_once('}').ok_or_else(|| wrong(index, "a `{` without `}`"))?;
    let numbers: CpuSet = list.parse().map_err(|error| wrong(index, &format!("{error}")))?;
    for number in numbers.iter() {
        let number = number.to_string();
        files.push((format!("{before}{number}{after}"), text.replace("{}", &number)));
    }
    Ok(())
}

/// Writes the files of a tree into a folder.
///
/// # Errors
/// [`TreeError`].
pub fn unpack(text: &str, folder: &Path) -> Result<(), TreeError> {
    for (path, text) in parse(text)? {
        let path = folder.join(path);
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        fs::write(path, format!("{text}\n"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_files() {
        let text =
            "# a machine\na/b = 1\n\nc =\n| x\ty\n|\n| z = 2\ncpu{0,8-9}/n = cpu{}\nempty =\n";
        let files = parse(text).unwrap();
        let expected = [
            ("a/b", "1"),
            ("c", "x\ty\n\nz = 2"),
            ("cpu0/n", "cpu0"),
            ("cpu8/n", "cpu8"),
            ("cpu9/n", "cpu9"),
            ("empty", ""),
        ];
        assert_eq!(files, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }

    #[test]
    fn what_is_no_tree_is_named_with_its_line() {
        for (text, said) in [
            ("a = 1\nnothing", "line 2: write"),
            ("| x", "line 1: a line of a file"),
            ("../a = 1", "line 1: a path"),
            ("/a = 1", "line 1: a path"),
            ("a{0 = 1", "without `}`"),
            ("a{x} = 1", "no list of CPUs"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
