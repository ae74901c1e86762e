//! A machine in miniature for the scripts: a home and a PATH of its own.

use super::root;
use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
    process::Command,
};

/// What a minimal Debian has.
pub const BASICS: &str = "awk bash cat chmod cp cut date df dirname env false grep head id mkdir mktemp mv \
    rm sed sh sha256sum sort tail tr true uname";

/// What `scripts/bench` looks for besides Rust.
pub const BUILD_TOOLS: &str = "cc make perl git cmake";

/// A machine with a home and a PATH of its own.
pub struct Machine(pub tempfile::TempDir);

/// What a script came to.
pub struct Done {
    pub code: Option<i32>,
    pub said: String,
}

impl Machine {
    /// With nothing but the basic tools. Its user is ordinary, whoever runs the test.
    pub fn bare() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for folder in ["bin", "home"] {
            fs::create_dir(machine.at(folder)).unwrap();
        }
        for program in BASICS.split_whitespace() {
            symlink(found(program), machine.at("bin").join(program)).unwrap();
        }
        machine.stand_in("id", "echo 1000");
        // Calling it is installing something.
        machine.stand_in("apt-get", "echo \"$@\" >>\"${0%/*}/../installed\"; exit 1");
        machine
    }

    /// With what building takes, but without Rust.
    pub fn without_rust() -> Self {
        let machine = Self::bare();
        for program in BUILD_TOOLS.split_whitespace() {
            machine.stand_in(program, "exit 0");
        }
        machine.stand_in("curl", "exit 6");
        machine
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub fn stand_in(&self, name: &str, text: &str) {
        let path = self.at("bin").join(name);
        let _ = fs::remove_file(&path);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn run(&self, script: &str, arguments: &[&str]) -> Done {
        self.call(Command::new(root().join(script)).args(arguments))
    }

    /// Runs a piece of shell with the functions that find the toolchain.
    pub fn shell(&self, path: &str, variables: &[(&str, &str)], text: &str) -> Done {
        let library = root().join("scripts/lib/rust.sh");
        let text = format!("set -euo pipefail; . '{}'; {text}", library.display());
        let mut command = Command::new("bash");
        command.args(["-c", &text]).envs(variables.iter().copied());
        self.call_with(&mut command, path)
    }

    pub fn call(&self, command: &mut Command) -> Done {
        self.call_with(command, self.at("bin").to_str().unwrap())
    }

    pub fn call_with(&self, command: &mut Command, path: &str) -> Done {
        let variables: Vec<_> = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        let output = command
            .env_clear()
            .envs(variables)
            .env("PATH", path)
            .env("HOME", self.at("home"))
            .current_dir(self.at("home"))
            .output()
            .unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        Done { code: output.status.code(), said }
    }

    /// Whether apt-get was called, and how many files are in the home.
    pub fn touched(&self) -> (bool, usize) {
        (self.at("installed").exists(), fs::read_dir(self.at("home")).unwrap().count())
    }
}

pub fn found(program: &str) -> PathBuf {
    env::split_paths(&env::var_os("PATH").unwrap())
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("no {program} here"))
}

pub fn release() -> String {
    let text = fs::read_to_string(root().join("rust-toolchain.toml")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap();
    line.trim_matches('"').to_owned()
}

#[track_caller]
pub fn says(done: &Done, parts: &[&str]) {
    for part in parts {
        assert!(done.said.contains(part), "{part:?} is not in:\n{}", done.said);
    }
}
