//! What the rules read: source files and what they import.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of Rust and Go below a folder, without what was built.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == "target" || name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs" || end == "go") {
            found.push(path);
        }
    }
    found
}

/// The text without comments and without the tests at its end.
pub fn code(text: &str) -> String {
    let tests = ["#[cfg(test)]\nmod ", "#[cfg(all(test"];
    let end = tests.iter().filter_map(|start| text.find(start)).min().unwrap_or(text.len());
    let lines = text[..end].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// First names after every mention of a path like `crate` or `super`, those within braces included.
pub fn imports(text: &str, path: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut found = BTreeSet::new();
    let path = format!("{path}::");
    for (at, _) in text.match_indices(&path) {
        // `$crate::`, `some_crate::` and `super::super::` are other things.
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || "_$:".contains(c)) {
            continue;
        }
        let rest = &text[at + path.len()..];
        let Some(inner) = rest.strip_prefix('{') else {
            found.insert(word(rest));
            continue;
        };
        let (mut depth, mut start) = (0, 0);
        for (index, c) in inner.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    found.insert(word(&inner[start..index]));
                    start = index + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    found.remove("");
    found
}

#[test]
fn imports_are_found_however_they_are_written() {
    let text = "use crate::{\n    a::{b, c},\n    d,\n};\nlet x = crate::e::f();\nuse $crate::g;\nuse super::super::h;";
    let found: Vec<String> = imports(text, "crate").into_iter().collect();
    assert_eq!(found, ["a", "d", "e"]);
    assert_eq!(imports(text, "super::super"), BTreeSet::from(["h".to_owned()]));
    assert_eq!(imports(text, "super"), BTreeSet::from(["super".to_owned()]));
}
