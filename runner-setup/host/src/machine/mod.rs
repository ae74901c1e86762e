//! What this crate changes and calls on a machine: a trait, the machine that the program runs
//! on, and captured trees, which can only be read. Tests have a third implementation, a simulated
//! kernel (`simulation`).

mod captured;
mod real;

pub(crate) use captured::CapturedTree;
pub(crate) use real::RealMachine;
#[cfg(any(test, feature = "simulation"))]
pub(crate) use {captured::unit_states, real::replace};

use std::{
    fmt,
    fs::File,
    io::{self, Write},
    path::Path,
    process::Output,
};

/// A machine that can be changed. Paths have no leading slash.
///
/// Reading is not part of it: both kinds of machine are read through the file system, below
/// [`folder`](Self::folder).
pub trait Machine: fmt::Debug + Send + Sync {
    /// The folder in place of `/`.
    fn folder(&self) -> &Path;

    /// Writes a file of `/proc` or `/sys` with a single `write(2)`, as the kernel requires.
    ///
    /// # Errors
    /// The kernel's: a value it refuses, a file it does not have.
    fn write(&self, path: &str, text: &str) -> io::Result<()>;

    /// Creates a cgroup.
    ///
    /// # Errors
    /// The kernel's.
    fn create_cgroup(&self, path: &str) -> io::Result<()>;

    /// Removes a cgroup.
    ///
    /// # Errors
    /// The kernel's; a cgroup with processes can't be removed.
    fn remove_cgroup(&self, path: &str) -> io::Result<()>;

    /// Replaces an ordinary file atomically and waits until it is on disk. Creates its folder.
    ///
    /// # Errors
    /// The file system's.
    fn replace_file(&self, path: &str, text: &str) -> io::Result<()>;

    /// Removes an ordinary file.
    ///
    /// # Errors
    /// The file system's.
    fn remove_file(&self, path: &str) -> io::Result<()>;

    /// Runs a program to its end and captures its output.
    ///
    /// # Errors
    /// If it does not start. A program that fails is not an error here.
    fn run(&self, program: &str, arguments: &[&str]) -> io::Result<Output>;

    /// `swapon(2)`; without a priority the kernel chooses one.
    ///
    /// # Errors
    /// The kernel's.
    fn swap_on(&self, device: &str, priority: Option<i32>) -> io::Result<()>;

    /// `swapoff(2)`.
    ///
    /// # Errors
    /// The kernel's.
    fn swap_off(&self, device: &str) -> io::Result<()>;

    /// Called before each change to the machine or to its journal. A simulated machine fails
    /// here to stand in for a process that is killed.
    ///
    /// # Errors
    /// None on a real machine.
    fn before_change(&self) -> io::Result<()> {
        Ok(())
    }

    /// Appends a line to the journal. A simulated machine can tear it.
    ///
    /// # Errors
    /// The file system's.
    fn append(&self, file: &mut File, line: &[u8]) -> io::Result<()> {
        file.write_all(line)
    }
}
