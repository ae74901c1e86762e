//! Feeding and reading a process without ever waiting for one pipe while it waits for
//! another.

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use std::{
    io::{self, ErrorKind, Read, Write},
    os::fd::AsFd,
    process::{ChildStderr, ChildStdin, ChildStdout},
};

/// No answer is larger: two sides of sixteen threads with histograms and thousands of
/// batches take less than one MiB.
const LONGEST_ANSWER: usize = 16 << 20;
/// More than this on standard error is a loop, not a message.
const MOST_NOISE: u64 = 16 << 20;
/// How much of standard error is kept.
const TAIL: usize = 4096;

/// The three pipes of a process.
pub(super) struct OutputPipes<'a> {
    input: &'a [u8],
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    answer: Vec<u8>,
    noise: u64,
    tail: Vec<u8>,
}

impl<'a> OutputPipes<'a> {
    /// Takes over the pipes; `input` goes to standard input.
    pub fn new(
        input: &'a [u8],
        stdin: Option<ChildStdin>,
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
    ) -> io::Result<Self> {
        stdin.as_ref().map_or(Ok(()), never_wait)?;
        stdout.as_ref().map_or(Ok(()), never_wait)?;
        stderr.as_ref().map_or(Ok(()), never_wait)?;
        Ok(Self { input, stdin, stdout, stderr, answer: vec![], noise: 0, tail: vec![] })
    }

    /// Moves whatever can be moved now, and closes what is finished.
    pub fn pump(&mut self) {
        self.feed();
        let (answer, tail, noise) = (&mut self.answer, &mut self.tail, &mut self.noise);
        read(&mut self.stdout, |bytes| {
            answer.extend_from_slice(bytes);
            answer.len() <= LONGEST_ANSWER
        });
        read(&mut self.stderr, |bytes| {
            *noise += bytes.len() as u64;
            tail.extend_from_slice(bytes);
            tail.drain(..tail.len().saturating_sub(TAIL));
            *noise <= MOST_NOISE
        });
    }

    fn feed(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        while !self.input.is_empty() {
            match stdin.write(self.input) {
                Ok(written) => self.input = &self.input[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // It does not want to hear more; its answer will tell.
                Err(_) => break,
            }
        }
        self.stdin = None;
    }

    /// Whether it wrote more than any answer or message has.
    pub fn flooded(&self) -> bool {
        self.answer.len() > LONGEST_ANSWER || self.noise > MOST_NOISE
    }

    /// Standard output, and the end of standard error.
    pub fn into_text(self) -> (Vec<u8>, String) {
        (self.answer, String::from_utf8_lossy(&self.tail).trim().to_owned())
    }
}

/// Reads until nothing is there, and closes the pipe at its end. `keep` says whether to go on.
fn read(pipe: &mut Option<impl Read>, mut keep: impl FnMut(&[u8]) -> bool) {
    let mut buffer = [0; 16 * 1024];
    while let Some(open) = pipe {
        match open.read(&mut buffer) {
            Ok(0) => *pipe = None,
            Ok(count) => {
                if !keep(&buffer[..count]) {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return,
            Err(_) => *pipe = None,
        }
    }
}

fn never_wait(pipe: &impl AsFd) -> io::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(pipe, FcntlArg::F_GETFL)?);
    fcntl(pipe, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}
