//! A Rust library in miniature whose API changes from commit to commit, in a copy of the project of
//! its own: with a driver that finds out by probes what API there is, and a benchmark program in
//! the library's own tree.

use super::{
    nights::argument,
    record, root, shakedown,
    upstream::{Upstream, copy, copy_project},
};
use shakedown_protocol::RunRecord;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The library, its API and what it sends.
#[derive(Debug)]
pub struct Mini {
    /// The repository of the library.
    pub upstream: Upstream,
    /// The copy of the project.
    pub project: PathBuf,
}

/// `records` gives a number.
pub const FUNCTION: &str = "pub fn records() -> u32 { 1 }\n";
/// The same number as a constant.
pub const CONSTANT: &str = "pub const RECORDS: u32 = 1;\n";
/// An API that the driver does not know.
pub const UNKNOWN: &str = "pub struct Records(pub u32);\n";

/// A policy that asks for little.
pub const POLICY: &str = "\
[budget]
blocks = 3
pairs = 4
count-runs = 4
minutes = 5

[joint]
false-alarms = \"1 %\"

[defaults]
margin = \"1 %\"
non-inferiority-margin = \"3 %\"
direction = \"worse\"
action = \"warn\"
inconclusive = \"warn\"
missing = \"fail\"
";

/// What the driver lacks for [`UNKNOWN`].
pub const LEARNED: &str = "\
#[cfg(records = \"unknown\")]
fn records() -> u32 {
    mini::Records(1).0
}

struct NoOp;";

/// The subject of a commit.
pub fn git(commit: &str) -> String {
    format!("mini@git:{commit}")
}

impl Mini {
    /// In folders of this name below the tests' own.
    pub fn new(name: &str) -> Self {
        Self::as_stack(name, "mini")
    }

    /// The same under the name of another stack.
    pub fn as_stack(name: &str, stack: &str) -> Self {
        let upstream = Upstream::new(&format!("{name}-upstream"));
        upstream.write("Cargo.toml", "[workspace]\nmembers = [\"mini\"]\nresolver = \"2\"\n");
        upstream.write("Cargo.lock", LOCK);
        fs::create_dir_all(upstream.folder().join("mini/src")).expect("there is room");
        fs::create_dir_all(upstream.folder().join("mini/examples")).expect("there is room");
        upstream.write(
            "mini/Cargo.toml",
            "[package]\nname = \"mini\"\nversion = \"1.0.0\"\nedition = \"2024\"\n",
        );
        upstream.write("mini/examples/bench.rs", BENCH);
        let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-project"));
        let _ = fs::remove_dir_all(&project);
        make_project(&project, &upstream, stack);
        Self { upstream, project }
    }

    /// Commits the library with this code, and gives the id.
    pub fn commit(&self, code: &str) -> String {
        self.upstream.write("mini/src/lib.rs", code);
        self.upstream.commit("A change")
    }

    /// Puts another text in place of one in a file of the driver.
    pub fn edit_driver(&self, file: &str, from: &str, to: &str) {
        edit(&self.project.join("bench/drivers/mini").join(file), &[(from, to)]);
    }

    /// What tells the command to use the miniature.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mini-cache");
        vec![("SHAKEDOWN_ROOT", self.project.clone()), ("SHAKEDOWN_CACHE", cache)]
    }

    /// Calls the command; gives what it said on standard output and error.
    pub fn call(&self, folder: &Path, arguments: &[&str]) -> [String; 2] {
        let mut command = shakedown(folder);
        command.envs(self.environment()).env("SHAKEDOWN_HISTORY", folder.join("history"));
        let done = command.args(arguments).assert().success();
        let output = done.get_output();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it is text");
        [text(&output.stdout), text(&output.stderr)]
    }

    /// Compares in one scenario; gives the record and what was said.
    pub fn compare(
        &self,
        folder: &Path,
        name: &str,
        pair: [&str; 2],
        policy: &str,
    ) -> (RunRecord, String) {
        let (out, file) = (folder.join(name), folder.join("policy.toml"));
        fs::write(&file, policy).expect("there is room");
        let only = super::nights::SCENARIO;
        let some = ["compare", "--suite", "smoke", "--only", only, "--policy", argument(&file)];
        let said = self.call(folder, &[&some[..], &["--out", argument(&out)], &pair[..]].concat());
        (record(&out), said.concat())
    }
}

fn edit(path: &Path, changes: &[(&str, &str)]) {
    let text = fs::read_to_string(path).expect("the file is there");
    let text = changes.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{} has no {from:?}", path.display());
        text.replace(from, to)
    });
    fs::write(path, text).expect("there is room");
}

/// What of the project a build needs, with the stack in its catalog.
fn make_project(project: &Path, upstream: &Upstream, name: &str) {
    let drivers = ["bench/drivers/intree", "bench/drivers/noop"];
    let rules = ["bench/catalog", "thresholds/pr.toml", "thresholds/accepted.toml"];
    copy_project(project, &[&drivers[..], &rules].concat());
    let stack = STACK.replace("NAME", name);
    let stack = stack.replace("UPSTREAM", &upstream.folder().display().to_string());
    let place = project.join(format!("bench/catalog/stacks/{name}.toml"));
    fs::write(place, stack).expect("there is room");
    let intree = project.join("bench/catalog/suites/intree.toml");
    edit(&intree, &[("measure-ms = 500", "measure-ms = 1"), ("blocks = 6", "blocks = 2")]);
    edit(&intree, &[("warm-up-ms = 50", "warm-up-ms = 1"), ("batch-ms = 50", "batch-ms = 1")]);
    let driver = project.join("bench/drivers/mini");
    copy(&root().join("bench/drivers/noop"), &driver);
    let _ = fs::remove_dir_all(driver.join("target"));
    edit(
        &driver.join("Cargo.toml"),
        &[("driver-noop", "driver-mini"), ("[dependencies]\n", "[dependencies]\nmini = \"1\"\n")],
    );
    edit(&driver.join("Cargo.lock"), &[("driver-noop", "driver-mini")]);
    edit(
        &driver.join("src/main.rs"),
        &[
            ("\"noop\".to_owned()", &format!("{name:?}.to_owned()")),
            ("outgoing.put(&RECORD);", "(0..records()).for_each(|_| outgoing.put(&RECORD));"),
            ("struct NoOp;", RECORDS),
        ],
    );
    fs::write(driver.join("build.rs"), BUILD).expect("there is room");
    let probes = driver.join("probes/records");
    fs::create_dir_all(&probes).expect("there is room");
    for (path, code) in [
        ("../prelude.rs", "fn main() {}\n"),
        ("function.rs", "fn probe() -> u32 { mini::records() }\n"),
        ("constant.rs", "fn probe() -> u32 { mini::RECORDS }\n"),
    ] {
        fs::write(probes.join(path), code).expect("there is room");
    }
}

const RECORDS: &str = r#"#[cfg(records = "function")]
fn records() -> u32 {
    mini::records()
}

#[cfg(records = "constant")]
fn records() -> u32 {
    mini::RECORDS
}

struct NoOp;"#;

const BUILD: &str = r#"fn main() {
    println!("cargo:rerun-if-env-changed=SHAKEDOWN_SURFACES");
    let found = std::env::var("SHAKEDOWN_SURFACES").unwrap_or_default();
    for (surface, variant) in found.split(',').filter_map(|one| one.split_once('=')) {
        println!("cargo:rustc-cfg={surface}={variant:?}");
    }
}
"#;

const STACK: &str = r#"name = "NAME"
title = "A library of one number"
default = "1.0.0"
disk_mib = 1

[git]
url = "UPSTREAM"

[[driver]]
package = "mini"
inject = [{ crate = "mini", folder = "mini" }]

[[in-tree]]
package = "mini"
folder = "mini"
source = "examples/bench.rs"
example = "bench"

[[variant]]
name = "ring"
description = "Nothing: what a stack of this name has"
"#;

const LOCK: &str = "version = 4\n\n[[package]]\nname = \"mini\"\nversion = \"1.0.0\"\n";

/// Prints what the benchmark of rustls prints, in no time: so the rates are high enough to be true.
const BENCH: &str = r#"fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, suite, ..] = &arguments[..] else { std::process::exit(2) };
    let version = if suite.starts_with("TLS13") { "TLSv1_3" } else { "TLSv1_2" };
    let resume = match mode.as_str() {
        "handshake" => "no-resume",
        "handshake-resume" => "sessionid",
        "handshake-ticket" => "tickets",
        _ => {
            for side in ["send", "recv"] {
                println!("bulk\t{version}\t{suite}\tmax_fragment_size:default\t{side}\t100000.0\tMB/s");
            }
            return;
        }
    };
    for key in ["EcdsaP256", "Rsa2048"] {
        for side in ["client", "server"] {
            println!("handshakes\t{version}\t{key}\t{suite}\t{side}\tserver-auth\t{resume}\t1000000.0\thandshakes/s");
        }
    }
}
"#;
