//! How a driver process is started: the same for every subject, down to the bytes on its
//! stack.

use super::{DriverCall, Instrument, instrument::ValgrindCommand};
use nix::{
    fcntl::{FcntlArg, fcntl},
    sched::{CpuSet, sched_setaffinity},
    sys::{
        personality::{self, Persona},
        resource::{Resource, setrlimit},
    },
    unistd::{Pid, getppid},
};
use shakedown_protocol::Aslr;
use std::{
    fs::File,
    io,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Child, Command, Stdio},
};

/// Where the drivers' helpers are, should they need one.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Starts the process of `job`, with all three streams as pipes. When this returns, the new
/// program runs.
pub(super) fn start(job: &DriverCall<'_>, valgrind: Option<&ValgrindCommand>) -> io::Result<Child> {
    let binary = numbered_high(&File::open(job.binary)?)?;
    let mut command = match (job.instrument, valgrind) {
        (Instrument::Valgrind { program, .. }, Some(valgrind)) => {
            let mut command = Command::new(program);
            command.args(valgrind.options()).arg(valgrind.driver());
            command
        }
        // The kernel copies the program's path onto its stack, and the size of what is there
        // moves measurements. By its descriptor every binary has a path of one length.
        _ => {
            let mut command = Command::new(format!("/proc/self/fd/{}", binary.as_raw_fd()));
            command.arg0("driver");
            command
        }
    };
    command
        .arg(job.verb)
        .current_dir("/")
        .env_clear()
        .env("LC_ALL", "C")
        .env("PATH", PATH)
        .envs(job.environment)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if job.aslr == Aslr::On {
        command.env("SHAKEDOWN_PAD", "x".repeat(job.pad as usize));
    }
    if let Instrument::Preload(library) = job.instrument {
        command.env("LD_PRELOAD", library);
    }
    let cpus = cpu_set(job.cpus)?;
    let (aslr, parent) = (job.aslr, Pid::this());
    // SAFETY: between fork and exec only system calls are made; nothing allocates or locks.
    unsafe {
        command.pre_exec(move || {
            if let Some(cpus) = &cpus {
                sched_setaffinity(Pid::from_raw(0), cpus)?;
            }
            randomise(aslr)?;
            // A crash is reported by its signal; writing an image of it would cost minutes.
            setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
            keep_to_itself();
            die_with(parent)
        });
    }
    command.spawn()
}

/// The same open file under a number of three digits, closed on exec.
fn numbered_high(file: &File) -> io::Result<OwnedFd> {
    let number = fcntl(file, FcntlArg::F_DUPFD_CLOEXEC(100))?;
    // SAFETY: the call has just made this descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

fn cpu_set(cpus: &[u32]) -> io::Result<Option<CpuSet>> {
    if cpus.is_empty() {
        return Ok(None);
    }
    let mut set = CpuSet::new();
    cpus.iter().try_for_each(|&cpu| set.set(cpu as usize))?;
    Ok(Some(set))
}

/// Sets layout randomisation for the program that follows, whatever this process has.
fn randomise(aslr: Aslr) -> nix::Result<()> {
    let mut persona = personality::get()?;
    persona.set(Persona::ADDR_NO_RANDOMIZE, aslr == Aslr::Off);
    personality::set(persona).map(drop)
}

/// Closes on exec whatever this program inherited from its own parent: each descriptor that a
/// driver has more than another one is a difference. Kernels before 5.11 can't; there it stays.
fn keep_to_itself() {
    // SAFETY: no memory is passed.
    unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    };
}

/// Has the kernel kill this process when its parent dies, even by kill -9: a driver without
/// a scheduler would disturb the next run.
fn die_with(parent: Pid) -> io::Result<()> {
    // SAFETY: no memory is passed.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // It may have died before the call.
    if getppid() == parent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}
