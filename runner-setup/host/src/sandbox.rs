//! The client of the sandbox: sends code to be built, and takes back what the build left.
//!
//! The other side is `runner-setup/libexec/sandbox-broker`. A request is a tar archive with
//! `source/`, the script `build` and, where something has to be fetched, `fetch`. The answer is a
//! tar archive with `log`, `status` and `out/`. The connection stays open during the build: the
//! service ends the build when its client goes away.

use std::{
    fs,
    io::{self, Read, Write},
    net::Shutdown,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// Where the sandbox takes requests.
pub const SANDBOX_SOCKET: &str = "/run/shakedown/sandbox.sock";

/// A build.
#[derive(Debug, Clone)]
pub struct SandboxRequest<'a> {
    /// The folder to build. The scripts find a copy of it in `$SOURCE`, and start there.
    pub source: &'a Path,
    /// Folder for the contents of `$OUT`; must be empty or missing.
    pub out: &'a Path,
    /// A shell script that runs with access to the package registries.
    pub fetch: Option<&'a str>,
    /// A shell script that runs without network.
    pub build: &'a str,
    /// Bytes of the answer that are read at most: the build may leave files that are mostly holes, which
    /// are sent as zeros.
    pub limit: u64,
}

/// A finished build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxedBuild {
    /// Output of the scripts, as they wrote it.
    pub log: Vec<u8>,
    /// Exit code of the script that failed, or 0.
    pub code: u8,
}

/// Why there is no build.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// `out` has something in it.
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// The socket can't be reached, or not by this user.
    #[error("can't reach the sandbox at {}: {source}. Is shakedown-sandbox.socket active?", socket.display())]
    Unreachable {
        /// Path of the socket.
        socket: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The answer is longer than asked for.
    #[error("the build left more than {0} bytes: nothing of it is taken")]
    TooLarge(u64),
    /// The connection ended without a whole answer.
    #[error(
        "the sandbox did not answer: another build is running, this one filled the disk, or see journalctl -u 'shakedown-sandbox@*'"
    )]
    NoAnswer,
    /// A file can't be read or written, or `tar` can't be run.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's error.
        source: io::Error,
    },
}

fn failed(what: impl Into<String>) -> impl FnOnce(io::Error) -> SandboxError {
    let what = what.into();
    move |source| SandboxError::Io { what, source }
}

/// Builds in the sandbox.
///
/// # Errors
/// [`SandboxError`]. A build that fails is no error: its code says so.
pub fn build(socket: &Path, request: &SandboxRequest<'_>) -> Result<SandboxedBuild, SandboxError> {
    let out = request.out;
    fs::create_dir_all(out).map_err(failed(format!("can't create {}", out.display())))?;
    if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(SandboxError::NotEmpty(out.to_owned()));
    }
    let scratch = tempfile::tempdir().map_err(failed("can't create a temporary folder"))?;
    let mut stream = UnixStream::connect(socket)
        .map_err(|source| SandboxError::Unreachable { socket: socket.to_owned(), source })?;
    send(&mut stream, request, scratch.path())?;
    let answer = scratch.path().join("answer");
    receive(&mut stream, &answer, request.limit)?;
    finish(&answer, out)
}

/// Sends the request as a tar archive, and closes the sending half.
fn send(
    stream: &mut UnixStream,
    request: &SandboxRequest<'_>,
    scratch: &Path,
) -> Result<(), SandboxError> {
    let scripts = scratch.join("scripts");
    let write = |name: &str, text: &str| fs::write(scripts.join(name), format!("{text}\n"));
    fs::create_dir(&scripts)
        .and_then(|()| write("build", request.build))
        .and_then(|()| request.fetch.map_or(Ok(()), |text| write("fetch", text)))
        .map_err(failed("can't write the request"))?;
    let source = request.source;
    let mut tar = Command::new("tar");
    tar.args(["-c", "--transform", r"s|^\./|source/|S", "-C"]).arg(&scripts).arg("build");
    tar.args(request.fetch.map(|_| "fetch")).arg("-C").arg(source).arg(".");
    let mut tar = tar.stdout(Stdio::piped()).spawn().map_err(failed("can't start tar"))?;
    let copied = tar.stdout.take().map_or(Ok(0), |mut archive| io::copy(&mut archive, stream));
    match copied {
        // The service has answered already: it refuses. Which of the two it is depends on whether
        // it had read all that was sent until then.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
            ) =>
        {
            end(&mut tar);
            return Ok(());
        }
        other => other.map_err(failed("can't send the request"))?,
    };
    let status = tar.wait().map_err(failed("can't wait for tar"))?;
    if !status.success() {
        let error = io::Error::other(format!("tar ended with {status}"));
        return Err(failed(format!("can't read {}", source.display()))(error));
    }
    stream.shutdown(Shutdown::Write).map_err(failed("can't send the request"))
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Unpacks the answer into a folder.
fn receive(stream: &mut UnixStream, folder: &Path, limit: u64) -> Result<(), SandboxError> {
    fs::create_dir(folder).map_err(failed("can't write the answer"))?;
    let mut tar = Command::new("tar")
        .args(["-x", "--no-same-owner", "-C"])
        .arg(folder)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed("can't start tar"))?;
    let mut pipe = tar.stdin.take();
    let mut buffer = vec![0; 1 << 16];
    let mut left = limit;
    loop {
        let length = match stream.read(&mut buffer) {
            // It closed without reading all of the request.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => 0,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                end(&mut tar);
                return Err(failed("can't read the answer")(error));
            }
            Ok(length) => length,
        };
        let Some(fewer) = left.checked_sub(length as u64) else {
            end(&mut tar);
            return Err(SandboxError::TooLarge(limit));
        };
        left = fewer;
        // tar stops reading at the archive's end; what follows is padding.
        match pipe.as_mut().map(|pipe| pipe.write_all(&buffer[..length])) {
            _ if length == 0 => break,
            Some(Err(_)) => pipe = None,
            _ => {}
        }
    }
    drop(pipe);
    let status = tar.wait().map_err(failed("can't wait for tar"))?;
    if status.success() { Ok(()) } else { Err(SandboxError::NoAnswer) }
}

/// Reads the answer, and copies what the build left.
fn finish(answer: &Path, out: &Path) -> Result<SandboxedBuild, SandboxError> {
    let code = fs::read_to_string(answer.join("status")).ok();
    let code = code.and_then(|text| text.trim().parse().ok()).ok_or(SandboxError::NoAnswer)?;
    let log = fs::read(answer.join("log")).map_err(|_| SandboxError::NoAnswer)?;
    let left = answer.join("out");
    // A link in setting of the folder would lead to files of this user.
    if fs::symlink_metadata(&left).is_ok_and(|about| about.is_dir()) {
        let copied = Command::new("cp").arg("-a").arg(left.join(".")).arg(out).status();
        let copied = copied.map_err(failed("can't start cp"))?;
        if !copied.success() {
            let error = io::Error::other(format!("cp ended with {copied}"));
            return Err(failed(format!("can't write to {}", out.display()))(error));
        }
    }
    Ok(SandboxedBuild { log, code })
}

#[cfg(test)]
mod tests;
