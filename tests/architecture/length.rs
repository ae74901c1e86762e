//! Files that can be held in mind.

use crate::source::{root, sources};
use std::fs;

/// Lines of the longest file.
const LIMIT: usize = 300;

#[test]
fn no_source_file_is_longer_than_the_limit() {
    let files = sources(root());
    for path in &files {
        let lines = fs::read_to_string(path).unwrap().lines().count();
        assert!(lines <= LIMIT, "{} has {lines} lines: split it by job", path.display());
    }
    assert!(files.len() > 500, "{}", files.len());
}
