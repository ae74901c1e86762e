//! Repositories to measure revisions of, in folders that stay from test to test: the same content
//! gives the same commits, so that what was built of them is found again.

use super::root;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A repository with a work tree.
#[derive(Debug)]
pub struct Upstream(PathBuf);

impl Upstream {
    /// Without a commit, in a folder of this name below the tests' own; what was there is gone.
    pub fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("there is room");
        let upstream = Self(folder);
        upstream.git(&["init", "--quiet", "--initial-branch", "main"]);
        upstream
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("there is room");
    }

    /// Commits everything, and gives the id.
    pub fn commit(&self, message: &str) -> String {
        // Files that were copied within one second, with their old dates, look to git as if they were the same.
        self.git(&["read-tree", "--empty"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A commit that changes nothing; gives its id.
    pub fn commit_nothing(&self, message: &str) -> String {
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Calls git, which must succeed, and gives what it prints.
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.0).args(arguments);
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "t").env(format!("GIT_{who}_EMAIL"), "t@t");
            command.env(format!("GIT_{who}_DATE"), "2026-10-01T00:00:00Z");
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().expect("git is there");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {errors}");
        String::from_utf8(output.stdout).expect("it is text").trim().to_owned()
    }
}

/// Copies a file or folder with its times, so that cargo sees nothing new in a copy of the same.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("not the root")).expect("there is room");
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status().expect("cp is there");
    assert!(status.success(), "cp -a {} {}", from.display(), to.display());
}

/// Copies to a folder what of the project every build needs, and `more` of it.
pub fn copy_project(to: &Path, more: &[&str]) {
    let all = ["Cargo.toml", "rust-toolchain.toml", "bench/protocol", "bench/driver", "bench/pki"];
    for part in all.iter().chain(more) {
        copy(&root().join(part), &to.join(part));
    }
}
