//! A repository in miniature: two stacks, their drivers, and a registry that cargo reads
//! from files. No test that uses it needs the network.

#![allow(
    dead_code,
    unused_imports,
    missing_docs,
    reason = "each test file uses its own part of this"
)]

mod differences;
mod registry;
mod stacks;

use shakedown_builder::{
    BuildError, BuildEvent, Builder, BuiltArtifact, Catalog, Progress, ResolvedSubject,
    SilentProgress,
};
use shakedown_protocol::Subject;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};
use tempfile::TempDir;

pub use differences::differences;
pub use registry::{pack, publish_tinyrs};
pub use stacks::{c_tree, rust_tree};

/// The miniature, gone when dropped.
pub struct World {
    folder: TempDir,
    environment: Vec<(&'static str, String)>,
}

impl World {
    pub fn new() -> Self {
        let world = Self { folder: TempDir::new().unwrap(), environment: Vec::new() };
        // The real one: the miniature is built by the project's compiler.
        world.write(
            "repository/rust-toolchain.toml",
            include_str!("../../../../rust-toolchain.toml"),
        );
        registry::make(&world);
        stacks::make(&world);
        world
    }

    /// A path in it.
    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces a text in a file; it must be there.
    pub fn edit(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.at(path)).unwrap();
        assert!(text.contains(from), "{path} has no {from:?}");
        fs::write(self.at(path), text.replace(from, to)).unwrap();
    }

    /// Lets the programs see only `path`.
    pub fn with_path(self, path: &str) -> Self {
        self.with("PATH", path)
    }

    /// Sets a variable for the programs.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    pub fn catalog(&self) -> Catalog {
        Catalog::load(&self.at("repository/bench/catalog")).unwrap()
    }

    pub fn resolve(&self, name: &str) -> ResolvedSubject {
        self.catalog().resolve(&name.parse::<Subject>().unwrap()).unwrap()
    }

    pub fn builder(&self) -> Builder {
        let home = self.at("cargo");
        let builder = Builder::new(self.at("repository"), self.at("cache"))
            .with_environment("CARGO_HOME", home.to_str().unwrap());
        self.environment
            .iter()
            .fold(builder, |builder, (name, value)| builder.with_environment(name, value))
    }

    pub fn build(&self, name: &str) -> Result<BuiltArtifact, BuildError> {
        self.builder().build(&self.resolve(name), &SilentProgress)
    }

    /// Runs a command that must succeed, and gives what it prints.
    pub fn run(&self, folder: &str, program: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.at(folder));
        command.env("CARGO_HOME", self.at("cargo")).env_remove("CARGO_TARGET_DIR");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "t").env(format!("GIT_{name}_EMAIL"), "t@t");
        }
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Makes a git repository of a folder and commits what is in it.
    pub fn commit(&self, folder: &str) -> String {
        if !self.at(folder).join(".git").exists() {
            self.run(folder, "git", &["init", "-q", "-b", "main"]);
        }
        self.run(folder, "git", &["add", "-A"]);
        self.run(folder, "git", &["commit", "-q", "-m", "change"]);
        self.run(folder, "git", &["rev-parse", "HEAD"])
    }

    /// Names in a folder of the cache.
    pub fn cached(&self, kind: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.at("cache").join(kind)) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// What a driver of the miniature prints.
pub fn says(binary: &Path) -> String {
    let output = Command::new(binary).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Remembers what it was told.
#[derive(Default)]
pub struct Heard(pub Mutex<Vec<BuildEvent>>);

impl Progress for Heard {
    fn report(&self, _: &Subject, event: &BuildEvent) {
        self.0.lock().unwrap().push(event.clone());
    }
}
