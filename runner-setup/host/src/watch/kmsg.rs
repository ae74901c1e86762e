//! New messages of the kernel.

use crate::HostRoot;
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::OpenOptionsExt,
};

/// Warnings and what is worse: see syslog(2).
const WARNING: u32 = 4;
/// A message longer than this is cut.
const LONGEST: usize = 200;
/// So many are kept between two looks; more are counted.
const MOST: usize = 20;

/// The kernel's log from now on.
#[derive(Debug)]
pub struct KernelLog(File);

impl KernelLog {
    /// Opens the log at its end; `None` where it may not be read.
    pub fn open(root: &HostRoot) -> Option<Self> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_NONBLOCK);
        let mut file = options.open(root.path("dev/kmsg")).ok()?;
        file.seek(SeekFrom::End(0)).ok()?;
        Some(Self(file))
    }

    /// Warnings and errors since the last call.
    pub fn new_messages(&mut self) -> Vec<String> {
        let mut news = Vec::new();
        let mut more = 0;
        // One record a call; nothing new is EAGAIN.
        let mut record = vec![0; 16 * 1024];
        loop {
            match self.0.read(&mut record) {
                Ok(0) => break,
                Ok(length) => {
                    let text = String::from_utf8_lossy(&record[..length]);
                    let found = text.lines().filter_map(warning);
                    for message in found {
                        if news.len() < MOST { news.push(message) } else { more += 1 }
                    }
                }
                // The oldest were overwritten before we came.
                Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        if more > 0 {
            news.push(format!("and {more} more"));
        }
        news
    }
}

/// The text of a record `priority,sequence,time,flags;text`, if it matters.
fn warning(line: &str) -> Option<String> {
    let (head, text) = line.split_once(';')?;
    let priority: u32 = head.split(',').next()?.parse().ok()?;
    // The upper bits are the facility.
    (priority & 7 <= WARNING).then(|| text.chars().take(LONGEST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_news_and_notes_are_none() {
        assert_eq!(warning("4,339,5140900,-;NMI: too long").as_deref(), Some("NMI: too long"));
        assert_eq!(warning("30,340,5690716,-;udevd[80]: starting"), None);
        assert_eq!(warning(" SUBSYSTEM=cpu"), None);
        assert_eq!(warning("x;y"), None);
    }
}
