//! Runs programs in a clean environment and logs their output.

use crate::BuildError;
use std::{
    collections::BTreeMap,
    env, fs,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

/// Variables that a build may see: locations of programs and caches, and network settings. With any
/// other (`CFLAGS`, `MAKEFLAGS`, `RUSTC_WRAPPER`, ...) the result would depend on the calling shell.
const KEPT: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "TMPDIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_AUTO_INSTALL",
    "RUSTUP_DIST_SERVER",
    "RUSTUP_UPDATE_ROOT",
    "TERM",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GIT_SSL_CAINFO",
    "CURL_CA_BUNDLE",
    "SSH_AUTH_SOCK",
    "GIT_SSH_COMMAND",
    "LD_LIBRARY_PATH",
    "XDG_CONFIG_HOME",
    "GOPROXY",
    "GOSUMDB",
];

/// Prefixes of further variables that a build may see.
const KEPT_PREFIXES: &[&str] =
    &["CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_REGISTRY_", "CARGO_SOURCE_"];

/// Whether `name` is a variable of the proxy family, in either case.
fn proxy(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(lower.as_str(), "http_proxy" | "https_proxy" | "all_proxy" | "no_proxy")
}

/// Runs programs with the allowed part of the environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Caller {
    /// Overrides for every call.
    pub(crate) environment: BTreeMap<String, String>,
}

impl Caller {
    /// A call of `program` with a clean environment and empty standard input.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().stdin(Stdio::null());
        for (name, value) in env::vars_os() {
            let kept = name.to_str().is_some_and(|name| {
                KEPT.contains(&name)
                    || proxy(name)
                    || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            });
            if kept {
                command.env(name, value);
            }
        }
        command.env("LC_ALL", "C.UTF-8").envs(&self.environment);
        command
    }

    /// The value of a variable in calls.
    pub(crate) fn variable(&self, name: &str) -> Option<std::ffi::OsString> {
        self.environment.get(name).map(Into::into).or_else(|| env::var_os(name))
    }

    /// Where cargo keeps what it fetches.
    pub(crate) fn cargo_home(&self) -> Option<PathBuf> {
        match self.variable("CARGO_HOME") {
            Some(home) => Some(PathBuf::from(home)),
            None => Some(PathBuf::from(self.variable("HOME")?).join(".cargo")),
        }
    }

    /// Whether cargo was told that there is no network: then nothing is asked for.
    pub(crate) fn is_offline(&self) -> bool {
        self.variable("CARGO_NET_OFFLINE").is_some_and(|value| value == "true")
    }

    /// Standard output of a program; `None` if it fails.
    pub(crate) fn output(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = self.command(program).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Path of a program in `PATH`.
    pub(crate) fn find(&self, program: &str) -> Option<PathBuf> {
        use std::os::unix::fs::PermissionsExt;
        let runnable = |path: &Path| {
            path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
        };
        env::split_paths(&self.variable("PATH")?)
            .map(|folder| folder.join(program))
            .find(|path| runnable(path))
    }
}

/// The log file of a build.
#[derive(Debug)]
pub(crate) struct BuildLog {
    pub(crate) path: PathBuf,
    file: File,
}

/// Length of the end of a log in errors.
const TAIL_LINES: usize = 20;

impl BuildLog {
    /// An empty log.
    pub(crate) fn create(path: &Path) -> Result<Self, BuildError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(BuildError::io("create", folder))?;
        }
        let file = File::options().create(true).truncate(true).read(true).write(true).open(path);
        Ok(Self { path: path.to_owned(), file: file.map_err(BuildError::io("create", path))? })
    }

    /// Runs `command`, logs its output, and after each line calls `heard` with the number of lines so
    /// far.
    pub(crate) fn run(
        &mut self,
        command: &mut Command,
        heard: &mut dyn FnMut(u64),
    ) -> io::Result<ExitStatus> {
        let program = command.get_program().to_string_lossy().into_owned();
        writeln!(self.file, "$ {}", words(command))?;
        let (reader, writer) = io::pipe()?;
        command.stdout(writer.try_clone()?).stderr(writer);
        let mut child = command.spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("can't start {program}: {error}"))
        })?;
        // The command keeps the pipe's writing end open; without it the end is never seen.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut written = Ok(());
        let mut lines = 0;
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            // A full disk must not leave the child waiting for a reader.
            if written.is_ok() {
                written = self.file.write_all(&line);
            }
            line.clear();
            lines += 1;
            heard(lines);
        }
        let status = child.wait()?;
        written.map(|()| status)
    }

    /// Adds a line.
    pub(crate) fn note(&mut self, text: &str) {
        let _ = writeln!(self.file, "{text}");
    }

    /// The whole text.
    pub(crate) fn text(&self) -> io::Result<String> {
        fs::read(&self.path).map(|text| String::from_utf8_lossy(&text).into_owned())
    }

    /// The last lines.
    pub(crate) fn tail(&mut self) -> String {
        const MOST: u64 = 6 * 1024;
        let mut text = Vec::new();
        let length = self.file.metadata().map_or(0, |facts| facts.len());
        let _ = self.file.seek(SeekFrom::Start(length.saturating_sub(MOST)));
        let _ = self.file.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
    }
}

/// The command as typed in a shell, for the log.
fn words(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| {
        let word = word.to_string_lossy();
        if word.contains(' ') { format!("'{word}'") } else { word.into_owned() }
    }));
    words.join(" ")
}

/// Whether the end of a log shows a network error.
pub(crate) fn network_to_blame(tail: &str) -> bool {
    const SIGNS: &[&str] = &[
        "could not resolve",
        "couldn't resolve",
        "failed to resolve",
        "could not connect",
        "couldn't connect",
        "failed to connect",
        "connection refused",
        "connection timed out",
        "connection reset",
        "network is unreachable",
        "timed out",
        "spurious network error",
        "temporary failure in name resolution",
        "unable to access",
        "failed to download",
        "no route to host",
        "no such host",
        "i/o timeout",
        "handshake timeout",
        "could not read from remote repository",
    ];
    let lower = tail.to_lowercase();
    SIGNS.iter().any(|sign| lower.contains(sign))
}

/// Whether the end of a log shows a full disk.
pub(crate) fn disk_to_blame(tail: &str) -> bool {
    tail.contains("No space left on device") || tail.contains("os error 28")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_says_is_logged_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = BuildLog::create(&folder.path().join("logs/x.log")).unwrap();
        let mut command = Caller::default().command("sh");
        let mut lines = 0;
        let status = log
            .run(command.args(["-c", "echo one; echo two >&2; exit 3"]), &mut |n| lines = n)
            .unwrap();
        assert_eq!((status.code(), lines), (Some(3), 2));
        assert_eq!(log.tail(), "$ sh -c 'echo one; echo two >&2; exit 3'\none\ntwo");
    }

    #[test]
    fn the_shell_that_started_us_does_not_show() {
        // PATH is there in every test run, and CARGO_PKG_NAME is because cargo runs it.
        let seen = Caller::default().output("env", &[]).unwrap();
        assert!(seen.contains("PATH="));
        assert!(env::var_os("CARGO_PKG_NAME").is_some());
        assert!(!seen.contains("CARGO_PKG_NAME"));
    }

    #[test]
    fn a_missing_program_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = BuildLog::create(&folder.path().join("x.log")).unwrap();
        let mut command = Caller::default().command("no-such-program");
        let error = log.run(&mut command, &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains("no-such-program"), "{error}");
        assert!(Caller::default().find("no-such-program").is_none());
    }
}
