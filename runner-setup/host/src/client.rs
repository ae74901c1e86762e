//! Programs that serve a client over a socket, and end with it.

use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use std::{
    io,
    os::{fd::BorrowedFd, unix::process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
};

/// Milliseconds between two looks at a program that serves a client.
const INTERVAL_MS: u16 = 100;

/// How a program ended that served a client.
#[derive(Debug)]
pub enum ServiceEnd {
    /// By itself.
    Exit(ExitStatus),
    /// It was killed, because the client closed the connection.
    ClientLeft,
    /// It was killed, because it took more of the disk than it may.
    DiskFull,
}

/// Runs a command in a process group of its own until it ends, until the client closes the
/// connection, or until `is_full` says that it has taken too much of the disk. Then the group is killed.
///
/// A client that only closes its sending half is still there: it waits for the answer.
///
/// # Errors
/// If the command does not start, or `client` is not a socket.
pub fn serve(
    client: BorrowedFd<'_>,
    command: &mut Command,
    is_full: &mut dyn FnMut() -> bool,
) -> io::Result<ServiceEnd> {
    let mut child = command.process_group(0).spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(ServiceEnd::Exit(status));
        }
        if is_full() {
            kill_group(&mut child)?;
            return Ok(ServiceEnd::DiskFull);
        }
        match is_closed(client) {
            Ok(false) => {}
            Ok(true) => {
                kill_group(&mut child)?;
                return Ok(ServiceEnd::ClientLeft);
            }
            Err(error) => {
                kill_group(&mut child)?;
                return Err(error);
            }
        }
    }
}

/// What a disk has lost since somebody began to look: bytes and files, whoever took them.
#[derive(Debug)]
pub struct DiskUse {
    folder: PathBuf,
    begin: Option<[u64; 2]>,
}

impl DiskUse {
    /// Begins to look.
    pub fn since_now(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), begin: left(folder) }
    }

    /// Whether more than so many bytes or files are gone; `false` where that can't be told.
    pub fn exceeds(&self, bytes: u64, files: u64) -> bool {
        let Some((begin, now)) = self.begin.zip(left(&self.folder)) else { return false };
        let gone = |which: usize| begin[which].saturating_sub(now[which]);
        gone(0) > bytes || gone(1) > files
    }
}

/// Bytes and files that are still free.
fn left(folder: &Path) -> Option<[u64; 2]> {
    let stat = nix::sys::statvfs::statvfs(folder).ok()?;
    Some([stat.blocks_available() * stat.fragment_size(), stat.files_available()])
}

/// Waits a moment for the other side to close the connection in both directions.
fn is_closed(client: BorrowedFd<'_>) -> io::Result<bool> {
    let mut all = [PollFd::new(client, PollFlags::empty())];
    poll(&mut all, PollTimeout::from(INTERVAL_MS))?;
    let events = all[0].revents().unwrap_or(PollFlags::empty());
    if events.contains(PollFlags::POLLNVAL) {
        return Err(io::Error::other("the client's connection is not open"));
    }
    Ok(events.intersects(PollFlags::POLLHUP | PollFlags::POLLERR))
}

fn kill_group(child: &mut Child) -> io::Result<()> {
    if let Ok(group) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    child.wait().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{BufRead, BufReader},
        net::Shutdown,
        os::{fd::AsFd, unix::net::UnixStream},
        path::Path,
        process::Stdio,
        thread,
        time::{Duration, Instant},
    };

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    #[test]
    fn a_client_that_waits_for_its_answer_gets_it() {
        let (client, service) = UnixStream::pair().unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let end = serve(service.as_fd(), &mut shell("sleep 0.5; exit 3"), &mut || false).unwrap();
        assert!(matches!(end, ServiceEnd::Exit(status) if status.code() == Some(3)), "{end:?}");
    }

    #[test]
    fn a_client_that_goes_away_takes_the_command_and_its_children_along() {
        let (client, service) = UnixStream::pair().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let script = format!("sleep 1000 & echo $! $$ >{}; wait", pids.display());
        let start = Instant::now();
        let leaving = thread::spawn({
            let pids = pids.clone();
            move || {
                while !std::fs::read_to_string(&pids).is_ok_and(|text| text.ends_with('\n')) {
                    thread::sleep(Duration::from_millis(10));
                }
                drop(client);
            }
        });
        let end = serve(service.as_fd(), &mut shell(&script), &mut || false).unwrap();
        assert!(matches!(end, ServiceEnd::ClientLeft), "{end:?}");
        leaving.join().unwrap();
        assert!(start.elapsed() < Duration::from_secs(100));
        are_gone(&pids);
    }

    /// Processes whose ids are in a file do not live on.
    fn are_gone(pids: &Path) {
        for pid in std::fs::read_to_string(pids).unwrap().split_whitespace() {
            let stat = Path::new("/proc").join(pid).join("stat");
            let gone = || std::fs::read_to_string(&stat).is_ok_and(|text| !text.contains(" Z "));
            let limit = Instant::now() + Duration::from_secs(20);
            while gone() && Instant::now() < limit {
                thread::sleep(Duration::from_millis(10));
            }
            assert!(!gone(), "{pid} is alive");
        }
    }

    /// A tree that grows without end, in files that are each small.
    #[test]
    fn a_command_that_fills_the_disk_is_killed_with_its_children() {
        let (_client, service) = UnixStream::pair().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let room = folder.path().display();
        let script = format!(
            "i=0; while :; do i=$((i + 1)); head -c 65536 /dev/zero >{room}/$i; \
             [ $i != 8 ] || {{ sleep 1000 & echo $! $$ >{room}/pids; }}; done"
        );
        // Others use this disk, too: what the files take is counted here.
        let full = || std::fs::read_dir(folder.path()).unwrap().count() > 32;
        let end = serve(service.as_fd(), &mut shell(&script), &mut { full }).unwrap();
        assert!(matches!(end, ServiceEnd::DiskFull), "{end:?}");
        are_gone(&pids);
    }

    #[test]
    fn what_a_disk_has_lost_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let disk = DiskUse::since_now(folder.path());
        assert!(!disk.exceeds(1 << 50, 1 << 50));
        let begin = disk.begin.unwrap();
        let lost = |bytes, files| DiskUse {
            folder: folder.path().to_owned(),
            begin: Some([begin[0] + bytes, begin[1] + files]),
        };
        assert!(lost(1 << 50, 0).exceeds(1 << 40, u64::MAX));
        assert!(lost(0, 1 << 40).exceeds(u64::MAX, 1 << 30));
        let unknown = DiskUse::since_now(Path::new("/no/such/folder"));
        assert!(!unknown.exceeds(0, 0));
    }

    #[test]
    fn what_the_command_prints_passes_through() {
        let (client, service) = UnixStream::pair().unwrap();
        let out = service.try_clone().unwrap();
        let answer = thread::spawn(move || {
            let mut line = String::new();
            BufReader::new(client).read_line(&mut line).unwrap();
            line
        });
        let mut command = shell("echo answer");
        command.stdout(std::os::fd::OwnedFd::from(out));
        serve(service.as_fd(), &mut command, &mut || false).unwrap();
        drop(command);
        assert_eq!(answer.join().unwrap(), "answer\n");
    }
}
