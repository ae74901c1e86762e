//! Callgrind, which counts the instructions of a whole process.

use crate::memory_file::MemoryFile;
use shakedown_protocol::DriverRefusal;
use std::{path::Path, process::Command};

/// Where valgrind is.
const PLACES: [&str; 2] = ["/usr/local/bin/valgrind", "/usr/bin/valgrind"];

/// Counts the instructions of one process, from its start to its end.
pub struct Callgrind {
    valgrind: &'static str,
    // In memory, so that nothing is left behind by a kill.
    output: MemoryFile,
}

impl Callgrind {
    /// # Errors
    /// [`DriverRefusal::Unsupported`] where valgrind is not installed.
    pub fn find() -> Result<Self, DriverRefusal> {
        let found = PLACES.into_iter().find(|place| Path::new(place).is_file());
        let missing = || "callgrind counts a server's instructions: install valgrind".to_owned();
        let valgrind = found.ok_or_else(|| DriverRefusal::Unsupported(missing()))?;
        let output = MemoryFile::new("callgrind", b"")
            .map_err(|error| DriverRefusal::Failed(error.to_string()))?;
        Ok(Self { valgrind, output })
    }

    /// A command that runs the program under callgrind.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.valgrind);
        let output = format!("--callgrind-out-file={}", self.output.path());
        // Without a debugger's pipes, which a kill would leave in /tmp.
        command.args(["-q", "--vgdb=no", "--tool=callgrind", &output, program]);
        command
    }

    /// What was counted, once the process has ended.
    ///
    /// # Errors
    /// If callgrind did not write it.
    pub fn instructions(&self) -> Result<u64, String> {
        let text = self.output.read().map_err(|error| format!("callgrind's output: {error}"))?;
        total(&text).ok_or_else(|| "callgrind wrote no total".to_owned())
    }
}

/// How many instructions a dump has, where they are the one event that was collected.
fn total(dump: &str) -> Option<u64> {
    let value = |name: &str| dump.lines().find_map(|line| line.strip_prefix(name));
    value("events:").filter(|events| events.trim() == "Ir")?;
    value("totals:")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_tells_its_total() {
        let dump = "# callgrind format\nversion: 1\nevents: Ir\nsummary: 690\n\ntotals: 690\n";
        assert_eq!(total(dump), Some(690));
        assert_eq!(total(&dump.replace("Ir", "Ir Dr")), None);
        assert_eq!(total(&dump.replace("totals", "tot")), None, "cut off");
    }
}
