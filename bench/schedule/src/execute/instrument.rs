//! What counts, where the driver can't by itself.

use super::{DriverCall, Instrument};
use nix::errno::Errno;
use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// Whether this machine lets a process count its instructions.
pub(crate) fn counts_instructions() -> bool {
    /// The beginning of `struct perf_event_attr`, as far as its first version went.
    #[repr(C, align(8))]
    struct PerfEventAttributes([u8; 64]);
    let mut attributes = PerfEventAttributes([0; 64]);
    // type 0, PERF_TYPE_HARDWARE; size; config 1, PERF_COUNT_HW_INSTRUCTIONS; at byte 40 the
    // flags: exclude_kernel and exclude_hv. See perf_event_open(2).
    attributes.0[4..8].copy_from_slice(&64_u32.to_ne_bytes());
    attributes.0[8..16].copy_from_slice(&1_u64.to_ne_bytes());
    attributes.0[40..48].copy_from_slice(&(1_u64 << 5 | 1 << 6).to_ne_bytes());
    // SAFETY: the attributes are as long as they say; this thread, any CPU, no group.
    let fd =
        unsafe { libc::syscall(libc::SYS_perf_event_open, &raw const attributes, 0, -1, -1, 0) };
    match i32::try_from(fd) {
        // SAFETY: the call has just made this descriptor.
        Ok(fd) if fd >= 0 => unsafe { libc::close(fd) == 0 },
        _ => false,
    }
}

/// A folder for callgrind's dumps, gone when this is dropped.
#[derive(Debug)]
pub(super) struct CallgrindCommand {
    folder: tempfile::TempDir,
}

impl CallgrindCommand {
    /// For a job that asks for it.
    pub fn of(job: &DriverCall<'_>) -> io::Result<Option<Self>> {
        let Instrument::Callgrind { .. } = job.instrument else { return Ok(None) };
        // One length for all names: they are on the stack of what is counted.
        let folder = tempfile::Builder::new().prefix("shakedown-").rand_bytes(8).tempdir()?;
        symlink(fs::canonicalize(job.binary)?, folder.path().join("driver"))?;
        Ok(Some(Self { folder }))
    }

    /// The driver, under a name of the same length for every binary.
    pub fn driver(&self) -> PathBuf {
        self.folder.path().join("driver")
    }

    /// Options of callgrind. Collection is switched on by the driver, around each end's work.
    pub fn options(&self) -> Vec<String> {
        let dumps = self.folder.path().join("dump");
        vec![
            "-q".to_owned(),
            "--tool=callgrind".to_owned(),
            "--collect-atstart=no".to_owned(),
            format!("--callgrind-out-file={}", dumps.display()),
        ]
    }

    /// Instructions of the client's end and of the server's, if both were dumped.
    pub fn counted(&self) -> Option<[u64; 2]> {
        let mut found = [None; 2];
        for entry in fs::read_dir(self.folder.path()).ok()?.flatten() {
            // The driver stands there too, and is no text.
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            let (Some(end), total) = dump(&text) else { continue };
            found[end] = total;
        }
        Some([found[0]?, found[1]?])
    }
}

/// Which end a dump is of (0 client, 1 server), and how many instructions it has.
fn dump(text: &str) -> (Option<usize>, Option<u64>) {
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let end = match value("desc: Trigger: Client Request: shakedown:").map(str::trim) {
        Some("client") => Some(0),
        Some("server") => Some(1),
        _ => None,
    };
    // Instructions are the one event that is collected.
    let sound = value("events:").is_some_and(|events| events.trim() == "Ir");
    let total = value("totals:").filter(|_| sound).and_then(|text| text.trim().parse().ok());
    (end, total)
}

/// The valgrind of this machine, in its usual places.
pub(crate) fn valgrind() -> Option<PathBuf> {
    ["/usr/local/bin/valgrind", "/usr/bin/valgrind"]
        .into_iter()
        .map(Path::new)
        .find(|path| path.is_file())
        .map(Path::to_owned)
}

/// A file that can be preloaded: by its whole path, which may have no space or colon.
pub(crate) fn preloadable(path: &Path) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path)?;
    let text = path.to_string_lossy();
    if text.contains([' ', ':']) { Err(Errno::EINVAL.into()) } else { Ok(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "# callgrind format\nversion: 1\npart: 1\n\ndesc: Timerange: Basic block 0 - 68194\ndesc: Trigger: Client Request: shakedown:server\n\npositions: line\nevents: Ir\nsummary: 690\n\nfn=(1)\n0 690\n\ntotals: 690\n";

    #[test]
    fn dumps_tell_end_and_total() {
        assert_eq!(dump(DUMP), (Some(1), Some(690)));
        assert_eq!(dump(&DUMP.replace(":server", ":client")), (Some(0), Some(690)));
        assert_eq!(dump(&DUMP.replace("shakedown:server", "other")).0, None);
        assert_eq!(dump(&DUMP.replace("events: Ir", "events: Ir Dr")).1, None);
        assert_eq!(dump(&DUMP.replace("totals: 690", "")).1, None, "cut off");
    }
}
