//! `shakedown host runner-update`.

use super::MachineArgs;
use crate::{
    exit::{CommandError, Exit},
    github::runner_releases::{RUNNER, published},
    output::print,
};
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use shakedown_forge::{
    Forge, ForgeOptions, RetrySleep,
    release::{ForgeRelease, ReleaseFile},
};
use shakedown_host::{
    HostRoot, RUNNER_PREFIX, RunnerAge, RunnerPlace, RunnerVersion, SeenRunners, metrics,
};
use shakedown_schedule::{ScheduleError, SilentObserver};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Install the newest GitHub Actions runner, or say how old the installed one is.
///
/// GitHub gives no jobs to a runner that is more than 30 days behind a newer release. The archive's
/// SHA-256 must be the one that GitHub's API gives for the file, and the one in the release's text; where
/// one of them is missing, the other one. It is unpacked beside the runner in use. The next job gets it; the
/// one before is kept as runner.previous. The service is restarted if no job has the host. While one has it,
/// nothing is downloaded before the alarm is on.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exits with 4 where the alarm is on: 10 days before GitHub refuses the runner."
)]
pub(super) struct Args {
    #[command(flatten)]
    machine: MachineArgs,
    /// Look for releases and install nothing
    #[arg(long, conflicts_with = "staged")]
    check: bool,
    /// Switch to what is unpacked already, without looking for releases: between two jobs
    #[arg(long)]
    staged: bool,
    /// Do not restart the service
    #[arg(long)]
    no_restart: bool,
    /// API that knows the releases
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    releases_api: String,
    /// The host's lock: nobody may have it while the service is restarted
    #[arg(long, value_name = "FILE", default_value = "/run/lock/shakedown.lock", value_hint = ValueHint::FilePath)]
    lock: PathBuf,
}

/// An archive of the runner has about 200 MiB.
const LONGEST: u64 = 2 << 30;
const SERVICE: &str = "shakedown-runner.service";

/// Updates.
///
/// # Errors
/// If no runner is installed; errors of GitHub; an archive that is not what was published.
pub(super) fn run(args: Args) -> Result<Exit> {
    let root = args.machine.root();
    let place = RunnerPlace::new(&root.path(RUNNER_PREFIX));
    if args.staged {
        if let Some(version) = place.switch()? {
            print(&format!("the runner is {version} now\n"))?;
        }
        return Ok(Exit::Done);
    }
    if !place.is_installed() {
        let reason = format!("there is no runner in {}", root.path(RUNNER_PREFIX).display());
        return Err(CommandError::new(Exit::Input, reason).into());
    }
    let releases = Forge::anonymous(ForgeOptions {
        api_url: args.releases_api.clone(),
        repo: RUNNER.parse()?,
        token: None,
        tries: 4,
        dry_run: false,
        retry_sleep: RetrySleep::Sleep,
    })?;
    let all = releases.releases()?;
    let found = published(&all);
    let now_ms = crate::clock::now_ms()?;
    let seen = SeenRunners {
        checked_ms: now_ms,
        releases: found.iter().map(|one| one.0.clone()).collect(),
    };
    seen.write(&root).context("can't write down what releases there are")?;
    if !args.check
        && let Some((newest, release)) = found.iter().max_by_key(|one| one.0.version)
        && place.installed() < Some(newest.version)
    {
        if place.staged() != Some(newest.version) {
            let age = RunnerAge::of(&root, now_ms);
            let busy = metrics::is_locked(&HostRoot::real(), &args.lock) == Some(true);
            if busy && !age.is_some_and(|age| age.is_alarm()) {
                print("the host is in use, and there is time: nothing is downloaded now\n")?;
                return Ok(Exit::Done);
            }
            let archive = root.path(RUNNER_PREFIX).join(".runner.archive");
            let staged = stage(&releases, (&place, &archive), newest.version, release);
            let _ = std::fs::remove_file(archive);
            staged?;
        }
        switch(&args, &place)?;
    }
    let age = RunnerAge::of(&root, now_ms).context("the runner is gone")?;
    print(&format!("{}\n", age.line(now_ms)))?;
    Ok(if age.is_alarm() { Exit::Host } else { Exit::Done })
}

/// Downloads, verifies and unpacks.
fn stage(
    forge: &Forge,
    (place, archive): (&RunnerPlace, &Path),
    version: RunnerVersion,
    release: &ForgeRelease,
) -> Result<()> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => bail!("there is no runner for {other}"),
    };
    let name = format!("actions-runner-linux-{architecture}-{version}.tar.gz");
    let file = release.assets.iter().find(|file| file.name == name);
    let file = file.with_context(|| format!("release {version} has no file {name}"))?;
    let sha256 = digest(file, release.body.as_deref().unwrap_or_default(), architecture)?;
    file.fetch(forge, archive, LONGEST)?;
    place.stage(archive, version, &sha256)?;
    print(&format!("unpacked runner {version} (SHA-256 {sha256})\n"))
}

/// What the release says of a file: GitHub's own digest of it, and the one that the release process of
/// the runner writes into the text.
fn digest(file: &ReleaseFile, text: &str, architecture: &str) -> Result<String> {
    let begin = format!("BEGIN SHA linux-{architecture} -->");
    let told = text.split(&begin).nth(1).map(|rest| rest.split('<').next().unwrap_or_default());
    let api = file.digest.as_deref().map(|digest| digest.strip_prefix("sha256:").unwrap_or(digest));
    let [api, told] = [api, told].map(|one| one.map(str::trim).filter(|one| !one.is_empty()));
    let sha256 = match (api, told) {
        (Some(api), Some(told)) if api != told => {
            bail!(
                "the release contradicts itself about {}: {api} by its file, {told} by its text",
                file.name
            )
        }
        (Some(one), _) | (None, Some(one)) => one,
        (None, None) => bail!("the release tells no SHA-256 of {}", file.name),
    };
    let sound = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !sound {
        bail!("`{}` is no SHA-256", sha256.escape_default());
    }
    Ok(sha256.to_ascii_lowercase())
}

/// Switches at once if no job has the host; otherwise the next job's preparation does.
fn switch(args: &Args, place: &RunnerPlace) -> Result<()> {
    let lock = match shakedown_schedule::take_host(&args.lock, false, &mut SilentObserver) {
        Err(ScheduleError::Busy(holder)) => {
            return print(&format!("the next job gets it: the host is in use by {holder}\n"));
        }
        other => other?,
    };
    if let Some(version) = place.switch()? {
        print(&format!("the runner is {version} now\n"))?;
    }
    // The copy that waits for a job is of the version before.
    if !args.no_restart && !is_working(&args.machine.root()) {
        let status = Command::new("systemctl").args(["try-restart", SERVICE]).status();
        let status = status.context("can't call systemctl")?;
        if !status.success() {
            bail!("systemctl try-restart {SERVICE} ended with {status}");
        }
    }
    drop(lock);
    Ok(())
}

/// Whether a job has begun whose hook has not taken the lock yet.
fn is_working(root: &HostRoot) -> bool {
    let processes = root.names("proc");
    let named = |id: &String| root.read(&Path::new("proc").join(id).join("comm").to_string_lossy());
    processes.iter().filter_map(named).any(|name| name == "Runner.Worker")
}
