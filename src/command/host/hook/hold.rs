//! Holding the host while a job runs, so that people's runs wait for it.
//!
//! A hook ends long before its job does, so the lock is in the hands of a process that it
//! leaves behind. That process dies with the job's cgroup, and the kernel then lets go.

use crate::exit::Exit;
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use shakedown_schedule::{ScheduleError, SilentObserver};
use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// What the holder says once it has the host.
const HELD: &str = "held";
/// How it begins to say who has.
const BUSY: &str = "busy ";

/// Holds the host until this is killed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The lock of the host
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    lock: PathBuf,
    /// Description of the job, shown to others who find the host busy
    #[arg(long = "for", value_name = "TITLE")]
    title: String,
}

/// Holds.
///
/// # Errors
/// If the lock can't be used.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let _lock = match shakedown_schedule::take_host(&args.lock, false, &mut SilentObserver) {
        Ok(lock) => lock,
        Err(ScheduleError::Busy(holder)) => {
            println!("{BUSY}{holder}");
            return Ok(Exit::Host);
        }
        Err(error) => return Err(error.into()),
    };
    println!("{HELD}");
    std::io::stdout().flush()?;
    loop {
        std::thread::park();
    }
}

/// A holder at work. Killed when dropped, unless it is kept.
#[derive(Debug)]
pub(super) struct Hold(Option<Child>);

/// Who has the host already.
#[derive(Debug)]
pub(super) struct Busy(pub String);

impl Hold {
    /// Leaves a process behind that holds the host for a job.
    ///
    /// # Errors
    /// If the process does not start, or the lock can't be used.
    pub(super) fn take(lock: &Path, title: &str) -> Result<Result<Self, Busy>> {
        let own = std::env::current_exe().context("can't find the command itself")?;
        let mut child = Command::new(own)
            .args(["host", "hook", "hold", "--for", title, "--lock"])
            .arg(lock)
            // The runner ends processes that have this at the end of a job, and would wait
            // for whoever keeps its pipes open.
            .env_remove("RUNNER_TRACKING_ID")
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("can't start the process that holds the host")?;
        let mut said = String::new();
        let out = child.stdout.take().context("its output is piped")?;
        let read = BufReader::new(out).read_line(&mut said);
        let hold = Self(Some(child));
        read.context("can't hear from the process that holds the host")?;
        match said.trim_end() {
            HELD => Ok(Ok(hold)),
            said => match said.strip_prefix(BUSY) {
                Some(holder) => Ok(Err(Busy(holder.to_owned()))),
                None => bail!("can't lock the host with {}", lock.display()),
            },
        }
    }

    /// Leaves the holder to itself: it holds until the job's end.
    pub(super) fn keep(mut self) {
        self.0.take();
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
