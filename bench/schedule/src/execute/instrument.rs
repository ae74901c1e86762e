//! What counts, where the driver can't by itself.

use super::{
    DriverCall, Instrument, ValgrindTool,
    live::{DRIVER, TrialFolder},
};
use nix::errno::Errno;
use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// A call of valgrind, with a folder for what it writes.
#[derive(Debug)]
pub(super) struct ValgrindCommand {
    folder: TrialFolder,
    tool: ValgrindTool,
}

impl ValgrindCommand {
    /// For a job that asks for it.
    pub fn of(job: &DriverCall<'_>) -> io::Result<Option<Self>> {
        let Instrument::Valgrind { tool, .. } = job.instrument else { return Ok(None) };
        let folder = TrialFolder::new()?;
        symlink(fs::canonicalize(job.binary)?, folder.path().join(DRIVER))?;
        Ok(Some(Self { folder, tool }))
    }

    /// The driver, under a name of the same length for every binary.
    pub fn driver(&self) -> PathBuf {
        self.folder.path().join(DRIVER)
    }

    /// Options of valgrind. Callgrind's collection is switched on by the driver, around each end's
    /// work.
    pub fn options(&self) -> Vec<String> {
        let file = self.folder.path().join("dump");
        let file = file.display();
        // Without its debugger, it leaves no pipes in the folder for temporary files when it is killed.
        let mut options = vec!["-q".to_owned(), "--vgdb=no".to_owned()];
        match self.tool {
            ValgrindTool::Heap => {
                // Whole paths: code that was inlined has no other mark of where it is from.
                let more = ["--tool=dhat", "--num-callers=40", "--fullpath-after="];
                options.extend(more.map(str::to_owned));
                options.push(format!("--dhat-out-file={file}"));
                return options;
            }
            ValgrindTool::Count => {}
            ValgrindTool::Profile => {
                let events = ["--dump-instr=yes", "--cache-sim=yes", "--branch-sim=yes"];
                options.extend(events.map(str::to_owned));
            }
        }
        options.extend(["--tool=callgrind", "--collect-atstart=no"].map(str::to_owned));
        options.push(format!("--callgrind-out-file={file}"));
        options
    }

    /// Instructions of the client's end and of the server's, if both were dumped.
    pub fn counted(&self) -> Option<[u64; 2]> {
        let [client, server] = self.dumps().filter(|_| self.tool == ValgrindTool::Count)?;
        Some([total(&client)?, total(&server)?])
    }

    /// What a profiling tool wrote: the client's dump and the server's, or DHAT's output. Nothing for
    /// a tool that counts, or one that failed.
    pub fn profiles(&self) -> Vec<String> {
        match self.tool {
            ValgrindTool::Count => Vec::new(),
            ValgrindTool::Profile => self.dumps().map_or_else(Vec::new, Vec::from),
            ValgrindTool::Heap => {
                fs::read_to_string(self.folder.path().join("dump")).into_iter().collect()
            }
        }
    }

    /// Callgrind's dumps of the client's end and of the server's.
    fn dumps(&self) -> Option<[String; 2]> {
        let mut found = [None, None];
        for entry in fs::read_dir(self.folder.path()).ok()?.flatten() {
            // The driver stands there too, and is no text.
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            if let Some(end) = end_of(&text) {
                found[end] = Some(text);
            }
        }
        let [client, server] = found;
        Some([client?, server?])
    }
}

/// Which end a dump of callgrind is of: 0 client, 1 server.
fn end_of(dump: &str) -> Option<usize> {
    match value(dump, "desc: Trigger: Client Request: shakedown:")?.trim() {
        "client" => Some(0),
        "server" => Some(1),
        _ => None,
    }
}

/// How many instructions a dump has, where they are the one event that was collected.
fn total(dump: &str) -> Option<u64> {
    value(dump, "events:").filter(|events| events.trim() == "Ir")?;
    value(dump, "totals:")?.trim().parse().ok()
}

fn value<'a>(dump: &'a str, name: &str) -> Option<&'a str> {
    dump.lines().find_map(|line| line.strip_prefix(name))
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
        assert_eq!((end_of(DUMP), total(DUMP)), (Some(1), Some(690)));
        assert_eq!(end_of(&DUMP.replace(":server", ":client")), Some(0));
        assert_eq!(end_of(&DUMP.replace("shakedown:server", "other")), None);
        assert_eq!(total(&DUMP.replace("events: Ir", "events: Ir Dr")), None);
        assert_eq!(total(&DUMP.replace("totals: 690", "")), None, "cut off");
    }
}
