//! What `scripts/lib/command.sh` prints while cargo builds.

mod common;

use std::{fs, path::Path, process::Command};

/// Builds the package in `folder` with the real cargo, as `scripts/bench` builds the command. Returns
/// the exit code and what was printed.
fn build(folder: &Path, interval: u32) -> (Option<i32>, String) {
    let library = common::root().join("scripts/lib/command.sh");
    let script = format!(
        "set -euo pipefail; . {}; progress_interval={interval}; with_progress cargo build --offline",
        library.display()
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        // Cargo says so when it waits for another one's lock on the cache of packages.
        .env("CARGO_HOME", folder.join("cargo-home"))
        .output()
        .unwrap();
    assert!(output.stdout.is_empty(), "{output:?}");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn package(folder: &Path, main: &str) {
    let mut dependencies = String::new();
    for name in ["one", "two", "three"] {
        let source = folder.join(name).join("src");
        fs::create_dir_all(&source).unwrap();
        fs::write(source.join("lib.rs"), "").unwrap();
        let manifest = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n");
        fs::write(folder.join(name).join("Cargo.toml"), manifest).unwrap();
        dependencies += &format!("{name} = {{ path = \"{name}\" }}\n");
    }
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/main.rs"), main).unwrap();
    let manifest = format!(
        "[package]\nname = \"whole\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n[workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
}

#[test]
fn a_build_without_a_terminal_says_how_many_crates_are_built() {
    let folder = tempfile::tempdir().unwrap();
    package(folder.path(), "fn main() {}\n");
    let (code, said) = build(folder.path(), 0);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("  3 of 4 crates after "), "{said}");
    assert!(!said.contains("Compiling") && !said.contains('\r'), "{said}");
    // Nothing left to do: nothing to say.
    assert_eq!(build(folder.path(), 0), (Some(0), String::new()));
}

#[test]
fn a_short_build_is_silent_and_a_failed_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    package(folder.path(), "fn main() {}\n");
    assert_eq!(build(folder.path(), 600), (Some(0), String::new()));
    package(folder.path(), "fn main() { nonsense() }\n");
    let (code, said) = build(folder.path(), 600);
    assert_eq!(code, Some(101), "{said}");
    assert!(said.contains("cannot find function `nonsense`"), "{said}");
    assert!(said.contains("could not compile `whole`"), "{said}");
}

#[test]
fn the_bar_of_downloads_is_left_out() {
    let library = common::root().join("scripts/lib/command.sh");
    let printed = "    Updating index\r\n       Fetch [====>      ] 190 complete; 1 pending\r\
                   \x1b[K    Blocking waiting for file lock on package cache\r\n";
    let output = Command::new("bash")
        .args(["-c", ". \"$1\"; printf '%s' \"$2\" | crates_built", "bash"])
        .args([library.as_os_str(), printed.as_ref()])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.trim(), "Blocking waiting for file lock on package cache", "{output:?}");
}
