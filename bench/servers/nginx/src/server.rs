//! nginx as a process that can't outlive its driver, and leaves no file behind.

use crate::{
    callgrind::Callgrind,
    clock::ProcessClock,
    configuration::{WAITING, configuration},
    connections::{COUNTED_PATIENCE, tls},
    memory_file::MemoryFile,
};
use nix::{
    fcntl::{FcntlArg, FdFlag, fcntl},
    sys::signal::{Signal, kill},
    unistd::{Pid, getppid},
};
use shakedown_protocol::{DriverRefusal, DriverRequest, Group};
use std::{
    fs,
    io::{self, Read},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    os::{fd::AsRawFd, unix::process::CommandExt},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// nginx, linked with the library under test.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/nginx"));
/// What the library says of a group that it does not have, by way of nginx.
const NO_GROUP: &str = "set1_curves_list";

/// How long a server that was told to end is left alone.
const AGAIN: Duration = Duration::from_millis(50);

/// Versions of library and server, as the program itself tells them.
///
/// # Errors
/// If it can't be run.
pub fn versions() -> Result<(String, String), String> {
    let program = MemoryFile::new("nginx", PROGRAM).map_err(|error| error.to_string())?;
    let output = Command::new(program.path()).arg("-V").env_clear().output();
    let output = output.map_err(|error| format!("nginx can't be started: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let after = |start: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(start));
        line.map(|rest| rest.trim().to_owned()).ok_or_else(|| format!("nginx -V says: {text}"))
    };
    Ok((after("built with ")?, after("nginx version: ")?))
}

/// Running servers that share one socket: one process for each thread of the scenario, each with an
/// event loop of its own, as nginx's workers are.
pub struct Server {
    children: Vec<Child>,
    /// Where they listen.
    pub address: SocketAddr,
    group: Group,
    // nginx opens the file anew for each response.
    _body: MemoryFile,
}

impl Server {
    /// Starts them on a free port, under callgrind if it shall count. Connections wait in the socket until
    /// they are up. Call it from the main thread: the servers end with the thread that started them.
    ///
    /// # Errors
    /// If one does not start.
    pub fn start(
        request: &DriverRequest,
        body: u64,
        callgrind: Option<&Callgrind>,
    ) -> Result<Self, DriverRefusal> {
        let failed =
            |error: String| DriverRefusal::Failed(format!("nginx can't be started: {error}"));
        let text = |error: io::Error| failed(error.to_string());
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(text)?;
        let address = socket.local_addr().map_err(text)?;
        // One process listens with a queue of this length; the socket has it from here on.
        // SAFETY: the descriptor is open, and no memory is passed.
        if unsafe { libc::listen(socket.as_raw_fd(), WAITING as i32) } != 0 {
            return Err(text(io::Error::last_os_error()));
        }
        fcntl(&socket, FcntlArg::F_SETFD(FdFlag::empty()))
            .map_err(|error| failed(error.to_string()))?;
        let program = MemoryFile::new("nginx", PROGRAM).map_err(text)?;
        let size = usize::try_from(body).map_err(|error| failed(error.to_string()))?;
        let body = MemoryFile::new("body", &vec![b'x'; size]).map_err(text)?;
        let scratch = MemoryFile::new("pid", b"").map_err(text)?;
        let configuration = configuration(request, address, &body.path(), &scratch.path());
        let configuration =
            MemoryFile::new("nginx.conf", configuration.as_bytes()).map_err(text)?;
        let group = tls(request).group;
        let mut server = Self { children: Vec::new(), address, group, _body: body };
        for _ in 0..request.scenario.threads().get() {
            let mut command = match callgrind {
                Some(callgrind) => callgrind.command(&program.path()),
                None => Command::new(program.path()),
            };
            command
                .args(["-p", "/", "-e", "stderr", "-c"])
                .arg(configuration.path())
                .env_clear()
                // The socket is inherited, as when nginx replaces itself: no port can be taken by others.
                .env("NGINX", format!("{};", socket.as_raw_fd()))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            let parent = Pid::this();
            // SAFETY: between fork and exec only system calls are made.
            unsafe { command.pre_exec(move || die_with(parent)) };
            server.children.push(command.spawn().map_err(text)?);
        }
        Ok(server)
    }

    /// The CPU clocks of the servers.
    ///
    /// # Errors
    /// If one is gone.
    pub fn clocks(&self) -> Result<Vec<ProcessClock>, String> {
        self.children.iter().map(|child| ProcessClock::of(pid(child))).collect()
    }

    /// A number in KiB of the kernel's status of the first server.
    ///
    /// # Errors
    /// If the server is gone.
    pub fn memory(&self, name: &str) -> Result<u64, String> {
        let child = self.children.first().ok_or("no server was started")?;
        let text = fs::read_to_string(format!("/proc/{}/status", child.id()));
        let text = text.map_err(|error| format!("nginx has ended: {error}"))?;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let value = value.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse().ok());
        value.ok_or_else(|| format!("nginx's status has no {name}"))
    }

    /// Ends the servers at once. One that ended by itself is an error, with what it said.
    ///
    /// # Errors
    /// How it ended.
    pub fn stop(mut self) -> Result<(), DriverRefusal> {
        let group = self.group;
        self.children.iter_mut().try_for_each(still_there).map_err(|error| refusal(group, error))
    }

    /// Asks the servers to end, and waits for it: callgrind writes its total then.
    ///
    /// # Errors
    /// How one ended by itself, or that it did not end.
    pub fn finish(mut self) -> Result<(), DriverRefusal> {
        let group = self.group;
        self.children.iter_mut().try_for_each(ended).map_err(|error| refusal(group, error))
    }
}

/// What an error of nginx means.
fn refusal(group: Group, error: String) -> DriverRefusal {
    if error.contains(NO_GROUP) {
        DriverRefusal::Unsupported(format!("this library has no {group}"))
    } else {
        DriverRefusal::Failed(error)
    }
}

/// Has a server end. A signal that comes just before nginx waits for events is seen after the next event
/// only, and there is none: it is sent again.
fn ended(child: &mut Child) -> Result<(), String> {
    still_there(child)?;
    let begin = Instant::now();
    while begin.elapsed() < COUNTED_PATIENCE {
        let asked = kill(pid(child), Signal::SIGTERM);
        asked.map_err(|error| format!("nginx can't be told to end: {error}"))?;
        thread::sleep(AGAIN);
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("nginx ended with {status}{}", said(child))),
            _ => {}
        }
    }
    Err(format!("nginx did not end within {} s", COUNTED_PATIENCE.as_secs()))
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}

/// A server that ended by itself is an error.
fn still_there(child: &mut Child) -> Result<(), String> {
    match child.try_wait() {
        Ok(Some(status)) => {
            Err(format!("nginx ended while it was measured, with {status}{}", said(child)))
        }
        _ => Ok(()),
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for child in &mut self.children {
            // It may be gone already, which is what is wanted.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The end of what a server that has ended wrote.
fn said(child: &mut Child) -> String {
    let mut text = String::new();
    if let Some(stderr) = &mut child.stderr {
        let _ = stderr.take(4096).read_to_string(&mut text);
    }
    if text.is_empty() { text } else { format!(": {}", text.trim_end()) }
}

/// Has the kernel end this process with its parent, even by kill -9.
fn die_with(parent: Pid) -> io::Result<()> {
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
    // It may have ended before the call.
    if getppid() == parent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}
