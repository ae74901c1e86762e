//! A stack in miniature, in a copy of the project of its own: a C library of one function that says
//! how many records each end sends, and the driver that does nothing besides. Its regressions are
//! real, exact, and built in a second.

use super::{
    measured,
    nights::{DAY, SMALL, START},
    root,
    upstream::{Upstream, copy, copy_project},
};
use shakedown_protocol::RunRecord;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// What is measured each night: a name that moves.
pub const TOY: &str = "toy@git:HEAD";

/// The miniature with three revisions, each measured once.
#[derive(Debug)]
pub struct Toy {
    /// The repository of the library.
    pub upstream: Upstream,
    /// Commit that sends one record where one is due, and its night.
    pub one: (String, RunRecord),
    /// Commit that sends two instead.
    pub two: (String, RunRecord),
    /// Commit that sends one again, and differs from the first in a comment only.
    pub same: (String, RunRecord),
    project: PathBuf,
}

impl Toy {
    /// Makes it once for all tests of a file.
    pub fn get() -> &'static Self {
        static TOY: OnceLock<Toy> = OnceLock::new();
        TOY.get_or_init(Self::make)
    }

    fn make() -> Self {
        let upstream = Upstream::new("toy-upstream");
        let project = project(upstream.folder());
        upstream.write("VERSION", "1.0.0\n");
        let measured = |code: &str, message: &str| {
            upstream.write("toy.c", code);
            let commit = upstream.commit(message);
            (commit, measure(&project))
        };
        let one = measured("unsigned toy_records(void) { return 1; }\n", "One record");
        let two = measured("unsigned toy_records(void) { return 2; }\n", "Two records");
        let code = "/* As before. */\nunsigned toy_records(void) { return 1; }\n";
        let same = measured(code, "One record again");
        Self { upstream, one, two, same, project }
    }

    /// What tells the command to use the miniature.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        environment(&self.project)
    }
}

/// The copy of the project, and a cache: cargo keeps what it built by path.
fn environment(project: &Path) -> Vec<(&'static str, PathBuf)> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("toy-cache");
    vec![("SHAKEDOWN_ROOT", project.to_owned()), ("SHAKEDOWN_CACHE", cache)]
}

/// Runs the newest revision.
fn measure(project: &Path) -> RunRecord {
    measured(&environment(project), &[&SMALL[..], &[TOY]].concat())
}

/// A night with this record.
pub fn night(number: u64, run: &RunRecord) -> RunRecord {
    let id = format!("night-{number}");
    RunRecord { id, started_ms: START + number * DAY, ..run.clone() }
}

/// What of the project a build needs, with the stack in its catalog.
fn project(upstream: &Path) -> PathBuf {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("toy-project");
    let _ = fs::remove_dir_all(&project);
    copy_project(&project, &["bench/catalog", "thresholds/pr.toml", "thresholds/accepted.toml"]);
    let stack = STACK.replace("UPSTREAM", &upstream.display().to_string());
    fs::write(project.join("bench/catalog/stacks/toy.toml"), stack).expect("there is room");
    driver(&project.join("bench/drivers/toy"));
    project
}

/// The driver that does nothing, with its records counted by the library.
fn driver(folder: &Path) {
    copy(&root().join("bench/drivers/noop"), folder);
    let _ = fs::remove_dir_all(folder.join("target"));
    let edit = |name: &str, changes: &[(&str, &str)]| {
        let text = fs::read_to_string(folder.join(name)).expect("the driver has it");
        let text = changes.iter().fold(text, |text, (from, to)| {
            assert!(text.contains(from), "{name} has no {from:?}");
            text.replace(from, to)
        });
        fs::write(folder.join(name), text).expect("there is room");
    };
    edit("Cargo.toml", &[("driver-noop", "driver-toy")]);
    edit("Cargo.lock", &[("driver-noop", "driver-toy")]);
    edit(
        "src/main.rs",
        &[
            ("\"noop\".to_owned()", "\"toy\".to_owned()"),
            ("outgoing.put(&RECORD);", "(0..toy_records()).for_each(|_| outgoing.put(&RECORD));"),
            (
                "struct NoOp;",
                "unsafe extern \"C\" {\n    safe fn toy_records() -> u32;\n}\n\nstruct NoOp;",
            ),
        ],
    );
    fs::write(folder.join("build.rs"), BUILD).expect("there is room");
}

const BUILD: &str = r#"fn main() {
    println!("cargo:rerun-if-env-changed=TOY_DIR");
    println!("cargo:rustc-link-search={}/lib", std::env::var("TOY_DIR").unwrap());
    println!("cargo:rustc-link-lib=static=toy");
}
"#;

const STACK: &str = r#"name = "toy"
title = "A library of one function"
default = "1.0.0"
disk_mib = 1

[git]
url = "UPSTREAM"

[library]
archives = ["lib/libtoy.a"]

[[library.step]]
name = "prepare"
run = ["mkdir", "-p", "{prefix}/lib"]

[[library.step]]
name = "compile"
run = ["cc", "-O2", "-ffunction-sections", "-c", "{source}/toy.c", "-o", "toy.o"]

[[library.step]]
name = "pack"
run = ["ar", "rcs", "{prefix}/lib/libtoy.a", "toy.o"]

[[library.version]]
file = "VERSION"
pattern = '(\S+)'
release = "$1"

[[driver]]
package = "toy"

[driver.environment]
TOY_DIR = "{prefix}"
"#;
