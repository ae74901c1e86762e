//! Shell libraries that may be sourced together define no function twice: the one that is sourced last would answer calls
//! that mean the other.

use crate::source::root;
use std::{collections::BTreeMap, fs, path::Path};

/// The files below a folder that end in `.sh`.
fn libraries(folder: &Path, found: &mut Vec<(String, String)>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            libraries(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sh") {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The names of the functions that a text defines.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (name, _) = line.split_once("()")?;
        let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (word && !name.is_empty()).then_some(name)
    })
}

#[test]
fn functions_are_found() {
    let text = "one() {\n    two() { :; }\nthree() { echo; }\n# four() five\nx=$(six())";
    assert_eq!(functions(text).collect::<Vec<_>>(), ["one", "three"]);
}

#[test]
fn no_shell_library_defines_a_function_of_another() {
    // What sets a host up sources nothing of scripts/.
    for folder in ["scripts", "runner-setup/lib"] {
        let (mut files, mut defined) = (Vec::new(), BTreeMap::<&str, Vec<&str>>::new());
        libraries(&root().join(folder), &mut files);
        for (file, text) in &files {
            functions(text).for_each(|name| defined.entry(name).or_default().push(file));
        }
        assert!(defined.len() > 10, "{folder}: {}", defined.len());
        defined.retain(|_, files| files.len() > 1);
        assert!(defined.is_empty(), "each of these is defined repeatedly: {defined:#?}");
    }
}
