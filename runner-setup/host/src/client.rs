//! Programs that serve a client over a socket, and end with it.

use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use std::{
    io,
    os::{fd::BorrowedFd, unix::process::CommandExt},
    process::{Child, Command, ExitStatus},
};

/// Milliseconds between two looks at a program that serves a client.
const INTERVAL_MS: u16 = 100;

/// Runs a command in a process group of its own until it ends, or until the client closes the
/// connection. Then the group is killed, and there is no exit status.
///
/// A client that only closes its sending half is still there: it waits for the answer.
///
/// # Errors
/// If the command does not start, or `client` is not a socket.
pub fn serve(client: BorrowedFd<'_>, command: &mut Command) -> io::Result<Option<ExitStatus>> {
    let mut child = command.process_group(0).spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        match is_closed(client) {
            Ok(false) => {}
            Ok(true) => {
                kill_group(&mut child)?;
                return Ok(None);
            }
            Err(error) => {
                kill_group(&mut child)?;
                return Err(error);
            }
        }
    }
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
        let status = serve(service.as_fd(), &mut shell("sleep 0.5; exit 3")).unwrap();
        assert_eq!(status.unwrap().code(), Some(3));
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
        assert_eq!(serve(service.as_fd(), &mut shell(&script)).unwrap(), None);
        leaving.join().unwrap();
        assert!(start.elapsed() < Duration::from_secs(100));
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
        serve(service.as_fd(), &mut command).unwrap();
        drop(command);
        assert_eq!(answer.join().unwrap(), "answer\n");
    }
}
