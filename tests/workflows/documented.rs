//! What documents tell the reader to set and what workflows read are the same.

use crate::yaml::files;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The words of a text that begin so, as variables are written.
fn words(text: &str, start: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    for (at, _) in text.match_indices(start) {
        let inside = text[..at].chars().next_back().is_some_and(|c| part(c) || c == '-');
        let name: String = text[at..].chars().take_while(|c| part(*c)).collect();
        if !inside && name.len() > start.len() && !name.ends_with('_') {
            found.insert(name);
        }
    }
    found
}

/// Every document: path and text.
fn documents() -> Vec<(String, String)> {
    let folders = ["", "docs", "docs/decisions", "runner-setup", "history"];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

/// The table of the repository's variables: what it says of each.
fn variables() -> BTreeMap<String, String> {
    let text = fs::read_to_string(root().join("docs/adopting.md")).unwrap();
    let (_, rest) = text.split_once("| variable | example | default |").unwrap();
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    let named = rows.flat_map(|row| {
        let names = ["BENCH_", "BENCHER_", "SHAKEDOWN_"].iter().flat_map(|start| words(row, start));
        names.map(|name| (name, row.to_owned())).collect::<Vec<_>>()
    });
    named.fold(BTreeMap::new(), |mut table, (name, row)| {
        *table.entry(name).or_default() += &row;
        table
    })
}

/// The variables that workflows read, each with what they take where it is not set.
fn read() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files() {
        for rest in file.text.split("vars.").skip(1) {
            let end =
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let defaults = found.entry(rest[..end].to_owned()).or_default();
            if let Some(default) = rest[end..].strip_prefix(" || '") {
                defaults.insert(default.split('\'').next().unwrap().to_owned());
            }
        }
    }
    found
}

/// A default that the table tells in words, as it is no single value.
const IN_WORDS: [&str; 1] = ["BENCH_STACK"];

#[test]
fn the_table_of_variables_has_all_that_workflows_read_with_their_defaults() {
    let (table, read) = (variables(), read());
    assert!(read.len() > 20, "{read:?}");
    let names = |map: Vec<&String>| map.into_iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(table.keys().collect()), names(read.keys().collect()), "docs/adopting.md");
    for (name, defaults) in &read {
        for default in defaults.iter().filter(|_| !IN_WORDS.contains(&name.as_str())) {
            let told = table[name].contains(&format!("`{default}`"));
            assert!(
                told,
                "docs/adopting.md does not say that {name} is `{default}` where it is not set"
            );
        }
    }
}

/// Secrets and variables of jobs that are no variables of the repository.
const OTHERS: [&str; 1] = ["BENCHER_API_TOKEN"];

#[test]
fn every_variable_that_a_document_names_is_read() {
    let read = read();
    let mut code = String::new();
    for folder in ["src", "scripts", "runner-setup", "forge", "bench", "report", "history", "tests"]
    {
        collect(&root().join(folder), &mut code);
    }
    let known = words(&code, "SHAKEDOWN_");
    for (path, text) in documents() {
        for name in ["BENCH_", "BENCHER_"].iter().flat_map(|start| words(&text, start)) {
            let read = read.contains_key(&name) || OTHERS.contains(&name.as_str());
            assert!(read, "{path} names {name}, which no workflow reads");
        }
        for name in words(&text, "SHAKEDOWN_") {
            let read = read.contains_key(&name) || known.contains(&name);
            assert!(read, "{path} names {name}, which nobody reads");
        }
    }
}

/// The text of scripts and Rust files below a folder.
fn collect(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        let skipped = ["target", "node_modules"].contains(&&*name) || name.ends_with(".md");
        if entry.is_dir() && !skipped {
            collect(&entry, text);
        } else if entry.is_file() && !skipped {
            *text += &fs::read_to_string(&entry).unwrap_or_default();
        }
    }
}

/// The options that follow a command in the documents, up to the end of the line or of the code.
fn options(text: &str, command: &str) -> BTreeSet<String> {
    let text = text.replace("\\\n", " ");
    let calls = text
        .split(command)
        .skip(1)
        .map(|rest| rest.split(['\n', '`', '|', ';', ')']).next().unwrap());
    let words = calls.flat_map(str::split_whitespace).filter(|word| word.starts_with("--"));
    words.map(|word| word.split(['=', '[', ',', '.']).next().unwrap().to_owned()).collect()
}

#[test]
fn every_option_of_a_script_that_a_document_names_exists() {
    let mut found = 0;
    for script in [
        "runner-setup/install.sh",
        "runner-setup/uninstall.sh",
        "runner-setup/update-runner-version",
        "scripts/bench",
        "scripts/test",
        "scripts/reference-openssl",
        "scripts/reference-rustls",
        "scripts/verdict-pictures",
    ] {
        let mut code = fs::read_to_string(root().join(script)).unwrap();
        if script.starts_with("scripts/reference-") {
            code += include_str!("../../scripts/lib/reference.py");
        }
        for (path, text) in documents() {
            for option in options(&text, script) {
                found += 1;
                assert!(
                    code.contains(&option),
                    "{path} calls {script} {option}, which it does not have"
                );
            }
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn every_unit_that_a_document_names_exists() {
    let mut code = String::new();
    collect(&root().join("runner-setup/host/src"), &mut code);
    let mut found = 0;
    for (path, text) in documents() {
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_.@".contains(c))) {
            let word = word.trim_end_matches('.');
            let unit = [".service", ".timer", ".socket"].iter().any(|end| word.ends_with(end));
            if word.starts_with("shakedown-") && unit {
                found += 1;
                let file = root().join("runner-setup/units").join(word);
                assert!(file.exists() || code.contains(word), "{path} names {word}");
            }
        }
    }
    assert!(found > 8, "{found}");
}

/// The words between backticks in the first column of the table that begins so.
fn first_column(text: &str, begin: &str) -> BTreeSet<String> {
    let (_, table) = text.split_once(begin).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').nth(1).unwrap());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
}

#[test]
fn the_metrics_and_the_keys_of_a_host_are_those_of_the_code() {
    let page = fs::read_to_string(root().join("docs/operating.md")).unwrap();
    let code = |file: &str| {
        let code = fs::read_to_string(root().join("runner-setup/host/src").join(file)).unwrap();
        code.split("#[cfg(test)]").next().unwrap().to_owned()
    };
    let metrics = code("metrics.rs");
    let told = first_column(&page, "| metric `shakedown_host_...` | |");
    for name in &told {
        assert!(metrics.contains(&format!("\"{name}\",")), "no metric {name}");
    }
    for rest in ["one(\"", "head(\""].iter().flat_map(|call| metrics.split(call).skip(1)) {
        let name = rest.split('"').next().unwrap();
        assert!(told.contains(name), "docs/operating.md does not name metric {name}");
    }
    let policy = code("admission/policy.rs");
    let (_, fields) = policy.split_once("pub struct AdmissionPolicy {").unwrap();
    let fields = fields.lines().take_while(|line| *line != "}");
    let fields = fields.filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':'));
    let fields: BTreeSet<String> = fields.map(|(name, _)| name.replace('_', "-")).collect();
    assert_eq!(first_column(&page, "| key | default | |"), fields, "/etc/shakedown/runner.toml");
}
