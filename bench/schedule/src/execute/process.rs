//! Real processes.

use super::{
    DriverCall, Execution, Executor, Termination, command,
    drain::OutputPipes,
    instrument::ValgrindCommand,
    live,
    probe::{HostFiles, ProcessCounters},
};
use crate::time::now_ms;
use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use shakedown_protocol::HostWatch;
use std::{
    io, mem,
    os::fd::{AsFd, FromRawFd, OwnedFd},
    process::Child,
    time::{Duration, Instant},
};

/// Runs jobs as processes of this machine.
#[derive(Debug)]
pub(crate) struct Processes {
    host: HostFiles,
}

impl Processes {
    /// Watches this machine.
    pub fn here() -> Self {
        Self { host: HostFiles::here() }
    }
}

impl Executor for Processes {
    fn execute(&self, job: &DriverCall<'_>) -> Execution {
        let started_ms = now_ms();
        let before = self.host.read(job.cpus);
        let start = Instant::now();
        let valgrind = ValgrindCommand::of(job);
        let outcome = valgrind
            .as_ref()
            .map_err(|error| error.kind().into())
            .and_then(|tool| Running::new(command::start(job, tool.as_ref())?, job, &self.host));
        let (left, ending, stdout, stderr) = match outcome {
            Ok(running) => running.finish(start + job.timeout),
            Err(error) => (
                ProcessExit::default(),
                Termination::NotStarted(error.to_string()),
                vec![],
                String::new(),
            ),
        };
        let wall = left.ended.map_or(Duration::ZERO, |ended| ended - start);
        let after = self.host.read(job.cpus);
        let watch = watch(wall, &left, &before, &after);
        let tool = valgrind.ok().flatten();
        let instructions = tool.as_ref().and_then(ValgrindCommand::counted);
        let profiles = tool.map_or_else(Vec::new, |tool| tool.profiles());
        Execution { started_ms, watch, ending, stdout, stderr, instructions, profiles }
    }
}

/// What the kernel says of a process that ended.
#[derive(Default)]
struct ProcessExit {
    ended: Option<Instant>,
    usage: Option<libc::rusage>,
    /// Since its program began.
    moved: MovedThread,
}

/// What the kernel counts of the one thread of a process.
#[derive(Clone, Copy, Default)]
struct MovedThread {
    migrations: Option<u64>,
    ready_us: Option<u64>,
}

impl MovedThread {
    fn read(host: &HostFiles, pid: Pid) -> Self {
        let pid = pid.as_raw().cast_unsigned();
        Self { migrations: host.migrations(pid), ready_us: host.ready_us(pid) }
    }

    fn since(self, before: Self) -> Self {
        Self {
            migrations: grown(before.migrations, self.migrations),
            ready_us: grown(before.ready_us, self.ready_us),
        }
    }
}

/// A process on its way.
struct Running<'a> {
    pid: Pid,
    /// Readable once the process has ended.
    end: OwnedFd,
    pipes: OutputPipes<'a>,
    host: &'a HostFiles,
    /// At the start; `None` with several CPUs, where one thread does not stand for all.
    moved: Option<MovedThread>,
}

impl<'a> Running<'a> {
    fn new(mut child: Child, job: &DriverCall<'a>, host: &'a HostFiles) -> io::Result<Self> {
        let pid = Pid::from_raw(child.id().cast_signed());
        let parts = OutputPipes::new(
            job.input,
            child.stdin.take(),
            child.stdout.take(),
            child.stderr.take(),
        )
        .and_then(|pipes| Ok((pipes, pidfd(pid)?)));
        let (pipes, end) = parts.inspect_err(|_| {
            kill(pid);
            // Nothing can be done about a failure to collect it.
            let _ = child.wait();
        })?;
        // From here on the child is collected by number: see `collect`.
        live::begin(pid);
        let moved = (job.cpus.len() == 1).then(|| MovedThread::read(host, pid));
        Ok(Self { pid, end, pipes, host, moved })
    }

    fn finish(mut self, deadline: Instant) -> (ProcessExit, Termination, Vec<u8>, String) {
        let killed = self.attend(deadline);
        if killed.is_some() {
            kill(self.pid);
            self.wait_for_end();
        }
        let ended = Some(Instant::now());
        let moved = self.moved.map(|before| MovedThread::read(self.host, self.pid).since(before));
        // While it is a zombie its group's number can't be taken by others: what it left
        // running is killed before it is collected.
        kill(self.pid);
        live::end(self.pid);
        let (status, usage) = collect(self.pid);
        self.pipes.pump();
        let flooded = self.pipes.flooded().then_some(Termination::Flooded);
        let ending = killed.or(flooded).unwrap_or_else(|| ending(status));
        let (stdout, stderr) = self.pipes.into_text();
        (ProcessExit { ended, usage, moved: moved.unwrap_or_default() }, ending, stdout, stderr)
    }

    /// Feeds and reads until the process ends, or says why it must be killed.
    fn attend(&mut self, deadline: Instant) -> Option<Termination> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(Termination::TimedOut);
            }
            // A millisecond more, so that the last wait does not end just before its time.
            let wait = u16::try_from(left.as_millis() + 1).unwrap_or(u16::MAX);
            match self.wait(PollTimeout::from(wait)) {
                Ok(true) => return None,
                Ok(false) => {}
                Err(error) => {
                    return Some(Termination::NotStarted(format!(
                        "it could not be watched: {error}"
                    )));
                }
            }
            if self.pipes.flooded() {
                return Some(Termination::Flooded);
            }
        }
    }

    /// Waits for something to move, moves it, and says whether the process has ended.
    fn wait(&mut self, timeout: PollTimeout) -> Result<bool, Errno> {
        let mut watched = vec![PollFd::new(self.end.as_fd(), PollFlags::POLLIN)];
        watched.extend(self.pipes.stdin.iter().map(|p| PollFd::new(p.as_fd(), PollFlags::POLLOUT)));
        watched.extend(self.pipes.stdout.iter().map(|p| PollFd::new(p.as_fd(), PollFlags::POLLIN)));
        watched.extend(self.pipes.stderr.iter().map(|p| PollFd::new(p.as_fd(), PollFlags::POLLIN)));
        match poll(&mut watched, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
        let ended = watched[0].any().unwrap_or(false);
        drop(watched);
        self.pipes.pump();
        Ok(ended)
    }

    /// Waits for a process that was killed. It ends soon, unless the kernel hangs itself.
    fn wait_for_end(&self) {
        let mut end = [PollFd::new(self.end.as_fd(), PollFlags::POLLIN)];
        while poll(&mut end, PollTimeout::NONE) == Err(Errno::EINTR) {}
    }
}

/// Kills a process with everything that it started.
fn kill(pid: Pid) {
    // It may be gone already, which is what is wanted.
    let _ = killpg(pid, Signal::SIGKILL);
}

fn pidfd(pid: Pid) -> io::Result<OwnedFd> {
    // SAFETY: no memory is passed.
    let number = unsafe { libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0) };
    let number = i32::try_from(number).unwrap_or(-1);
    if number < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has just made this descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Collects a process that has ended: its status, and what it used.
fn collect(pid: Pid) -> (i32, Option<libc::rusage>) {
    let mut status = 0;
    // SAFETY: zeros are a valid value of this plain data.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live variables of the right type.
        let found = unsafe { libc::wait4(pid.as_raw(), &raw mut status, 0, &raw mut usage) };
        if found == pid.as_raw() {
            return (status, Some(usage));
        }
        if Errno::last() != Errno::EINTR {
            return (status, None);
        }
    }
}

fn ending(status: i32) -> Termination {
    if libc::WIFSIGNALED(status) {
        Termination::Signalled(libc::WTERMSIG(status))
    } else {
        Termination::Exited(libc::WEXITSTATUS(status))
    }
}

/// The differences between two readings, with what the process used.
fn watch(
    wall: Duration,
    left: &ProcessExit,
    before: &ProcessCounters,
    after: &ProcessCounters,
) -> HostWatch {
    let grown =
        |from: Option<u64>, to: Option<u64>| from.zip(to).map(|(from, to)| to.saturating_sub(from));
    let mut watch = HostWatch {
        wall_us: u64::try_from(wall.as_micros()).unwrap_or(u64::MAX),
        pressure_cpu_us: grown(before.pressure_cpu_us, after.pressure_cpu_us),
        pressure_memory_us: grown(before.pressure_memory_us, after.pressure_memory_us),
        pressure_io_us: grown(before.pressure_io_us, after.pressure_io_us),
        steal_us: grown(before.steal_us, after.steal_us),
        throttles: grown(before.throttles, after.throttles),
        khz_before: before.khz,
        khz_after: after.khz,
        migrations: left.moved.migrations,
        ready_us: left.moved.ready_us,
        ..HostWatch::default()
    };
    if let Some(usage) = &left.usage {
        watch.user_us = micros(usage.ru_utime);
        watch.system_us = micros(usage.ru_stime);
        watch.voluntary_switches = usage.ru_nvcsw.cast_unsigned();
        watch.involuntary_switches = usage.ru_nivcsw.cast_unsigned();
        watch.minor_faults = usage.ru_minflt.cast_unsigned();
        watch.major_faults = usage.ru_majflt.cast_unsigned();
        watch.peak_kib = usage.ru_maxrss.cast_unsigned();
    }
    watch
}

fn grown(from: Option<u64>, to: Option<u64>) -> Option<u64> {
    from.zip(to).map(|(from, to)| to.saturating_sub(from))
}

fn micros(time: libc::timeval) -> u64 {
    time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned()
}
