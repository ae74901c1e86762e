//! A simulated machine for tests: a captured tree whose files answer writes as the kernel does,
//! with systemd, swap and boot loaders as far as this crate calls them.
//!
//! Not part of the program: it exists in this crate's tests and behind the feature `simulation`,
//! which the tests of the command switch on.
//!
//! Modelled on Linux 6.1 to 6.12 and systemd 252 to 257 in 2026-11; the guests of
//! `runner-setup/vm` show whether the real ones still behave so.

mod cgroup;
mod crash_point;
mod kernel;
mod programs;

pub use crash_point::CrashPoint;

use crate::{HostRoot, machine};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process::Output,
    sync::Arc,
};

/// A simulated machine.
#[derive(Debug)]
pub struct SimulatedMachine {
    tree: HostRoot,
    folder: PathBuf,
    crash_point: CrashPoint,
}

impl SimulatedMachine {
    /// The machine that was captured in `folder`.
    pub fn new(folder: PathBuf, crash_point: CrashPoint) -> Self {
        Self { tree: HostRoot::read_only(folder.clone()), folder, crash_point }
    }

    /// The same as what the rest of this crate works with.
    pub fn root(folder: PathBuf, crash_point: CrashPoint) -> HostRoot {
        HostRoot::new(Arc::new(Self::new(folder, crash_point)))
    }
}

impl machine::Machine for SimulatedMachine {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        kernel::write(&self.tree, path, text)
    }

    fn create_cgroup(&self, path: &str) -> io::Result<()> {
        cgroup::create(&self.tree, path)
    }

    fn remove_cgroup(&self, path: &str) -> io::Result<()> {
        cgroup::remove(&self.tree, path)
    }

    fn replace_file(&self, path: &str, text: &str) -> io::Result<()> {
        machine::replace(&self.tree.path(path), text)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.tree.path(path))
    }

    fn run(&self, program: &str, arguments: &[&str]) -> io::Result<Output> {
        programs::run(self, program, arguments)
    }

    fn swap_on(&self, device: &str, priority: Option<i32>) -> io::Result<()> {
        kernel::swap_on(&self.tree, device, priority)
    }

    fn swap_off(&self, device: &str) -> io::Result<()> {
        kernel::swap_off(&self.tree, device)
    }

    fn before_change(&self) -> io::Result<()> {
        self.crash_point.count()
    }

    /// In two halves, and a crash may come between them.
    fn append(&self, file: &mut File, line: &[u8]) -> io::Result<()> {
        let (head, tail) = line.split_at(line.len() / 2);
        self.crash_point.count()?;
        file.write_all(head)?;
        self.crash_point.count()?;
        file.write_all(tail)
    }
}

/// Replaces a file's text: a reader sees the old text or the new one.
fn put(tree: &HostRoot, path: &str, text: &str) -> io::Result<()> {
    let path = tree.path(path);
    let beside = path.with_extension("writing");
    fs::write(&beside, format!("{text}\n"))?;
    fs::rename(&beside, &path)
}

const EPERM: i32 = 1;
const ENOENT: i32 = 2;
const EIO: i32 = 5;
const EBUSY: i32 = 16;
const EINVAL: i32 = 22;

fn errno(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}
