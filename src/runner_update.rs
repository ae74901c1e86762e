//! The GitHub Actions runner of this host, kept young: the newest release is verified, unpacked beside
//! the one in use, and takes its place between two jobs.

use crate::{
    exit::{CommandError, Exit},
    github::{
        access::forge_options,
        runner_releases::{RUNNER, published},
    },
    output::print,
};
use anyhow::{Context, Result, bail};
use shakedown_forge::{
    Forge,
    release::{ForgeRelease, ReleaseFile},
};
use shakedown_host::{
    HostRoot, KnownRunnerReleases, PublishedRunner, RUNNER_PREFIX, RunnerAge, RunnerInstallation,
    RunnerVersion, metrics,
};
use shakedown_schedule::{ScheduleError, SilentObserver};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// How the runner is updated.
#[derive(Debug)]
pub struct RunnerUpdate {
    /// The machine.
    pub root: HostRoot,
    /// Whether to look for releases and install nothing.
    pub check: bool,
    /// Whether to restart the service once the runner has changed.
    pub restart: bool,
    /// API that knows the releases.
    pub releases_api: String,
    /// The host's lock: nobody may have it while the service is restarted.
    pub lock: PathBuf,
}

/// An archive of the runner has about 200 MiB.
const LONGEST: u64 = 2 << 30;
const SERVICE: &str = "shakedown-runner.service";

/// Puts what is unpacked in the place of the runner in use, without looking for releases.
///
/// # Errors
/// What the system says.
pub fn switch_to_staged(root: &HostRoot) -> Result<()> {
    announce_switch(&RunnerInstallation::new(&root.path(RUNNER_PREFIX)))
}

fn announce_switch(installation: &RunnerInstallation) -> Result<()> {
    match installation.switch()? {
        Some(version) => print(&format!("the runner is {version} now\n")),
        None => Ok(()),
    }
}

impl RunnerUpdate {
    /// Looks for releases and installs the newest. Returns the age of the runner after that.
    ///
    /// # Errors
    /// If no runner is installed; errors of GitHub; an archive that is not what was published.
    pub fn run(&self) -> Result<RunnerAge> {
        let prefix = self.root.path(RUNNER_PREFIX);
        let installation = RunnerInstallation::new(&prefix);
        if !installation.is_installed() {
            let reason = format!("there is no runner in {}", prefix.display());
            return Err(CommandError::new(Exit::Input, reason).into());
        }
        let forge = Forge::anonymous(forge_options(&self.releases_api, RUNNER.parse()?, None))?;
        let all = forge.releases()?;
        let found = published(&all);
        let now_ms = crate::clock::now_ms()?;
        let releases = found.iter().map(|one| one.0.clone()).collect();
        let known = KnownRunnerReleases { checked_ms: now_ms, releases };
        known.write(&self.root).context("can't write down what releases there are")?;
        if !self.check
            && let Some(newest) = found.iter().max_by_key(|one| one.0.version)
            && installation.installed() < Some(newest.0.version)
            && self.is_staged(&forge, &installation, newest, now_ms)?
        {
            self.switch(&installation)?;
        }
        RunnerAge::of(&self.root, now_ms).context("the runner is gone")
    }

    /// Unpacks a release unless it is already. Returns false where that can wait: a job has the host, and
    /// the alarm is not on.
    fn is_staged(
        &self,
        forge: &Forge,
        installation: &RunnerInstallation,
        (newest, release): &(PublishedRunner, &ForgeRelease),
        now_ms: u64,
    ) -> Result<bool> {
        if installation.staged() == Some(newest.version) {
            return Ok(true);
        }
        let busy = metrics::is_locked(&HostRoot::real(), &self.lock) == Some(true);
        if busy && !RunnerAge::of(&self.root, now_ms).is_some_and(|age| age.is_alarm()) {
            print("the host is in use, and there is time: nothing is downloaded now\n")?;
            return Ok(false);
        }
        let archive = self.root.path(RUNNER_PREFIX).join(".runner.archive");
        let staged = stage(forge, (installation, &archive), newest.version, release);
        let _ = std::fs::remove_file(archive);
        staged.map(|()| true)
    }

    /// Switches at once if no job has the host; otherwise the next job's preparation does.
    fn switch(&self, installation: &RunnerInstallation) -> Result<()> {
        let lock = match shakedown_schedule::take_host(&self.lock, false, &mut SilentObserver) {
            Err(ScheduleError::Busy(holder)) => {
                return print(&format!("the next job gets it: the host is in use by {holder}\n"));
            }
            other => other?,
        };
        announce_switch(installation)?;
        // The copy that waits for a job is of the version before.
        if self.restart && !is_working(&self.root) {
            let status = Command::new("systemctl").args(["try-restart", SERVICE]).status();
            let status = status.context("can't call systemctl")?;
            if !status.success() {
                bail!("systemctl try-restart {SERVICE} ended with {status}");
            }
        }
        drop(lock);
        Ok(())
    }
}

/// Downloads, verifies and unpacks.
fn stage(
    forge: &Forge,
    (installation, archive): (&RunnerInstallation, &Path),
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
    installation.stage(archive, version, &sha256)?;
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
        (None, None) => bail!("the release names no SHA-256 of {}", file.name),
    };
    let sound = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !sound {
        bail!("`{}` is not a SHA-256", sha256.escape_default());
    }
    Ok(sha256.to_ascii_lowercase())
}

/// Whether a job has begun whose hook has not taken the lock yet.
fn is_working(root: &HostRoot) -> bool {
    let processes = root.names("proc");
    let named = |id: &String| root.read(&Path::new("proc").join(id).join("comm").to_string_lossy());
    processes.iter().filter_map(named).any(|name| name == "Runner.Worker")
}
