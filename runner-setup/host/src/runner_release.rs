//! How old the GitHub Actions runner of this host is, and when GitHub will give it no more jobs.

use crate::{HostRoot, runner_installation::RunnerInstallation, runner_version::RunnerVersion};
use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};

/// Where the runner and what belongs to it is installed.
pub const RUNNER_PREFIX: &str = "usr/local/lib/shakedown";
/// What was last seen of the runner's releases.
pub const RUNNER_RELEASES: &str = "var/lib/shakedown/runner-releases.json";

const DAY_MS: u64 = 86_400_000;
/// GitHub gives no jobs to a runner so long after a newer release.
/// <https://docs.github.com/en/actions/reference/runners/self-hosted-runners>
const REFUSED_MS: u64 = 30 * DAY_MS;
/// The alarm comes so long before: time for somebody to come back from a holiday.
const ALARM_MS: u64 = 10 * DAY_MS;
/// Once nobody has looked for so long, a release may be out that turns the runner away before an alarm.
const BLIND_MS: u64 = REFUSED_MS - ALARM_MS;
/// A larger file is not one that this program wrote.
const LONGEST: u64 = 1 << 20;

/// A release of the runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedRunner {
    /// Version.
    pub version: RunnerVersion,
    /// When it was published, in milliseconds since 1970 UTC.
    pub published_ms: u64,
}

/// The runner's releases, as they were when somebody last looked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownRunnerReleases {
    /// When that was, in milliseconds since 1970 UTC.
    pub checked_ms: u64,
    /// The newest releases, in any order.
    pub releases: Vec<PublishedRunner>,
}

impl KnownRunnerReleases {
    /// What was last seen on a host; `None` if nobody has looked.
    pub fn of(root: &HostRoot) -> Option<Self> {
        let path = root.path(RUNNER_RELEASES);
        let about = fs::symlink_metadata(&path).ok()?;
        if !about.is_file() || about.len() > LONGEST {
            return None;
        }
        serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
    }

    /// Writes it at once.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, root: &HostRoot) -> io::Result<()> {
        let path = root.path(RUNNER_RELEASES);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        let beside = path.with_extension("writing");
        fs::write(&beside, serde_json::to_string(self)? + "\n")?;
        fs::rename(&beside, path)
    }
}

/// How a runner's age is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunnerState {
    /// No release is newer.
    Current,
    /// One is, and there is time.
    Behind,
    /// GitHub will soon give it no jobs, or nobody has looked for a newer one for too long.
    Alarm,
    /// GitHub gives it no jobs any more.
    Refused,
}

/// The age of a runner, counted as GitHub does: from the first release that is newer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunnerAge {
    /// The installed version; `None` where it is not known.
    pub version: Option<RunnerVersion>,
    /// The newest release that was seen.
    pub newest: Option<RunnerVersion>,
    /// When somebody last looked, in milliseconds since 1970 UTC.
    pub checked_ms: Option<u64>,
    /// When GitHub gives it no more jobs; `None` while no release is newer.
    pub refused_from_ms: Option<u64>,
    /// What that means now.
    pub state: RunnerState,
}

impl RunnerAge {
    /// The age of the runner on a host at a time; `None` where none is installed.
    pub fn of(root: &HostRoot, now_ms: u64) -> Option<Self> {
        let place = RunnerInstallation::new(&root.path(RUNNER_PREFIX));
        place
            .is_installed()
            .then(|| Self::new(place.installed(), KnownRunnerReleases::of(root), now_ms))
    }

    /// The age of a runner of a version, by the releases that were seen.
    pub fn new(
        version: Option<RunnerVersion>,
        seen: Option<KnownRunnerReleases>,
        now_ms: u64,
    ) -> Self {
        let KnownRunnerReleases { checked_ms, releases } = seen.unwrap_or_default();
        // Of a runner without a version, nothing can be said but that it is older than the newest one.
        let newer =
            releases.iter().filter(|one| version.is_none_or(|version| one.version > version));
        let first = newer.map(|one| one.published_ms).min();
        let refused_from_ms = first.map(|at| at.saturating_add(REFUSED_MS));
        let left = refused_from_ms.map(|at| at.saturating_sub(now_ms));
        let state = match left {
            Some(0) => RunnerState::Refused,
            Some(left) if left <= ALARM_MS => RunnerState::Alarm,
            _ if now_ms.saturating_sub(checked_ms) > BLIND_MS => RunnerState::Alarm,
            Some(_) => RunnerState::Behind,
            None => RunnerState::Current,
        };
        Self {
            version,
            newest: releases.iter().map(|one| one.version).max(),
            checked_ms: (checked_ms > 0).then_some(checked_ms),
            refused_from_ms,
            state,
        }
    }

    /// Whether somebody should do something.
    pub fn is_alarm(&self) -> bool {
        matches!(self.state, RunnerState::Alarm | RunnerState::Refused)
    }

    /// One line for people.
    pub fn line(&self, now_ms: u64) -> String {
        let name = self.version.map_or_else(|| "unknown".to_owned(), |version| version.to_string());
        let days = |from: u64, to: u64| to.saturating_sub(from) / DAY_MS;
        let newest = self.newest.map(|newest| format!(", {newest} is out")).unwrap_or_default();
        let fix = "`shakedown host runner-update` installs the newest one";
        match (self.state, self.refused_from_ms, self.checked_ms) {
            (RunnerState::Refused, ..) => {
                format!("runner {name}: GitHub gives it no more jobs{newest}: {fix}")
            }
            (_, Some(at), _) => {
                let days = days(now_ms, at);
                format!("runner {name}{newest}: GitHub gives it no more jobs in {days} days; {fix}")
            }
            (_, None, None) => {
                format!("runner {name}: nobody has looked for a newer one; {fix}")
            }
            (_, None, Some(checked)) => {
                let days = days(checked, now_ms);
                format!("runner {name}: the newest one {days} days ago")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_795_000_000_000;

    fn seen(checked_days: u64, releases: &[(&str, u64)]) -> Option<KnownRunnerReleases> {
        let release = |(version, days): &(&str, u64)| PublishedRunner {
            version: version.parse().unwrap(),
            published_ms: NOW - days * DAY_MS,
        };
        Some(KnownRunnerReleases {
            checked_ms: NOW - checked_days * DAY_MS,
            releases: releases.iter().map(release).collect(),
        })
    }

    fn age(version: &str, seen: Option<KnownRunnerReleases>) -> RunnerAge {
        RunnerAge::new(version.parse().ok(), seen, NOW)
    }

    /// GitHub counts from the first release that is newer, not from the newest one.
    #[test]
    fn the_alarm_comes_before_github_refuses() {
        let releases =
            |days| seen(0, &[("2.400.1", days), ("2.400.0", days + 9), ("2.399.0", days + 50)]);
        for (version, days, state) in [
            ("2.400.1", 500, RunnerState::Current),
            ("2.401.0", 500, RunnerState::Current),
            ("2.400.0", 19, RunnerState::Behind),
            ("2.400.0", 20, RunnerState::Alarm),
            ("2.400.0", 29, RunnerState::Alarm),
            ("2.400.0", 30, RunnerState::Refused),
            ("2.399.0", 10, RunnerState::Behind),
            ("2.399.0", 11, RunnerState::Alarm),
            ("2.399.0", 21, RunnerState::Refused),
            ("unknown", 1, RunnerState::Refused),
        ] {
            let age = age(version, releases(days));
            assert_eq!(age.state, state, "{version} {days}: {age:?}");
            assert_eq!(age.newest.unwrap().to_string(), "2.400.1");
        }
    }

    #[test]
    fn a_host_that_nobody_has_looked_at_is_an_alarm() {
        let current = |days| age("2.400.0", seen(days, &[("2.400.0", 60)])).state;
        assert_eq!((current(20), current(21)), (RunnerState::Current, RunnerState::Alarm));
        let never = age("2.400.0", None);
        assert_eq!(never.state, RunnerState::Alarm);
        assert!(never.line(NOW).contains("nobody has looked"), "{}", never.line(NOW));
    }

    #[test]
    fn people_read_what_to_do() {
        let line = |days| age("2.399.0", seen(1, &[("2.400.0", days)])).line(NOW);
        let soon = "runner 2.399.0, 2.400.0 is out: GitHub gives it no more jobs in 5 days";
        assert!(line(25).starts_with(soon), "{}", line(25));
        assert!(line(31).contains("no more jobs, 2.400.0 is out"), "{}", line(31));
        let current = age("2.400.0", seen(1, &[("2.400.0", 60)])).line(NOW);
        assert_eq!(current, "runner 2.400.0: the newest one 1 days ago");
    }
}
