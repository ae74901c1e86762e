//! Files that are in memory only, and gone with the last process that has them open.

use nix::sys::memfd::{MFdFlags, memfd_create};
use std::{
    ffi::CString,
    fs::{self, File},
    io::{self, Write},
    os::fd::{AsRawFd, OwnedFd},
};

/// A file without a name in any folder.
pub struct MemoryFile(OwnedFd);

impl MemoryFile {
    /// A file with these contents, which programs that are started inherit.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(name: &str, contents: &[u8]) -> io::Result<Self> {
        let descriptor = memfd_create(&*CString::new(name)?, MFdFlags::empty())?;
        let mut file = File::from(descriptor);
        file.write_all(contents)?;
        Ok(Self(file.into()))
    }

    /// What is in it by now.
    ///
    /// # Errors
    /// If it is no text.
    pub fn read(&self) -> io::Result<String> {
        fs::read_to_string(self.path())
    }

    /// Its path, in this process and those that inherit it.
    pub fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.0.as_raw_fd())
    }
}
