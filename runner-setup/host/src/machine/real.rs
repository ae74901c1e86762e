//! The machine that the program runs on.

use super::Machine;
use std::{
    ffi::CString,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The machine that this program runs on.
#[derive(Debug)]
pub(crate) struct RealMachine;

impl RealMachine {
    fn path(path: &str) -> PathBuf {
        Path::new("/").join(path)
    }
}

impl Machine for RealMachine {
    fn folder(&self) -> &Path {
        Path::new("/")
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).open(Self::path(path))?;
        file.write_all(text.as_bytes())
    }

    fn create_cgroup(&self, path: &str) -> io::Result<()> {
        fs::create_dir(Self::path(path))
    }

    fn remove_cgroup(&self, path: &str) -> io::Result<()> {
        fs::remove_dir(Self::path(path))
    }

    fn replace_file(&self, path: &str, text: &str) -> io::Result<()> {
        replace(&Self::path(path), text)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        fs::remove_file(Self::path(path))
    }

    fn run(&self, program: &str, arguments: &[&str]) -> io::Result<Output> {
        Command::new(program).args(arguments).output()
    }

    fn swap_on(&self, device: &str, priority: Option<i32>) -> io::Result<()> {
        const PREFER: libc::c_int = 0x8000;
        let flags = priority.map_or(0, |number| PREFER | number & 0x7fff);
        let name = CString::new(device).map_err(io::Error::other)?;
        // SAFETY: `name` is a C string that lives over the call.
        let result = unsafe { libc::swapon(name.as_ptr(), flags) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn swap_off(&self, device: &str) -> io::Result<()> {
        let name = CString::new(device).map_err(io::Error::other)?;
        // SAFETY: `name` is a C string that lives over the call.
        let result = unsafe { libc::swapoff(name.as_ptr()) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Replaces a file atomically and waits until it is on disk.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    // GRUB reads every `*.cfg` of a folder: the temporary name must not be one.
    let beside = folder.join(".shakedown.writing");
    let mut file = File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    File::open(folder)?.sync_all()
}
