//! The client of the root helper, which serves a fixed list of requests: see
//! `runner-setup/libexec/helper-socket`.

use crate::HostRoot;
use std::{
    io::{self, Read, Write},
    net::Shutdown,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

/// The helper's socket.
pub(crate) const SOCKET: &str = "run/shakedown/helper.sock";
/// Timeout: longer than tuning any host takes.
const PATIENCE: Duration = Duration::from_secs(180);
/// Maximum size of a response, which is a table.
const LONGEST: u64 = 4 << 20;

/// The helper's response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperResponse {
    /// Output of the request.
    pub text: String,
    /// Its exit code.
    pub code: u8,
}

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HelperError {
    /// The socket can't be reached, or not by this user.
    #[error(
        "can't ask the helper at {}: {source}. Is shakedown-helper.socket active? (systemctl status shakedown-helper.socket)",
        socket.display()
    )]
    Lost {
        /// Path of the socket.
        socket: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The response is cut off.
    #[error(
        "the helper did not finish `{verb}`; its journal tells why: journalctl -u 'shakedown-helper@*' -u 'shakedown-enter@*'"
    )]
    Unfinished {
        /// The request.
        verb: String,
    },
}

/// Whether this host has a helper.
pub(crate) fn is_there(root: &HostRoot) -> bool {
    root.has(SOCKET)
}

/// Sends a request, which is one word.
///
/// # Errors
/// [`HelperError`].
pub fn ask(socket: &Path, verb: &str) -> Result<HelperResponse, HelperError> {
    let all = talk(socket, verb)
        .map_err(|source| HelperError::Lost { socket: socket.to_owned(), source })?;
    // The last line is the exit code: without it the helper died in the middle.
    let body = all.trim_end();
    let start = body.rfind('\n').map_or(0, |at| at + 1);
    let code = body[start..].strip_prefix("exit ").and_then(|code| code.parse().ok());
    let code = code.ok_or_else(|| HelperError::Unfinished { verb: verb.to_owned() })?;
    Ok(HelperResponse { text: body[..start].to_owned(), code })
}

fn talk(socket: &Path, verb: &str) -> io::Result<String> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    // The helper reads no more than a verb can have, and may be gone before the rest is sent.
    unless_closed(stream.write_all(format!("{verb}\n").as_bytes()))?;
    unless_closed(stream.shutdown(Shutdown::Write))?;
    let mut answer = Vec::new();
    // What it sent comes before the error about what it did not read.
    unless_closed(stream.take(LONGEST).read_to_end(&mut answer).map(drop))?;
    String::from_utf8(answer).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// That the other side has closed the connection is no failure.
fn unless_closed(result: io::Result<()>) -> io::Result<()> {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, NotConnected};
    match result {
        Err(error) if matches!(error.kind(), BrokenPipe | ConnectionReset | NotConnected) => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn an_answer_counts_even_where_the_helper_did_not_read_all_of_the_request() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("helper.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let helper = std::thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            stream.read_exact(&mut [0; 16]).unwrap();
            stream.write_all(b"no such verb\nexit 1\n").unwrap();
        });
        let answer = ask(&socket, &"x".repeat(5000)).unwrap();
        assert_eq!(answer, HelperResponse { text: "no such verb\n".to_owned(), code: 1 });
        helper.join().unwrap();
    }

    #[test]
    fn the_last_line_is_the_exit_code_and_without_it_there_is_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("helper.sock");
        assert!(matches!(ask(&socket, "check"), Err(HelperError::Lost { .. })));
        let listener = UnixListener::bind(&socket).unwrap();
        let helper = std::thread::spawn(move || {
            for answer in ["exit 0\n", "a\nexit 9\nexit 4\n", "cut o", "", "exit 300\n"] {
                let (mut stream, mut asked) = (listener.accept().unwrap().0, String::new());
                stream.read_to_string(&mut asked).unwrap();
                assert_eq!(asked, "check\n");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let answer = |text: &str, code| HelperResponse { text: text.to_owned(), code };
        assert_eq!(ask(&socket, "check").unwrap(), answer("", 0));
        assert_eq!(ask(&socket, "check").unwrap(), answer("a\nexit 9\n", 4));
        for _ in 0..3 {
            assert!(matches!(ask(&socket, "check"), Err(HelperError::Unfinished { .. })));
        }
        helper.join().unwrap();
    }
}
